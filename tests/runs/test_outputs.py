"""Nothing is replaced unasked, and never what is read; told before any work is done."""

import pytest

from graphpac._files import replacing
from graphpac.exceptions import ParameterError
from graphpac.runs.outputs import check_file, check_folder

ENDINGS = (".parquet", ".csv")


@pytest.fixture
def given(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a\n1\n", encoding="utf-8")
    return path


def spellings(given):
    """Make other names of a file."""
    link, hard = given.with_name("link.csv"), given.with_name("hard.csv")
    link.symlink_to(given)
    hard.hardlink_to(given)
    return [given, given.parent / "." / ".." / given.parent.name / given.name, link, hard]


def test_what_is_read_is_never_replaced_under_any_name(given):
    for path in spellings(given):
        for one, other in ((path, given), (given, path)):
            with pytest.raises(ParameterError, match="would replace what is read"):
                check_file(one, "--output", endings=ENDINGS, inputs=[other], overwrite=True)


def test_no_file_joins_a_folder_that_is_read(given):
    (given.parent / "deep").mkdir()
    for name in ("new.csv", "deep/new.csv"):
        with pytest.raises(ParameterError, match="is inside .*, all of which is read: name anoth"):
            check_file(given.parent / name, "--output", endings=ENDINGS, inputs=[given.parent])
    outside = given.parent / "deep" / ".." / "new.csv"
    check_file(outside, "--output", endings=ENDINGS, inputs=[given.parent / "deep"])


def test_what_exists_is_replaced_when_asked_only(given):
    with pytest.raises(FileExistsError, match=r"--output .*rows.csv exists: add --overwrite"):
        check_file(given, "--output", endings=ENDINGS)
    check_file(given, "--output", endings=ENDINGS, overwrite=True)
    dangling = given.with_name("dangling.csv")
    dangling.symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        check_file(dangling, "--output", endings=ENDINGS)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("new.txt", ParameterError, "must end in .parquet or .csv"),
        ("nowhere/new.csv", FileNotFoundError, "there is no folder .*nowhere: make it"),
        ("rows.csv/new.csv", FileNotFoundError, "there is no folder"),
        ("folder.csv", IsADirectoryError, "is a folder: name a file"),
    ],
)
def test_names_that_cannot_be_written_are_one_sentence(given, name, error, message):
    (given.parent / "folder.csv").mkdir()
    with pytest.raises(error, match=message):
        check_file(given.parent / name, "--output", endings=ENDINGS)


def test_a_folder_is_not_made_but_looked_at(given, tmp_path):
    check_folder(tmp_path / "new" / "folder", "--output", names=["index.html"])
    assert not (tmp_path / "new").exists()
    with pytest.raises(NotADirectoryError, match="is a file: name a folder"):
        check_folder(given, "--output", names=["index.html"])
    with pytest.raises(FileExistsError, match="holds rows.csv, which would be replaced"):
        check_folder(tmp_path, "--output", names=["rows.csv"])
    check_folder(tmp_path, "--output", names=["rows.csv"], overwrite=True)


def test_errors_name_the_file_and_not_its_temporary_name(tmp_path):
    path = tmp_path / "nowhere" / "new.csv"
    with pytest.raises(FileNotFoundError) as missing, replacing(path):
        pass
    assert missing.value.filename == str(path)
    (tmp_path / "taken").mkdir()
    with pytest.raises(IsADirectoryError) as taken, replacing(tmp_path / "taken") as file:
        file.write(b"whole")
    assert str(taken.value).endswith(f"{str(tmp_path / 'taken')!r}")
    assert [item.name for item in tmp_path.iterdir()] == ["taken"]
