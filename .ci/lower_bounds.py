"""Print the oldest versions pyproject.toml allows of what users install, as constraints for pip."""

import re
import tomllib
from pathlib import Path

text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
project = tomllib.loads(text)["project"]
requirements = set(project["dependencies"]).union(*project["optional-dependencies"].values())
for requirement in sorted(requirements):
    if bound := re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement):
        print("==".join(bound.groups()))
