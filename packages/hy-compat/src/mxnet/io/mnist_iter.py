"""MNISTIter: batches of images of handwritten digits."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hy_io import load_idx
from hy_ndarray import ShapeError
from mxnet.io.mx_data_iter import MXDataIter
from mxnet.io.stream import SampleStream, check_part
from mxnet.io.tables import Table
from mxnet.io.values import read_parameters

__all__ = ["MNISTIter"]


@dataclass(frozen=True, slots=True)
class _Parameters:
    image: str = "./train-images-idx3-ubyte"
    label: str = "./train-labels-idx1-ubyte"
    batch_size: int = 128
    shuffle: bool = True
    flat: bool = False
    seed: int = 0
    silent: bool = False
    num_parts: int = 1
    part_index: int = 0
    prefetch_buffer: int = 4
    ctx: str = "cpu"
    dtype: str | None = None
    input_shape: tuple[int, ...] | None = None
    data_name: str = "data"
    label_name: str = "softmax_label"


def MNISTIter(**kwargs: Any) -> MXDataIter:  # noqa: N802  # MXNet's name
    """Return an iterator over the MNIST files; an incomplete last batch is discarded.

    Args:
        kwargs: ``image`` and ``label``: the files, possibly compressed by gzip; ``batch_size``;
            ``shuffle``: whether to shuffle once, with ``seed``; ``flat``: whether an image is one
            row of pixels; ``num_parts`` and ``part_index``: number and index of the part to read;
            ``data_name``; ``label_name``. Other parameters of MXNet have no effect.

    Returns:
        Batches of ``[batch_size, 1, height, width]``, or flat ``[batch_size, height * width]``,
        from 0 to below 1, with labels ``[batch_size]``; float32.

    Raises:
        ArgumentError: A parameter is of another type, or there is no such part.
        FileFormatError: A file is not in MNIST's format, or truncated.
        ShapeError: The numbers of labels and images differ.
        OSError: A file cannot be read.
    """
    wanted = read_parameters(_Parameters, "MNISTIter", kwargs)
    check_part(wanted.num_parts, wanted.part_index)
    images, labels = load_idx(wanted.image, axes=3), load_idx(wanted.label, axes=1)
    if len(images) != len(labels):
        raise ShapeError(
            f"MNISTIter: {wanted.image} has {len(images)} images, but {wanted.label} has "
            f"{len(labels)} labels"
        )
    order = np.arange(len(images))
    if wanted.shuffle:
        np.random.default_rng(wanted.seed % 2**64).shuffle(order)
    # Parts differ by one sample at most.
    first, last = (len(order) * (wanted.part_index + i) // wanted.num_parts for i in range(2))
    taken = order[first:last]
    # MXNet divides by 256, not by 255.
    pixels = images[taken].astype(np.float32) / 256
    shape = (-1,) if wanted.flat else (1, *pixels.shape[1:])
    stream = SampleStream(len(taken), wanted.batch_size, last_batch="discard")
    table = Table(stream, pixels.reshape(len(taken), *shape), labels[taken].astype(np.float32))
    return MXDataIter(table, wanted.data_name, wanted.label_name)
