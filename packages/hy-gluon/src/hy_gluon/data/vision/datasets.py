"""Image datasets: MNIST, FashionMNIST, CIFAR, and images in folders and record files."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hy_gluon._home import expanded, home
from hy_gluon.data._errors import DataError
from hy_gluon.data.dataset import Dataset, RecordFileDataset
from hy_gluon.data.vision._published import Published, check_size
from hy_gluon.image import imdecode, imread
from hy_io import load_idx, local_path, named_source, os_errors, unpack
from hy_ndarray import nd
from hy_ndarray.warning import warn

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageRecordDataset",
]

_Transform = Callable[[Any, Any], Any] | None
_ROOT = home() / "datasets"
_IMAGES = (".jpg", ".jpeg", ".png")


class _Labelled(Dataset):
    """Dataset of images and labels that are in memory.

    Args:
        images: ``[N, height, width, channels]``.
        labels: ``[N]``.
        transform: Function of image and label that returns an item; the unchanged pair if None.
    """

    def __init__(
        self, images: npt.NDArray[Any], labels: npt.NDArray[Any], transform: _Transform
    ) -> None:
        self._data = nd.array(images, dtype=images.dtype)
        # The images as NDArray, labels as numpy numbers, which is what MXNet's items are.
        self._label = labels.astype(np.int32)
        self._transform = transform

    def __getitem__(self, idx: Any) -> Any:
        item = self._data[idx], self._label[idx]
        return item if self._transform is None else self._transform(*item)

    def __len__(self) -> int:
        return len(self._label)


class MNIST(_Labelled):
    """Dataset of handwritten digits: 60,000 training and 10,000 test images ``[28, 28, 1]``.

    Images are uint8, labels int32.

    Files are read from ``root``, compressed (``train-images-idx3-ubyte.gz``) or not; missing ones
    are downloaded.

    Args:
        root: Folder with the files.
        train: Use the training set; otherwise the test set.
        transform: Function of image and label that returns an item; the unchanged pair if None.

    Raises:
        DownloadError: A file is missing and cannot be downloaded; says what to do.
        FileFormatError: A file is damaged.

    Source:
        LeCun, Bottou, Bengio, Haffner, Gradient-based learning applied to document recognition,
        1998.
    """

    _published: ClassVar[Published] = Published(
        "mnist",
        {
            "train-images-idx3-ubyte.gz": "6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d",
            "train-labels-idx1-ubyte.gz": "2a80914081dc54586dbdf242f9805a6b8d2a15fc",
            "t10k-images-idx3-ubyte.gz": "c3a25af1f52dad7f726cce8cacb138654b760d48",
            "t10k-labels-idx1-ubyte.gz": "763e7fa3757d93b0cdec073cef058b2004252c17",
        },
    )

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT / "mnist",
        train: bool = True,
        transform: _Transform = None,
    ) -> None:
        part = "train" if train else "t10k"
        images, labels = (
            load_idx(self._published.unpacked(Path(root), f"{part}-{name}-ubyte.gz"), axes=axes)
            for name, axes in (("images-idx3", 3), ("labels-idx1", 1))
        )
        # A labels' file of another part would train silently.
        if images.shape[:1] != labels.shape:
            raise DataError(f"{root}: {part} has {len(images)} images and {len(labels)} labels")
        super().__init__(images[..., None], labels, transform)


class FashionMNIST(MNIST):
    """Dataset of clothes in ten classes: 60,000 and 10,000 images ``[28, 28, 1]``.

    Images are uint8, labels int32.

    Args:
        root: Folder with the files, named like those of :class:`MNIST`.
        train: Use the training set; otherwise the test set.
        transform: Function of image and label that returns an item; the unchanged pair if None.

    Raises:
        DownloadError: A file is missing and cannot be downloaded; says what to do.
        FileFormatError: A file is damaged.

    Source:
        Xiao, Rasul, Vollgraf, Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine
        Learning Algorithms, arXiv:1708.07747.
    """

    _published: ClassVar[Published] = Published(
        "fashion-mnist",
        {
            "train-images-idx3-ubyte.gz": "0cf37b0d40ed5169c6b3aba31069a9770ac9043d",
            "train-labels-idx1-ubyte.gz": "236021d52f1e40852b06a4c3008d8de8aef1e40b",
            "t10k-images-idx3-ubyte.gz": "626ed6a7c06dd17c0eec72fa3be1740f146a2863",
            "t10k-labels-idx1-ubyte.gz": "17f9ab60e7257a1620f4ad76bbbaf857c3920701",
        },
    )

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT / "fashion-mnist",
        train: bool = True,
        transform: _Transform = None,
    ) -> None:
        super().__init__(root, train, transform)


class CIFAR10(_Labelled):
    """Dataset of small images in ten classes: 50,000 and 10,000 images ``[32, 32, 3]`` of uint8.

    The files ``data_batch_1.bin`` … and ``test_batch.bin`` are read from ``root``, or from
    ``cifar-10-binary.tar.gz`` there, which is downloaded if both are missing.

    Args:
        root: Folder with the files.
        train: Use the training set; otherwise the test set.
        transform: Function of image and label that returns an item; the unchanged pair if None.

    Raises:
        DownloadError: A file is missing and cannot be downloaded; says what to do.
        FileFormatError: A file is damaged.

    Source:
        Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009.
    """

    _published: ClassVar[Published] = Published(
        "cifar10", {"cifar-10-binary.tar.gz": "fab780a1e191a7eda0f345501ccd62d20f7ed891"}
    )
    _parts: ClassVar[dict[bool, list[str]]] = {
        True: [f"data_batch_{i}.bin" for i in range(1, 6)],
        False: ["test_batch.bin"],
    }
    _labels = 1
    """How many labels stand before each image."""

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT / "cifar10",
        train: bool = True,
        transform: _Transform = None,
    ) -> None:
        rows = np.concatenate([self._read_rows(Path(root), name) for name in self._parts[train]])
        # CIFAR stores planes (channels first) after one or two labels.
        planes = rows[:, self._labels :].reshape(-1, 3, 32, 32)
        images = np.ascontiguousarray(planes.transpose(0, 2, 3, 1))
        super().__init__(images, rows[:, self._label_column()], transform)

    def _label_column(self) -> int:
        return 0

    def _read_rows(self, root: Path, name: str) -> npt.NDArray[np.uint8]:
        # 3 x 32 x 32 bytes of an image.
        size = self._labels + 3072
        content, where = self._published.member(root, name)
        check_size(where, len(content), size)
        return np.frombuffer(content, np.uint8).reshape(-1, size)


class CIFAR100(CIFAR10):
    """Dataset of small images in 100 classes: 50,000 and 10,000 images ``[32, 32, 3]`` of uint8.

    The files ``train.bin`` and ``test.bin`` are read from ``root``, or from
    ``cifar-100-binary.tar.gz`` there, which is downloaded if both are missing.

    Args:
        root: Folder with the files.
        fine_label: Use the 100 fine labels; otherwise the 20 coarse ones.
        train: Use the training set; otherwise the test set.
        transform: Function of image and label that returns an item; the unchanged pair if None.

    Raises:
        DownloadError: A file is missing and cannot be downloaded; says what to do.
        FileFormatError: A file is damaged.

    Source:
        Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009.
    """

    _published: ClassVar[Published] = Published(
        "cifar100", {"cifar-100-binary.tar.gz": "a0bb982c76b83111308126cc779a992fa506b90b"}
    )
    _parts: ClassVar[dict[bool, list[str]]] = {True: ["train.bin"], False: ["test.bin"]}
    _labels = 2

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT / "cifar100",
        fine_label: bool = False,
        train: bool = True,
        transform: _Transform = None,
    ) -> None:
        self._fine_label = fine_label
        super().__init__(root, train, transform)

    # CIFAR-100 has the coarse label first.
    def _label_column(self) -> int:
        return 1 if self._fine_label else 0


class ImageRecordDataset(RecordFileDataset):
    """Dataset of the images and labels of a ``.rec`` file with its ``.idx`` index.

    Args:
        filename: The ``.rec`` file.
        flag: 1 for color, 0 for grayscale.
        transform: Function of an image ``[height, width, channels]`` and a label;
            (image, label) if None.

    Raises:
        OSError: One of the two files cannot be read.
        FileFormatError: The index is damaged; or, for an item, its record.
    """

    def __init__(
        self, filename: str | os.PathLike[str], flag: int = 1, transform: _Transform = None
    ) -> None:
        super().__init__(filename)
        self._flag = flag
        self._transform = transform

    def __getitem__(self, idx: int) -> Any:
        key = self._record.keys[idx]
        record = self._record.read_idx(key)
        # Errors of a damaged record name file, key and offset.
        with named_source(f"{self.filename}: record {key!r} at byte {self._record.idx[key]}"):
            header, encoded = unpack(record)
            image = imdecode(encoded, self._flag)
        if self._transform is None:
            return image, header.label
        return self._transform(image, header.label)


class ImageFolderDataset(Dataset):
    """Dataset of images in one folder per class; labels are positions of the sorted folders.

    Args:
        root: Folder with the class folders. Files other than JPEG and PNG are ignored.
        flag: 1 for color, 0 for grayscale.
        transform: Function of an image ``[height, width, channels]`` and a label;
            (image, label) if None.

    Raises:
        OSError: The folder cannot be read.

    Attributes:
        synsets: Names of the class folders.
        items: Path and label of each image.
    """

    def __init__(
        self, root: str | os.PathLike[str], flag: int = 1, transform: _Transform = None
    ) -> None:
        self._root = expanded(local_path(root))
        self._flag = flag
        self._transform = transform
        self.synsets: list[str] = []
        self.items: list[tuple[str, int]] = []
        self._exts = [*_IMAGES]
        self._list_images(str(self._root))

    def _list_images(self, root: str) -> None:
        """Set ``synsets`` and ``items`` from files with extensions ``_exts``; may be overridden."""
        with os_errors():
            # Sorted, so that labels do not depend on the file system.
            folders = sorted(Path(root).iterdir())
        for folder in folders:
            if not folder.is_dir():
                warn(f"{folder} is left out: it is no folder")
                continue
            for file in sorted(folder.iterdir()):
                if file.suffix.lower() in self._exts:
                    self.items.append((str(file), len(self.synsets)))
                elif file.is_file():
                    warn(f"{file} is left out: neither JPEG nor PNG")
            self.synsets.append(folder.name)

    def __getitem__(self, idx: int) -> Any:
        path, label = self.items[idx]
        image = imread(path, self._flag)
        return (image, label) if self._transform is None else self._transform(image, label)

    def __len__(self) -> int:
        return len(self.items)
