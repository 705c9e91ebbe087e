"""Datasets of images: their files in every form, other files, and no files at all."""

import gzip
import io
import pickle
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from hy_gluon import image
from hy_gluon.data import DataError, DataLoader, RecordFileDataset, vision
from hy_gluon.utils import DownloadError
from hy_io import FileFormatError, FileLimitError, IRHeader, MXIndexedRecordIO, pack_img
from hy_ndarray import NDArray


def _idx(array: Any) -> bytes:
    head = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    return head + bytes(array.tobytes())


@pytest.fixture
def digits(tmp_path: Path, rng: np.random.Generator) -> tuple[Path, Any, Any]:
    """Folder, images and labels of a small MNIST."""
    images = rng.integers(0, 256, (5, 28, 28), dtype=np.uint8)
    labels = rng.integers(0, 10, 5, dtype=np.uint8)
    for part in ("train", "t10k"):
        name = tmp_path / f"{part}-images-idx3-ubyte.gz"
        name.write_bytes(gzip.compress(_idx(images if part == "train" else images[:2])))
        name = tmp_path / f"{part}-labels-idx1-ubyte.gz"
        name.write_bytes(gzip.compress(_idx(labels if part == "train" else labels[:2])))
    return tmp_path, images, labels


@pytest.mark.parametrize("dataset", [vision.MNIST, vision.FashionMNIST])
def test_mnist_gives_images_and_labels(
    dataset: type[vision.MNIST], digits: tuple[Path, Any, Any]
) -> None:
    root, images, labels = digits
    train, test = dataset(root), dataset(str(root), train=False)
    assert (len(train), len(test)) == (5, 2)
    data, label = train[3]
    assert isinstance(data, NDArray)
    assert (data.shape, data.dtype) == ((28, 28, 1), np.uint8)
    assert (data.asnumpy()[:, :, 0] == images[3]).all()
    assert label == labels[3]
    assert label.dtype == np.int32
    assert dataset(root, transform=lambda x, y: (x.shape, int(y)))[1][1] == labels[1]


def test_mnist_is_unpacked_up_to_the_limit_of_files(
    digits: tuple[Path, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, _, _ = digits
    (root / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(bytes(1 << 20)))
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "1000000")
    with pytest.raises(FileLimitError, match=r"train-images.*set HY_MAX_FILE_EXPANSION="):
        vision.MNIST(root)


def test_mnist_reads_unpacked_files(digits: tuple[Path, Any, Any]) -> None:
    root, images, _ = digits
    packed = root / "train-images-idx3-ubyte.gz"
    (root / "train-images-idx3-ubyte").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    assert (vision.MNIST(root)[0][0].asnumpy()[:, :, 0] == images[0]).all()


def test_mnist_in_batches(digits: tuple[Path, Any, Any]) -> None:
    root, _, labels = digits
    (data, label), *_ = DataLoader(vision.MNIST(root), batch_size=4)
    assert data.shape == (4, 28, 28, 1)
    assert label.asnumpy().tolist() == labels[:4].tolist()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda raw: gzip.compress(raw)[:-9], "expected whole gzip data"),
        (lambda raw: gzip.compress(b"\0\0\x0d" + raw[3:]), "expected 0x0803: unsigned bytes"),
        (lambda raw: gzip.compress(raw[:3]), "expected that of an IDX file"),
        (lambda raw: gzip.compress(raw[:9]), "byte 4: sizes: expected 3 of 4 bytes, found 5"),
        (lambda raw: gzip.compress(raw[:-1]), r"expected 3920 bytes of shape \(5, 28, 28\)"),
    ],
)
def test_damaged_files_of_mnist_are_refused(
    digits: tuple[Path, Any, Any], damage: Callable[[bytes], bytes], message: str
) -> None:
    root, *_ = digits
    file = root / "train-images-idx3-ubyte.gz"
    file.write_bytes(damage(gzip.decompress(file.read_bytes())))
    with pytest.raises(FileFormatError, match=message) as error:
        vision.MNIST(root)
    assert error.value.path == str(file)


def test_unequal_numbers_of_images_and_labels_are_refused(digits: tuple[Path, Any, Any]) -> None:
    root, _, labels = digits
    (root / "train-labels-idx1-ubyte").write_bytes(_idx(labels[:4]))
    with pytest.raises(DataError, match="train has 5 images and 4 labels"):
        vision.MNIST(root)


