"""What all commands share: help, errors, exit codes, completion."""

import subprocess
import sys

import pytest

from graphpac.cli._command import STOPPED
from graphpac.cli.main import app
from tests.cli.conftest import COMMAND, ENVIRONMENT

COMMANDS = [
    *("fit", "predict", "report", "sweep", "estimate", "demo", "datasets list", "datasets check"),
    *("datasets fetch", "info", "bench", "reproduce"),
]
HEAVY = {
    *("faiss", "matplotlib", "numba", "numpy", "pandas", "pyarrow", "scipy", "sklearn"),
    *("pydantic", "rich"),  # of typer, for what help can do without
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(graphpac, command):
    shown = graphpac(*command.split(), "--help")
    assert shown.code == 0
    assert f"Example: graphpac {command}" in shown.out
    assert shown.out == graphpac(*command.split(), "-h").out


def test_help_is_the_same_among_other_arguments(graphpac):
    shown = graphpac("fit", "--help").out
    assert graphpac("fit", "x.npy", "--clusters", "3", "--help").out == shown
    for heading in ("Arguments:", "Options:", "Reading:", "Method:", "Report:"):
        assert f"\n{heading}\n" in shown


def test_no_command_is_left_out(graphpac):
    named = {command.split()[0] for command in COMMANDS}
    registered = {info.name or info.callback.__name__ for info in app.registered_commands}
    assert named == registered | {group.name for group in app.registered_groups}
    shown = graphpac()
    for name in named:
        assert f" {name} " in shown.out


@pytest.mark.parametrize("command", ["", "fit", "bench", "datasets"])
def test_help_loads_nothing_heavy(command):
    code = (
        "import sys\n"
        f"sys.argv = ['graphpac', *{command.split()!r}, '--help']\n"
        "from graphpac.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "typer" in loaded
    assert not loaded & HEAVY


def test_version(graphpac):
    assert graphpac("--version").out.startswith("graphpac ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cluster"], "No such command 'cluster'"),
        (["fit"], "Missing argument 'DATA'"),
        (["datasets", "fetch"], "Missing argument 'NAMES...'"),
        (["fit", "x.npy", "--clusters", "3"], "Invalid value for --output: name the folder"),
        (["fit", "x.npy", "--clusters", "0"], "--clusters"),
        (["fit", "x.npy", "-c", "3", "--metric", "manhattan"], "cosine"),
        (["fit", "x.npy", "-c", "3", "-o", "r", "--image-shape", "28"], "HEIGHTxWIDTH"),
        (["fit", "x.npy", "-c", "3", "-o", "r", "--columns", " ,"], "--columns: names nothing"),
        (["estimate", "--clusters", "3"], "name a file, or give both --rows and --features"),
        (["estimate", "x.npy", "--rows", "5", "-c", "3"], "name a file, or give both"),
    ],
)
def test_wrong_usage_ends_with_2(graphpac, arguments, message):
    failed = graphpac(*arguments)
    assert failed.code == 2
    assert message in " ".join(failed.err.split())
    assert not failed.out


def test_an_argument_that_names_nothing_is_one_sentence_and_ends_with_2(graphpac, tmp_path):
    failed = graphpac("fit", tmp_path / "no.npy", "-c", "3", "--output", tmp_path / "run")
    assert failed.code == 2
    assert failed.err.startswith(f"graphpac: there is no file {tmp_path / 'no.npy'}: ")
    assert failed.err.count("\n") == 1
    assert not failed.out


@pytest.mark.parametrize("place", ["before", "after"])
def test_debug_shows_the_trace(graphpac_process, place):
    words = ["--debug", "datasets", "fetch", "nowhere"]
    if place == "after":
        words = [*words[1:], "--debug"]
    failed = graphpac_process(*words)
    assert failed.code == 1
    assert "Traceback" in failed.err
    assert "DatasetError: there is no data set 'nowhere'" in failed.err


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device", "run/labels"), "run/labels: No space left on"),
        (MemoryError(), "there is not enough memory."),
        (ValueError("of two\n  lines"), "of two lines"),
        (KeyError("x"), "this should not have happened (KeyError: 'x'): please report it"),
    ],
)
def test_errors_of_every_kind_are_one_line(graphpac, monkeypatch, error, sentence):
    def fail():
        raise error

    monkeypatch.setattr("graphpac.runs.environment.describe_environment", fail)
    failed = graphpac("info")
    assert failed.code == 1
    assert failed.err.startswith(f"graphpac: {sentence}")
    assert failed.err.count("\n") == 1


def test_ctrl_c_is_one_line_and_130(graphpac, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    monkeypatch.setattr("graphpac.runs.environment.describe_environment", stop)
    assert graphpac("info") == (STOPPED, "", "graphpac: stopped\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell with pipes")
@pytest.mark.parametrize("command", ["datasets list", "datasets list --json", "fit --help"])
def test_a_broken_pipe_is_quiet(command):
    program = " ".join(f"'{word}'" for word in COMMAND)
    done = subprocess.run(
        ["sh", "-c", f"{program} {command} | true"],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert done.stderr == ""


def test_python_m_graphpac_is_the_command(graphpac_process):
    assert graphpac_process("--version").out.startswith("graphpac ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("graphpac ", {"fit", "predict", "info"}),
        ("graphpac fit --comp", {"--compact"}),
        ("graphpac fit --metric e", {"euclidean"}),
        ("graphpac datasets check dig", {"digits"}),
        ("graphpac bench --methods k", {"km", "k-sums"}),
        ("graphpac reproduce table2 --methods gp", {"gpac"}),
    ],
)
def test_bash_completes_commands_options_and_names(graphpac_process, words, expected):
    asked = {
        "_GRAPHPAC_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = graphpac_process(environment=asked)
    assert expected <= set(done.out.split())


def test_completion_can_be_installed(graphpac_process):
    # Told the shell, because the processes above this one may be of any, or of none it knows.
    told = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = graphpac_process("--show-completion", "bash", environment=told)
    assert "_GRAPHPAC_COMPLETE" in shown.out
