"""The table of known data sets: what each file holds and how to tell that it is the right one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpenMLSource:
    """Where OpenML keeps a data set, and what to do to its values."""

    data_id: int
    rescale: bool = False  # map all values together to [0, 1]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedRecord:
    """A data set that comes with scikit-learn."""

    name: str
    loader: str  # function of sklearn.datasets
    shape: tuple[int, int]
    n_classes: int
    description: str


EMBEDDED = {
    record.name: record
    for record in (
        EmbeddedRecord(
            name="digits",
            loader="load_digits",
            shape=(1_797, 64),
            n_classes=10,
            description="Handwritten digits, 8x8 pixels, values 0 to 16 (UCI, test part).",
        ),
        EmbeddedRecord(
            name="iris",
            loader="load_iris",
            shape=(150, 4),
            n_classes=3,
            description="Iris flowers, four lengths in cm.",
        ),
        EmbeddedRecord(
            name="wine",
            loader="load_wine",
            shape=(178, 13),
            n_classes=3,
            description="Wines by chemical analysis; features differ by orders of magnitude.",
        ),
        EmbeddedRecord(
            name="breast_cancer",
            loader="load_breast_cancer",
            shape=(569, 30),
            n_classes=2,
            description="Breast tumors by cell measurements; features differ in scale.",
        ),
    )
}

FILES = {
    record.name: record
    for record in (
        FileRecord(
            name="banking77_minilm",
            sha256="20797db08abbc7afd9d67b819e3756677ffaf250cab5b34fd842df52937f3d80",
            shape=(13_083, 384),
            n_classes=77,
            description="Bank customer intents, all-MiniLM-L6-v2 sentence embeddings (CC BY 4.0).",
        ),
        FileRecord(
            name="cifar10_effnetlite2_20k",
            sha256="10a30584498f2542b0f2c51c5469ad344b6efdde388d48d9dfe6fe0b7744e4ee",
            shape=(20_000, 512),
            n_classes=10,
            description="CIFAR-10 training images through EfficientNet-Lite2 (ImageNet labels).",
        ),
        FileRecord(
            name="cifar10_images_6k",
            sha256="865f5233cbc8ce065ac7b5728b4067b5cc1f5a1f7a10e38ea6552718e4eddc77",
            shape=(6_000, 3_072),
            n_classes=10,
            description="CIFAR-10 training images, 32x32 RGB, row-major, values 0 to 255.",
        ),
        FileRecord(
            name="clinc150_minilm",
            sha256="958db9240f4e71cd6d7b3f7aae206762cd8016ee71aa97bd24aab6605d4d39f8",
            shape=(22_500, 384),
            n_classes=150,
            description="CLINC150 intents, all-MiniLM-L6-v2 sentence embeddings (CC BY 3.0).",
        ),
        FileRecord(
            name="coil100",
            sha256="55223a2a165bd44b00c53d3e7d58df11d118e654b0694b1a53a41e5641f9ec62",
            shape=(7_200, 3_072),
            n_classes=100,
            description="COIL-100 objects from 72 sides, 32x32 RGB, values 0 to 255.",
        ),
        FileRecord(
            name="coil20",
            sha256="3191f3d8082e0f2ed48fc70a4b89fdb08ebf349d33064ee33a36a83c6f32173e",
            shape=(1_440, 1_024),
            n_classes=20,
            description="COIL-20 objects from 72 sides, 32x32 gray, column-major, values 0 to 1.",
            divisor=4080,
        ),
        FileRecord(
            name="emnist_bymerge_test",
            sha256="d85c77dc160aab986793f38e166b8b93db5882df4962b6f267a75eea73c36daf",
            shape=(116_323, 784),
            n_classes=47,
            description="EMNIST ByMerge test split, 28x28 pixels, classes of very different size.",
        ),
        FileRecord(
            name="isolet",
            sha256="d986018aaa677a33c7802c147600e00442a9c3c1fea7617761773865eb7dd08c",
            shape=(7_797, 617),
            n_classes=26,
            description="Spoken letters (UCI), values -1 to 1; rows are partly sorted by class.",
            openml=OpenMLSource(300),
        ),
        FileRecord(
            name="mnist",
            sha256="409118efb571f49d8bd67c1a87ec7c7569959ae3f34256db2a6238c20aeb11dd",
            shape=(70_000, 784),
            n_classes=10,
            description="Handwritten digits, 28x28 pixels, values 0 to 255, train then test part.",
            openml=OpenMLSource(554),
        ),
        FileRecord(
            name="news20_minilm",
            sha256="50cf9b89c222c5e073c04dd69fb99279ef57e2709a0085f840bd495023dd8543",
            shape=(18_121, 384),
            n_classes=20,
            description="20 Newsgroups, first 64 tokens, all-MiniLM-L6-v2 sentence embeddings.",
        ),
        FileRecord(
            name="olivetti",
            sha256="eaf79bae4bd9aa9e440c06ba70efd32f0ab26a2b9e23bf11628e12fb59f7c119",
            shape=(400, 4_096),
            n_classes=40,
            description="Olivetti faces, 64x64 gray, values 0 to 255.",
        ),
        FileRecord(
            name="orl32",
            sha256="f7aff41ec652216966b7b90f0d60d47e94e589b289d28a01e57909fdca376234",
            shape=(400, 1_024),
            n_classes=40,
            description="ORL faces, 32x32 gray, values 0 to 255.",
        ),
        FileRecord(
            name="pendigits",
            sha256="9aa3da2f675eae1b44067e82bbac44e13dca7aeb476732a1cf8a6203c7dce309",
            shape=(10_992, 16),
            n_classes=10,
            description="Pen digits (UCI), eight pen positions, values 0 to 100, train then test.",
            openml=OpenMLSource(32),
        ),
        FileRecord(
            name="sc_mouse_bladder_pca50",
            sha256="397aeebe2e5c270abd0e6d41f81b266b1bdbd8f4a02aadd35d85fbf0c49c08fc",
            shape=(2_100, 50),
            n_classes=16,
            description="Single-cell RNA of mouse bladder, PCA 50; strongly unbalanced.",
        ),
        FileRecord(
            name="sc_worm_neuron_pca50",
            sha256="233b90d6105c6b5f15d8e6fc6681d885f40a07b8a384a5ae836fd48140b25462",
            shape=(4_186, 50),
            n_classes=10,
            description="Single-cell RNA of worm neurons, PCA 50; unbalanced.",
        ),
        FileRecord(
            name="tinyimagenet100a_effnetlite2",
            sha256="7b1a059aa54ad874feb3916e1ce6056bb6b80b454a8b68d51799b0cecd765ef4",
            shape=(15_000, 512),
            n_classes=100,
            description="Tiny ImageNet, 100 classes, through EfficientNet-Lite2.",
        ),
        FileRecord(
            name="usps",
            sha256="f0883fd1782cfb66e67239e0c8f8707fbf8a4770496859a557ee779559f062a1",
            shape=(9_298, 256),
            n_classes=10,
            description=(
                "Handwritten digits, 16x16 pixels, values 0 to 1; the scaling matters under "
                "cosine, and 2*X - 1 gives the [-1, 1] form also in use."
            ),
            openml=OpenMLSource(41082, rescale=True),
        ),
        FileRecord(
            name="yaleb32",
            sha256="c9f188ccc275d7ae3bb6ae1aa039343f2f9a09f23bcb96f86935e01fb89f9fe9",
            shape=(2_414, 1_024),
            n_classes=38,
            description="Extended Yale B faces under changing light, 32x32 gray, values 0 to 255.",
        ),
    )
}
