"""ImageIter: batches of images in record files, lists or folders, augmented one by one."""

import logging
import random
from collections.abc import Sequence
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from hy_gluon.batches import DataBatch, DataDesc, DataIter
from hy_gluon.image.color_augmenters import CreateAugmenter
from hy_gluon.image.reading import imdecode
from hy_gluon.parameter.arrays import shown
from hy_io import (
    FileFormatError,
    MXIndexedRecordIO,
    MXRecordIO,
    local_path,
    named_source,
    read_file,
    unpack,
)
from hy_ndarray import ArgumentError, NDArray, ShapeError, nd

__all__ = ["ImageIter", "InvalidSampleError"]

_HANDLES = ("pad", "discard", "roll_over")
_DTYPES = ("float32", "float64", "int32", "int64")


class InvalidSampleError(ShapeError):
    """A sample that iterators leave out: an image without axes, or a label without objects."""


class ImageIter(DataIter):
    """Batches of images, each augmented by functions of Python.

    Args:
        batch_size: Samples in a batch.
        data_shape: Channels (3 or 1), height and width of what the augmenters give.
        label_width: Labels of an image.
        path_imgrec: A file of records.
        path_imglist: A list: lines ``number<TAB>label<TAB>…<TAB>path``.
        path_root: The folder of the paths of a list.
        path_imgidx: The index of the records; needed to shuffle or divide them.
        shuffle: Whether to draw another order for each epoch, with Python's ``random``.
        part_index: Which of several parts is taken.
        num_parts: In how many parts the samples are divided; the rest is left out.
        aug_list: The augmenters; None for those of :func:`CreateAugmenter`.
        imglist: A list in memory: lists of labels and a path, or of one list of labels and a path.
        data_name: The name of the data.
        label_name: The name of the label.
        dtype: The dtype of labels.
        last_batch_handle: What to do with too few samples at the end: ``pad`` fills the batch with
            samples of the begin, ``discard`` leaves them out, ``roll_over`` keeps them for the
            begin of the next epoch.
        kwargs: Arguments of :func:`CreateAugmenter`.

    Raises:
        ArgumentError: Arguments are missing, or do not go together.
        ShapeError: ``data_shape`` is no shape of an image.
        OSError: A file cannot be opened.

    Example:
        >>> from PIL import Image
        >>> Image.new("RGB", (4, 4), (255, 0, 0)).save("red.png")
        >>> batches = ImageIter(1, (3, 2, 2), imglist=[[7, "red.png"]], path_root=".")
        >>> batch = next(batches)
        >>> batch.data[0].shape, batch.label[0].asnumpy()
        ((1, 3, 2, 2), array([7.], dtype=float32))
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, ...],
        label_width: int = 1,
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: Sequence[Any] | None = None,
        imglist: Sequence[Any] | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: str = "float32",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(batch_size)
        if not path_imgrec and not path_imglist and not isinstance(imglist, list):
            raise ArgumentError("ImageIter needs path_imgrec, path_imglist or a list as imglist")
        for name, value, known in (
            ("dtype", dtype, _DTYPES),
            ("last_batch_handle", last_batch_handle, _HANDLES),
        ):
            if value not in known:
                raise ArgumentError(f"ImageIter: {name} must be one of {known}, not {value!r}")
        self.imgrec: MXRecordIO | None = None
        self.imgidx: list[Any] | None = None
        if path_imgrec:
            self._open(path_imgrec, path_imgidx)
        self.imglist: dict[Any, tuple[Any, str]] | None = None
        if path_imglist:
            self.imglist = _read_list(path_imglist, dtype)
        elif isinstance(imglist, list):
            self.imglist = _named_list(imglist, dtype)
        self.path_root = path_root
        self.check_data_shape(data_shape)
        channels, height, width = data_shape
        self.data_shape = (channels, height, width)
        self.label_width = label_width
        labels = (batch_size,) if label_width == 1 else (batch_size, label_width)
        self.provide_data = [DataDesc(data_name, (batch_size, *self.data_shape))]
        self.provide_label = [DataDesc(label_name, labels, np.dtype(dtype).type)]
        self.shuffle = shuffle
        self.seq = self._sequence(num_parts, part_index)
        self.auglist: Sequence[Any] = (
            CreateAugmenter(self.data_shape, **kwargs) if aug_list is None else aug_list
        )
        self.cur = 0
        self.last_batch_handle = last_batch_handle
        self.num_image = None if self.seq is None else len(self.seq)
        self._kept: list[tuple[Any, NDArray]] = []
        self._ended = False
        self.reset()

    def _open(self, path: str, index: str | None) -> None:
        if index:
            indexed = MXIndexedRecordIO(index, path, "r")
            self.imgrec, self.imgidx = indexed, list(indexed.keys)
        else:
            self.imgrec = MXRecordIO(path, "r")

    def _sequence(self, num_parts: int, part_index: int) -> list[Any] | None:
        """The keys of the samples of this part; None for all records in order."""
        if not 0 <= part_index < num_parts:
            raise ArgumentError(
                f"ImageIter: part_index must be within 0 to num_parts - 1, not {part_index}"
            )
        if self.imgrec is None:
            assert self.imglist is not None
            keys: list[Any] | None = list(self.imglist)
        else:
            keys = self.imgidx
        if keys is None:
            if self.shuffle or num_parts > 1:
                raise ArgumentError(
                    "ImageIter: to shuffle or divide records path_imgidx is needed; make one with "
                    "`hy-io rec reindex`"
                )
            return None
        size = len(keys) // num_parts
        return keys[part_index * size : (part_index + 1) * size] if num_parts > 1 else keys

    def reset(self) -> None:
        """Begin the next epoch, with the samples that the last one left if they roll over."""
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        self._begin()

    def hard_reset(self) -> None:
        """Begin anew, and forget samples that were kept from the last epoch."""
        self._kept = []
        self._begin()

    def _begin(self) -> None:
        self._rewind()
        self._ended = False

    def _rewind(self) -> None:
        if self.imgrec is not None and self.seq is None:
            self.imgrec.reset()
        self.cur = 0

    def next_sample(self) -> tuple[Any, bytes]:
        """Label and encoded image of the next sample.

        Raises:
            StopIteration: There is none.
        """
        if self.seq is None:
            assert self.imgrec is not None
            record = self.imgrec.read()
            if record is None:
                raise StopIteration
            self.cur += 1
            with named_source(self._name()):
                header, image = unpack(record)
            return header.label, image
        if self.cur >= len(self.seq):
            raise StopIteration
        key = self.seq[self.cur]
        self.cur += 1
        if isinstance(self.imgrec, MXIndexedRecordIO):
            record = self.imgrec.read_idx(key)
            with named_source(self._name()):
                header, image = unpack(record)
            return header.label if self.imglist is None else self.imglist[key][0], image
        assert self.imglist is not None
        label, path = self.imglist[key]
        return label, self.read_image(path)

    def next(self) -> DataBatch:
        """The next batch.

        Raises:
            StopIteration: There is none.
            FileFormatError: An image is damaged; a note tells which.
        """
        if self._ended:
            raise StopIteration
        samples, self._kept = self._kept, []
        new = self.batch_size - len(samples) if samples else 0  # in a batch that began before
        if self._fill(samples):
            return self._batch(samples, new)
        self._ended = True
        missing = self.batch_size - len(samples)
        if not samples or self.last_batch_handle != "pad":
            self._kept = samples if self.last_batch_handle == "roll_over" else []
            raise StopIteration
        is_full = False
        while not is_full:  # perhaps several times
            self._rewind()
            is_full = self._fill(samples)
        return self._batch(samples, missing)

    def _fill(self, samples: list[Any]) -> bool:
        """Add samples until the batch is full; False if there are too few."""
        while len(samples) < self.batch_size:
            try:
                sample = self._sample()
            except StopIteration:
                return False
            if sample is not None:
                samples.append(sample)
        return True

    def _sample(self) -> Any:
        """Label and augmented image; None for an image that is left out."""
        label, content = self.next_sample()
        name = self._name()
        with named_source(name):
            data = self.imdecode(content)
        try:
            self.check_valid_image([data])
            return self._augmented(data, label)
        except InvalidSampleError as error:
            logging.debug("Invalid image, skipping: %s", error)
            return None
        except Exception as error:
            error.add_note(f"sample {self.cur - 1} of the epoch, {name}")
            raise

    def _augmented(self, data: Any, label: Any) -> Any:
        """Label and augmented image."""
        return label, self.augmentation_transform(data)

    def _name(self) -> str:
        """The file or the record of the sample that was read last."""
        number = self.cur - 1
        if self.seq is None or not 0 <= number < len(self.seq):  # or a subclass has its own order
            source = self.imgrec.uri if self.imgrec is not None else type(self).__name__
            return f"{source}: record {number}"
        key = self.seq[number]
        if isinstance(self.imgrec, MXIndexedRecordIO):
            return f"{self.imgrec.uri}: record {key!r} at byte {self.imgrec.idx[key]}"
        assert self.imglist is not None
        return fspath(self._path(self.imglist[key][1]))

    def _path(self, name: str) -> Path:
        return local_path(self.path_root or "") / local_path(name)

    def _batch(self, samples: list[Any], pad: int) -> DataBatch:
        data = self._stacked([image for _, image in samples])
        (description,) = self.provide_label
        label = np.stack([_numpy(each).astype(description.dtype) for each, _ in samples])
        labels = nd.array(label.reshape(description.shape), dtype=description.dtype)
        return DataBatch([data], [shown(labels)], pad=pad)

    def _stacked(self, images: list[Any]) -> NDArray:
        arrays = [self.postprocess_data(image) for image in images]
        for array in arrays:
            if array.shape != self.data_shape:
                raise ShapeError(
                    f"the augmenters give images of shape {array.shape}, but data_shape is "
                    f"{self.data_shape}"
                )
        whole: NDArray = nd.stack(*arrays).astype("float32", copy=False)
        return whole

    def check_data_shape(self, data_shape: Any) -> None:
        """Refuse a shape that is none of an image.

        Raises:
            ShapeError: It does not have three sizes, or neither 1 nor 3 channels.
        """
        if len(data_shape) != 3:  # noqa: PLR2004
            raise ShapeError(
                f"data_shape should have length 3, with dimensions CxHxW, not {data_shape}"
            )
        if data_shape[0] != 3:  # noqa: PLR2004
            raise ShapeError(
                f"This iterator expects inputs to have 3 channels, not {data_shape[0]}"
            )

    def check_valid_image(self, data: Any) -> None:
        """Refuse an image without axes.

        Raises:
            InvalidSampleError: It has none; the image is left out.
        """
        if len(data[0].shape) == 0:
            raise InvalidSampleError("Data shape is wrong")

    def imdecode(self, s: bytes) -> NDArray:
        """The image ``[height, width, 3]`` that encoded bytes hold."""
        return imdecode(s)

    def read_image(self, fname: str) -> bytes:
        """The content of a file of the list."""
        return read_file(self._path(fname))

    def augmentation_transform(self, data: Any) -> Any:
        """The image that the augmenters make."""
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: Any) -> Any:
        """An image ``[height, width, channels]`` as ``[channels, height, width]``."""
        return nd.transpose(datum, axes=(2, 0, 1))


def _read_list(path: str, dtype: str) -> dict[Any, tuple[Any, str]]:
    found: dict[Any, tuple[Any, str]] = {}
    offset = 0
    for line in read_file(path).splitlines(keepends=True):
        cells = line.strip().decode().split("\t")
        if line.strip():
            try:
                labels = nd.array([float(cell) for cell in cells[1:-1]], dtype=dtype)
                found[int(cells[0])] = labels, cells[-1]
            except ValueError:
                expected = "a number, labels and a path with tabs between them"
                raise FileFormatError(
                    fspath(path), offset, "line", expected, repr(line[:60])
                ) from None
        offset += len(line)
    return found


def _named_list(rows: Sequence[Any], dtype: str) -> dict[Any, tuple[Any, str]]:
    found: dict[Any, tuple[Any, str]] = {}
    for number, (*labels, path) in enumerate(rows, 1):
        flat = [value for each in labels for value in np.ravel(_numpy(each)).tolist()]
        found[str(number)] = nd.array(flat, dtype=dtype), path
    return found


def _numpy(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
