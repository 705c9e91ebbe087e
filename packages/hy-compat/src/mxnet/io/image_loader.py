"""Base class of iterators over images in record files: reading, decoding, batching."""

import random
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon.batches import DataDesc
from hy_io import IRHeader, named_source, open_image
from hy_ndarray import ArgumentError, ShapeError, nd
from mxnet.io.buffers import Buffers
from mxnet.io.geometry import Pixels
from mxnet.io.image_records import ImageRecords
from mxnet.io.mx_data_iter import Loaded
from mxnet.io.prefetcher import processors
from mxnet.io.stream import Batch, Position, SampleStream

__all__ = ["ImageLoader", "bands_of", "pixels_of"]

_MAX_WAITING = 2
"""Batches that a training loop is thought to hold."""
_COLOUR_OF_CHANNELS = {1: 0, 3: 1, 4: -1}


class ImageLoader(ABC):
    """Loader of batches of images in record files; subclasses define augmentation and labels.

    Args:
        wanted: The parameters of the iterator.
        dtypes: Supported dtypes by name.
    """

    def __init__(self, wanted: Any, dtypes: tuple[str, ...]) -> None:
        self.shape: tuple[int, ...] = wanted.data_shape
        dtype = wanted.dtype or "float32"
        if (
            len(self.shape) != 3  # noqa: PLR2004
            or self.shape[0] not in _COLOUR_OF_CHANNELS
            or min(self.shape) < 1
        ):
            raise ArgumentError(
                f"data_shape must be channels (1, 3 or 4), height and width, not {self.shape}"
            )
        if dtype not in dtypes:
            raise ArgumentError(f"dtype must be one of {dtypes}, not {dtype!r}")
        self.dtype = np.dtype(dtype)
        self.records = ImageRecords.open(
            wanted.path_imgrec, wanted.path_imgidx, wanted.num_parts, wanted.part_index
        )
        self.stream = SampleStream(
            len(self.records),
            wanted.batch_size,
            last_batch="round" if wanted.round_batch else "pad",
            shuffle=wanted.shuffle,
            seed=wanted.seed,
        )
        self.threads = max(1, min(wanted.preprocess_threads, processors()))
        # Enough for all threads to be busy.
        self.ahead = max(wanted.prefetch_buffer, self.threads)
        whole = (wanted.batch_size, *self.shape)
        self._buffers = Buffers(
            whole, self.dtype, max_buffers=self.ahead + self.threads + _MAX_WAITING
        )
        self._seed = wanted.seed if wanted.seed_aug is None else wanted.seed_aug

    def described(self) -> tuple[DataDesc, DataDesc]:
        """Return the descriptions of data and label."""
        size = self.stream.batch_size
        return (
            DataDesc("data", (size, *self.shape), self.dtype.type),
            DataDesc("label", (size, *self.label_shape), np.float32),
        )

    @property
    @abstractmethod
    def label_shape(self) -> tuple[int, ...]:
        """Return the shape of the label of one image."""

    @abstractmethod
    def write(
        self, target: npt.NDArray[Any], image: Any, header: IRHeader, rng: random.Random
    ) -> Any:
        """Write a Pillow image to its position ``[channels, height, width]``; return its label."""

    def load(self, batch: Batch) -> Loaded:
        """Decode the images of a batch."""
        size = self.stream.batch_size
        data = self._buffers.take()
        # Rows of a short batch are zeros.
        data[len(batch.samples) :] = 0
        label = np.zeros((size, *self.label_shape), np.float32)
        index = np.zeros(size, np.uint64)
        for row, (sample, position) in enumerate(zip(batch.samples, batch.positions, strict=True)):
            try:
                header, image = self.image_of(int(sample))
                label[row] = self.write(data[row], image, header, self.random(position))
            except (ShapeError, ArgumentError) as error:
                error.add_note(self.records.name(int(sample)))
                raise
            index[row] = header.id
        loaded = Loaded(nd.from_numpy(data.view()), nd.from_numpy(label), index)  # data is reused
        self._buffers.keep(data)
        return loaded

    def random(self, position: Position) -> random.Random:
        """Return a random generator for an image, seeded by seed, epoch and position."""
        # One seed out of three numbers that cannot overlap.
        return random.Random(((self._seed % 2**64) << 128) + (position[0] << 64) + position[1])  # noqa: S311

    def image_of(self, sample: int) -> tuple[IRHeader, Any]:
        """Return the header of a record, and its image with the channels of the batch.

        Raises:
            FileFormatError: The record is damaged; names the record.
            ShapeError: The image has other channels.
        """
        header, content = self.records.read(sample)
        with named_source(self.records.name(sample)):
            return header, self.decoded(content)

    def decoded(self, content: bytes) -> Any:
        """Return an encoded image as a Pillow image with the channels of the batch."""
        channels = self.shape[0]
        image = open_image(content, _COLOUR_OF_CHANNELS[channels])
        bands = len(image.getbands())
        if bands != channels:
            raise ShapeError(f"the image has {bands} channels, but data_shape has {channels}")
        return image


def pixels_of(image: Any) -> Pixels:
    """Return the pixels of a Pillow image, ``[height, width, channels]``."""
    return np.asarray(image).reshape(image.height, image.width, -1)


def bands_of(pixels: Pixels) -> list[npt.NDArray[np.uint8]]:
    """Return the channels of an image as arrays ``[height, width]``."""
    return [pixels[:, :, channel] for channel in range(pixels.shape[2])]
