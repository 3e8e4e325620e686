"""The table of known data sets: what each file holds and how to tell that it is the right one."""

import csv
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class OpenMLSource:
    """Where OpenML keeps a data set, and what to do to its values."""

    data_id: int
    rescale: bool = False  # map all values together to [0, 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedRecord:
    """A data set that comes with scikit-learn."""

    name: str
    shape: tuple[int, int]
    n_classes: int
    description: str

    @property
    def loader(self) -> str:
        """Name of the function of sklearn.datasets."""
        return f"load_{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """One ``.npz`` file with the arrays ``X`` and ``y``."""

    name: str
    sha256: str
    shape: tuple[int, int]
    n_classes: int
    description: str
    divisor: int = 1  # X is divided by it, in float32, when it is not 1
    openml: OpenMLSource | None = None

    @property
    def file_name(self) -> str:
        """Name of the file whose checksum is known."""
        return f"{self.name}.npz"

    @property
    def openml_file_name(self) -> str:
        """Name of the copy made from OpenML; its bytes differ, so it is kept apart."""
        return f"{self.name}.openml.npz"


def _record(row: dict[str, str]) -> EmbeddedRecord | FileRecord:
    name, n_classes, description = row["name"], int(row["n_classes"]), row["description"]
    shape = int(row["n_samples"]), int(row["n_features"])
    if not row["sha256"]:
        return EmbeddedRecord(name=name, shape=shape, n_classes=n_classes, description=description)
    return FileRecord(
        name=name,
        sha256=row["sha256"],
        shape=shape,
        n_classes=n_classes,
        description=description,
        divisor=int(row["divisor"] or 1),
        openml=OpenMLSource(int(row["openml"]), bool(row["rescale"])) if row["openml"] else None,
    )


_TABLE = files("graphpac.datasets").joinpath("registry.csv").read_text(encoding="utf-8")
_RECORDS = [_record(row) for row in csv.DictReader(_TABLE.splitlines())]
EMBEDDED = {known.name: known for known in _RECORDS if isinstance(known, EmbeddedRecord)}
FILES = {known.name: known for known in _RECORDS if isinstance(known, FileRecord)}
