"""Files of datasets and models: downloaded if missing, and read."""

import bz2
import logging
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon import utils
from hy_gluon.batches import DataBatch, DataIter
from hy_io import FileLimitError, load_idx, read_expanded
from hy_ndarray import HyError
from mxnet.io import MNISTIter, MXDataIter

__all__ = [
    "DummyIter",
    "download",
    "download_model",
    "get_bz2_data",
    "get_cifar10",
    "get_im2rec_path",
    "get_mnist",
    "get_mnist_iterator",
    "get_mnist_pkl",
    "get_mnist_ubyte",
    "get_zip_data",
]

_log = logging.getLogger(__name__)

_MNIST = "http://data.mxnet.io/data/mnist/"
_MODELS = "http://data.mxnet.io/models/"
_RESNETS = {
    **{f"imagenet1k-resnet-{n}": f"imagenet/resnet/{n}-layers/resnet-{n}" for n in (18, 34, 50)},
    **{f"imagenet1k-resnet-{n}": f"imagenet/resnet/{n}-layers/resnet-{n}" for n in (101, 152)},
    **{f"imagenet1k-resnext-{n}": f"imagenet/resnext/{n}-layers/resnext-{n}" for n in (50, 101)},
    "imagenet1k-resnext-101-64x4d": "imagenet/resnext/101-layers/resnext-101-64x4d",
    "imagenet11k-resnet-152": "imagenet-11k/resnet-152/resnet-152",
    "imagenet11k-place365ch-resnet-152": "imagenet-11k-place365-ch/resnet-152",
    "imagenet11k-place365ch-resnet-50": "imagenet-11k-place365-ch/resnet-50",
}


def _known_models() -> dict[str, dict[str, str]]:
    known = {
        name: {"symbol": f"{_MODELS}{path}-symbol.json", "params": f"{_MODELS}{path}-0000.params"}
        for name, path in _RESNETS.items()
    }
    inception = f"{_MODELS}imagenet/inception-bn/Inception-BN"
    known["imagenet1k-inception-bn"] = {
        "symbol": f"{inception}-symbol.json",
        "params": f"{inception}-0126.params",
    }
    return known


class DatasetError(HyError, ValueError):
    """A file of a dataset is invalid."""


def download(
    url: str,
    fname: str | None = None,
    dirname: str | None = None,
    overwrite: bool = False,
    retries: int = 5,
) -> str:
    """Download a file unless it exists, and return its path.

    Args:
        url: URL of the file.
        fname: Local name; the last part of ``url`` if None.
        dirname: Target folder, created if missing; the current folder if None.
        overwrite: Download the file even if it exists.
        retries: Number of retries.

    Returns:
        Path of the file.

    Raises:
        HyError: The download failed.
    """
    path = Path(dirname or "") / (fname or url.rsplit("/", maxsplit=1)[-1])
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or overwrite:
        utils.download(url, path=str(path), overwrite=overwrite, retries=retries)
        _log.info("downloaded %s into %s successfully", url, path)
    return str(path)