@pytest.mark.parametrize(
    ("dataset", "file"),
    [
        (vision.MNIST, "train-images-idx3-ubyte.gz (SHA-1 6c95f4b0"),
        (vision.FashionMNIST, "train-images-idx3-ubyte.gz (SHA-1 0cf37b0d"),
        (vision.CIFAR10, "cifar-10-binary.tar.gz (SHA-1 fab780a1"),
        (vision.CIFAR100, "cifar-100-binary.tar.gz (SHA-1 a0bb982c"),
    ],
)
def test_without_a_network_the_error_says_what_to_do(
    dataset: Any, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MXNET_GLUON_REPO", "http://127.0.0.1:9")
    with pytest.raises(DownloadError, match="could not be fetched") as error:
        dataset(tmp_path)
    (note,) = error.value.__notes__
    assert f"put the file {file}" in note
    assert str(tmp_path) in note
    assert "MXNET_GLUON_REPO" in note


def _rows(rng: np.random.Generator, count: int, labels: int) -> Any:
    return rng.integers(0, 256, (count, labels + 3072), dtype=np.uint8)


def test_cifar10_gives_images_and_labels(tmp_path: Path, rng: np.random.Generator) -> None:
    rows = _rows(rng, 12, 1)
    for i in range(5):
        (tmp_path / f"data_batch_{i + 1}.bin").write_bytes(rows[2 * i : 2 * i + 2].tobytes())
    (tmp_path / "test_batch.bin").write_bytes(rows[10:].tobytes())
    train, test = vision.CIFAR10(tmp_path), vision.CIFAR10(tmp_path, train=False)
    assert (len(train), len(test)) == (10, 2)
    data, label = train[7]
    assert (data.shape, data.dtype) == ((32, 32, 3), np.uint8)
    assert label == rows[7, 0]
    assert (data.asnumpy()[4, 5] == rows[7, 1:].reshape(3, 32, 32)[:, 4, 5]).all()
    assert test[1][1] == rows[11, 0]


def _archive(file: Path, members: dict[str, bytes]) -> None:
    with tarfile.open(file, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def test_cifar100_is_read_out_of_its_archive(tmp_path: Path, rng: np.random.Generator) -> None:
    rows = _rows(rng, 3, 2)
    members = {f"cifar-100-binary/{part}.bin": rows.tobytes() for part in ("train", "test")}
    _archive(tmp_path / "cifar-100-binary.tar.gz", members)
    assert vision.CIFAR100(tmp_path)[1][1] == rows[1, 0]
    assert vision.CIFAR100(tmp_path, fine_label=True, train=False)[2][1] == rows[2, 1]
    assert len(list(tmp_path.iterdir())) == 1


def test_damaged_files_of_cifar_are_refused(tmp_path: Path, rng: np.random.Generator) -> None:
    file = tmp_path / "test_batch.bin"
    file.write_bytes(_rows(rng, 2, 1).tobytes()[:-1])
    with pytest.raises(FileFormatError, match="expected whole rows of 3073 bytes, found 6145"):
        vision.CIFAR10(tmp_path, train=False)
    archive = tmp_path / "cifar-100-binary.tar.gz"
    _archive(archive, {"train.bin": b""})
    with pytest.raises(FileFormatError, match=r"expected a member test\.bin, found none"):
        vision.CIFAR100(tmp_path, train=False)
    archive.write_bytes(archive.read_bytes()[:30])
    with pytest.raises(FileFormatError, match="expected a whole archive"):
        vision.CIFAR100(tmp_path, train=False)


# --- images in folders and records -----------------------------------------------------------


@pytest.fixture
def pixels(rng: np.random.Generator) -> Any:
    return rng.integers(0, 256, (6, 9, 3), dtype=np.uint8)


def test_images_in_folders_are_labelled_by_their_folder(tmp_path: Path, pixels: Any) -> None:
    for name in ("b/1.png", "b/2.PNG", "a/z.png", "a/y.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.fromarray(pixels).save(tmp_path / name)
    (tmp_path / "b" / "below").mkdir()
    dataset = vision.ImageFolderDataset(tmp_path)
    assert dataset.synsets == ["a", "b"]
    expected = [("a/y.jpg", 0), ("a/z.png", 0), ("b/1.png", 1), ("b/2.PNG", 1)]
    assert dataset.items == [(str(tmp_path / name), label) for name, label in expected]
    data, label = dataset[2]
    assert label == 1
    assert (data.asnumpy() == pixels).all()
    assert vision.ImageFolderDataset(tmp_path, flag=0)[1][0].shape == (6, 9, 1)
    shapes = vision.ImageFolderDataset(tmp_path, transform=lambda x, y: (x.shape, y))
    assert next(iter(shapes)) == ((6, 9, 3), 0)


def test_other_files_in_folders_are_left_out_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="file is left out: it is no folder"):
        assert len(vision.ImageFolderDataset(tmp_path)) == 0
    (tmp_path / "file").unlink()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "notes.txt").write_text("")
    with pytest.warns(UserWarning, match=r"notes\.txt is left out: neither JPEG nor PNG"):
        assert vision.ImageFolderDataset(tmp_path).synsets == ["a"]


class Flat(vision.ImageFolderDataset):
    """Images without labels, as AutoGluon's class reads them."""

    def _list_images(self, root: str) -> None:
        files = sorted(Path(root).iterdir())
        self.items = [(str(file), 0) for file in files if file.suffix in self._exts]


def test_a_class_of_users_may_list_images_in_its_own_way(tmp_path: Path, pixels: Any) -> None:
    for name in ("x.png", "y.jpg"):
        Image.fromarray(pixels).save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("")
    dataset = Flat(tmp_path)
    assert dataset.items == [(str(tmp_path / name), 0) for name in ("x.png", "y.jpg")]
    assert (dataset[0][0].asnumpy() == pixels).all()


def test_a_damaged_image_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.png").write_bytes(b"no image")
    dataset = vision.ImageFolderDataset(tmp_path)
    with pytest.raises(FileFormatError, match="whole image") as error:
        dataset[0]
    assert error.value.path == str(tmp_path / "a" / "x.png")


def test_a_damaged_image_of_a_record_names_file_key_and_offset(tmp_path: Path) -> None:
    path = tmp_path / "x.rec"
    with MXIndexedRecordIO(tmp_path / "x.idx", path, "w") as records:
        records.write_idx(3, b"whatever")
        records.write_idx(
            7, pack_img(IRHeader(0, 1.0, 7, 0), np.zeros((2, 2, 3)), img_fmt=".png")[:30]
        )
    with pytest.raises(FileFormatError, match="image") as error:
        vision.ImageRecordDataset(path)[1]
    assert error.value.path == f"{path}: record 7 at byte 16"
    with pytest.raises(FileFormatError, match="record 3 at byte 0: byte 0: record header"):
        vision.ImageRecordDataset(path)[0]


@pytest.fixture
def records(tmp_path: Path, pixels: Any) -> Path:
    file = tmp_path / "images.rec"
    with MXIndexedRecordIO(tmp_path / "images.idx", file, "w") as target:
        for i, label in enumerate([0.0, 1.0, [1.0, 2.0]]):
            turned = np.roll(pixels, i, axis=0)[:, :, ::-1]
            target.write_idx(i, pack_img(IRHeader(0, label, i, 0), turned, 9, ".png"))
    return file


def test_images_in_records_have_their_labels(records: Path, pixels: Any) -> None:
    dataset = vision.ImageRecordDataset(records)
    assert len(dataset) == 3
    data, label = dataset[1]
    assert label == 1.0
    assert (data.asnumpy() == np.roll(pixels, 1, axis=0)).all()
    assert dataset[2][1].tolist() == [1.0, 2.0]
    grey = vision.ImageRecordDataset(str(records), flag=0, transform=lambda x, y: (x.shape, y))
    assert grey[0] == ((6, 9, 1), 0.0)


def test_records_are_read_by_number_and_can_be_sent_to_workers(records: Path) -> None:
    dataset = RecordFileDataset(records)
    again = pickle.loads(pickle.dumps(dataset))  # noqa: S301
    assert list(again) == [dataset[i] for i in range(3)]
    batches = list(DataLoader(vision.ImageRecordDataset(records).take(2), 2, num_workers=1))
    assert batches[0][0].shape == (2, 6, 9, 3)


def test_a_file_without_its_index_is_refused(records: Path) -> None:
    records.with_suffix(".idx").unlink()
    with pytest.raises(OSError, match=r"images\.idx"):
        RecordFileDataset(records)


def test_channels_are_read_in_either_order(tmp_path: Path, pixels: Any) -> None:
    file = tmp_path / "x.png"
    Image.fromarray(pixels).save(file)
    assert (image.imread(file).asnumpy() == pixels).all()
    assert (image.imread(file, to_rgb=False).asnumpy() == pixels[:, :, ::-1]).all()
    with pytest.raises(FileFormatError):
        image.imdecode(b"")