def get_zip_data(data_dir: str, url: str, data_origin_name: str) -> None:
    """Download and unpack an archive, unless ``data_origin_name`` exists.

    Raises:
        DatasetError: The file is not a zip archive, or has members outside of the folder.
    """
    folder = Path(data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / data_origin_name
    if not archive.exists():
        download(url, fname=archive.name, dirname=data_dir)
    try:
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                # extractall would drop the dots of such a member and write it elsewhere without a
                # word.
                if not (folder / name).resolve().is_relative_to(folder.resolve()):
                    raise DatasetError(f"{archive}: member {name!r} would be outside of {folder}")
            opened.extractall(folder)
    except zipfile.BadZipFile as error:
        raise DatasetError(f"{archive} is no zip archive: {error}") from error


def get_bz2_data(data_dir: str, data_name: str, url: str, data_origin_name: str) -> None:
    """Download and decompress a file to ``data_name``, unless that exists.

    Raises:
        DatasetError: The file is not compressed by bzip2.
        FileLimitError: The decompressed file would be far larger than the compressed one.
    """
    folder = Path(data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    unpacked, packed = folder / data_name, folder / data_origin_name
    if unpacked.exists():
        return
    download(url, fname=data_origin_name, dirname=data_dir)
    try:
        with bz2.open(packed) as source:
            # Bounded: a small file may expand to more than the memory.
            content = read_expanded(source, packed)
    except FileLimitError:
        raise
    except (OSError, EOFError, ValueError) as error:
        raise DatasetError(f"{packed} is not compressed by bzip2: {error}") from error
    unpacked.write_bytes(content)
    packed.unlink()


def get_mnist() -> dict[str, npt.NDArray[Any]]:
    """Return the MNIST dataset from four files in the current folder, downloaded if missing.

    Returns:
        ``train_data`` and ``test_data``, ``[N, 1, 28, 28]``, float32 from 0 to 1; ``train_label``
        and ``test_label``, ``[N]``, int8.

    Raises:
        DatasetError: The numbers of labels and images differ.
        FileFormatError: A file is damaged.
    """
    arrays = {}
    for kind, name in (("train", "train"), ("test", "t10k")):
        labels = load_idx(download(f"{_MNIST}{name}-labels-idx1-ubyte.gz"), axes=1)
        images = load_idx(download(f"{_MNIST}{name}-images-idx3-ubyte.gz"), axes=3)
        if len(labels) != len(images):
            raise DatasetError(f"MNIST, {name}: {len(labels)} labels for {len(images)} images")
        arrays[f"{kind}_data"] = images[:, None].astype(np.float32) / 255
        arrays[f"{kind}_label"] = labels.astype(np.int8)
    return arrays


def get_mnist_pkl() -> None:
    """Download ``data/mnist.pkl.gz`` unless it exists."""
    if not Path("data/mnist.pkl.gz").exists():
        download("http://deeplearning.net/data/mnist/mnist.pkl.gz", dirname="data")


def get_mnist_ubyte() -> None:
    """Download and unpack MNIST into ``data`` unless its four files exist."""
    names = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    if not all(Path("data", f"{name}-ubyte").exists() for name in names):
        get_zip_data("data", "http://data.mxnet.io/mxnet/data/mnist.zip", "mnist.zip")


def get_cifar10() -> None:
    """Download and unpack CIFAR-10 as ``data/cifar`` unless its records exist."""
    names = ("train.rec", "test.rec", "train.lst", "test.lst")
    if not all(Path("data", "cifar", name).exists() for name in names):
        get_zip_data("data", "http://data.mxnet.io/mxnet/data/cifar10.zip", "cifar10.zip")


def download_model(
    model_name: str,
    dst_dir: str = "./",
    meta_info: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[str | None, int]:
    """Download a model's symbol and parameters, and return the checkpoint's prefix and epoch.

    Args:
        model_name: Name such as ``"imagenet1k-resnet-18"``.
        dst_dir: Target folder.
        meta_info: URLs ``"symbol"`` and ``"params"`` by name of model; MXNet's if None.

    Returns:
        The prefix and number of the checkpoint; (None, 0) if there is no such model.
    """
    known = _known_models() if meta_info is None else meta_info
    if model_name not in known:
        return None, 0
    prefix = str(Path(dst_dir) / model_name) if dst_dir != "./" else f"./{model_name}"
    download(known[model_name]["symbol"], f"{prefix}-symbol.json")
    download(known[model_name]["params"], f"{prefix}-0000.params")
    return prefix, 0


def get_mnist_iterator(
    batch_size: int, input_shape: Sequence[int], num_parts: int = 1, part_index: int = 0
) -> tuple[MXDataIter, MXDataIter]:
    """Return iterators over MNIST in the folder ``data``, downloaded if missing.

    Args:
        batch_size: Number of images in a batch.
        input_shape: Shape of an image: ``(1, 28, 28)``, or ``(784,)`` for rows of pixels.
        num_parts: Number of parts of the training images.
        part_index: Index of the part to use.

    Returns:
        Iterators over training (shuffled) and validation images; see :func:`mxnet.io.MNISTIter`.
    """
    get_mnist_ubyte()
    flat = len(input_shape) != 3  # noqa: PLR2004  # channels, height, width

    def images(name: str, **options: Any) -> MXDataIter:
        return MNISTIter(
            image=f"data/{name}-images-idx3-ubyte",
            label=f"data/{name}-labels-idx1-ubyte",
            input_shape=tuple(input_shape),
            batch_size=batch_size,
            flat=flat,
            num_parts=num_parts,
            part_index=part_index,
            **options,
        )

    return images("train", shuffle=True), images("t10k", shuffle=False)


def get_im2rec_path(home_env: str = "MXNET_HOME") -> str:
    """Return the path of the script ``im2rec``: in MXNet's folder ``tools``, or hy's.

    Args:
        home_env: Environment variable with MXNet's folder.

    Raises:
        OSError: The folder does not contain the script.
    """
    home = os.environ.get(home_env)
    if home is None:
        return str(Path(__file__).parents[1] / "tools" / "im2rec.py")
    path = Path(home, "tools", "im2rec.py")
    if not path.is_file():
        raise OSError(f"{path} is not there; unset {home_env} to use hy's own im2rec")
    return str(path)


class DummyIter(DataIter):
    """Iterator that repeats the first batch of another iterator, for timing without loading.

    Args:
        real_iter: The other iterator, a :class:`mxnet.io.DataIter`.
    """

    def __init__(self, real_iter: Any) -> None:
        super().__init__(real_iter.batch_size)
        self.real_iter = real_iter
        self.provide_data = real_iter.provide_data
        self.provide_label = real_iter.provide_label
        self.the_batch: DataBatch = next(real_iter)

    def next(self) -> DataBatch:
        """Return the first batch of the other iterator."""
        return self.the_batch
