"""ImageIter: batches of images from record files, lists or folders, augmented in Python."""

import logging
import random
from collections.abc import Callable, Sequence
from math import prod
from os import fspath
from pathlib import Path
from typing import Any, ClassVar, TypeVar

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
from hy_ndarray import ArgumentError, HyError, NDArray, ShapeError, nd

__all__ = ["ImageIter", "InvalidSampleError", "checked", "listing", "name_of"]

_HANDLES = ("pad", "discard", "roll_over")
_DTYPES = ("float32", "float64", "int32", "int64")
_LISTED = 5  # samples that a message names
_Result = TypeVar("_Result")


class InvalidSampleError(ShapeError):
    """A sample that iterators skip: an image without axes, or a label without objects."""


class ImageIter(DataIter):
    """Iterator over batches of images, augmented by Python functions.

    Args:
        batch_size: Number of samples in a batch.
        data_shape: Channels (3 or 1), height and width of augmented images.
        label_width: Number of labels per image.
        path_imgrec: Path of a record file.
        path_imglist: Path of a list file with lines ``number<TAB>label<TAB>…<TAB>path``.
        path_root: Folder to which paths in a list are relative.
        path_imgidx: Index of the record file; required to shuffle or partition records.
        shuffle: Use a new order in each epoch, drawn by Python's ``random``.
        part_index: Index of the part to read.
        num_parts: Number of parts of equal size; remaining samples are left out.
        aug_list: The augmenters; those of :func:`CreateAugmenter` if None.
        imglist: List in memory, with items ``[label, ..., path]`` or ``[[label, ...], path]``.
        data_name: Name of the data.
        label_name: Name of the label.
        dtype: Dtype of the labels.
        last_batch_handle: Handling of an incomplete last batch: ``pad`` fills it with samples from
            the beginning, ``discard`` drops it, ``roll_over`` keeps its samples for the next epoch.
        kwargs: Arguments of :func:`CreateAugmenter`.

    Raises:
        ArgumentError: Arguments are missing or contradictory.
        ShapeError: ``data_shape`` is not the shape of an image.
        OSError: A file cannot be opened.

    Example:
        >>> from PIL import Image
        >>> Image.new("RGB", (4, 4), (255, 0, 0)).save("red.png")
        >>> batches = ImageIter(1, (3, 2, 2), imglist=[[7, "red.png"]], path_root=".")
        >>> batch = next(batches)
        >>> batch.data[0].shape, batch.label[0].asnumpy()
        ((1, 3, 2, 2), array([7.], dtype=float32))
    """

    _LABEL_FILL: ClassVar[float] = 0

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
        if path_imgrec and path_imgidx:
            indexed = MXIndexedRecordIO(path_imgidx, path_imgrec, "r")
            self.imgrec, self.imgidx = indexed, list(indexed.keys)
        elif path_imgrec:
            self.imgrec = MXRecordIO(path_imgrec, "r")
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
        keys = self.imgidx if self.imgrec is not None else [*(self.imglist or ())]
        self.seq = _part_of(keys, num_parts, part_index, shuffle)
        self.auglist: Sequence[Any] = (
            CreateAugmenter(self.data_shape, **kwargs) if aug_list is None else aug_list
        )
        self.cur = 0
        self.last_batch_handle = last_batch_handle
        self.num_image = None if self.seq is None else len(self.seq)
        self._allow_read = True
        # What an incomplete batch had, and how many samples: the next epoch begins with them.
        self._cache_data: NDArray | None = None
        self._cache_label: NDArray | None = None
        self._cache_idx = 0
        self._used = 0  # samples of this epoch
        self._left_out: list[str] = []
        self._reason: Exception | None = None  # of the last one
        self.reset()

    def reset(self) -> None:
        """Start the next epoch, with the previous one's remaining samples if they roll over."""
        if self.seq is not None and self.shuffle:
            # Python's generator, as in MXNet: `random.seed` gives MXNet's order.
            random.shuffle(self.seq)
        _rewind(self)
        self._allow_read = True
        self._used, self._left_out = 0, []

    def hard_reset(self) -> None:
        """Start the next epoch, dropping samples that would roll over."""
        self._cache_data = self._cache_label = None
        _rewind(self)
        self._allow_read = True
        self._used, self._left_out = 0, []

    def next_sample(self) -> tuple[Any, bytes]:
        """Return label and encoded image of the next sample.

        Raises:
            StopIteration: There are no more samples.
        """
        # That batch ended the epoch, though it stands at the begin of the data again.
        if not self._allow_read:
            raise StopIteration
        if self.seq is None:
            assert self.imgrec is not None
            record = self.imgrec.read()
            if record is None:
                raise StopIteration
            self.cur += 1
            with named_source(name_of(self)):
                header, image = unpack(record)
            return header.label, image
        if self.cur >= len(self.seq):
            raise StopIteration
        key = self.seq[self.cur]
        self.cur += 1
        if isinstance(self.imgrec, MXIndexedRecordIO):
            record = self.imgrec.read_idx(key)
            with named_source(name_of(self)):
                header, image = unpack(record)
            return header.label if self.imglist is None else self.imglist[key][0], image
        assert self.imglist is not None
        label, path = self.imglist[key]
        return label, self.read_image(path)

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: There are no more batches.
            FileFormatError: An image is damaged; names it.
            InvalidSampleError: All samples of the epoch were skipped.
        """
        if self._cache_data is None or self._cache_label is None:
            data = nd.zeros(self.provide_data[0].shape)
            (description,) = self.provide_label
            label = nd.full(description.shape, self._LABEL_FILL, dtype=description.dtype)
            new = 0
            count = self._batchify(data, label)
        else:
            data, label = self._cache_data, self._cache_label
            self._cache_data = self._cache_label = None
            # MXNet gives as the pad of a batch that rolled over how many samples are new.
            new = self.batch_size - self._cache_idx
            count = self._batchify(data, label, self._cache_idx)
        missing = self.batch_size - count
        if missing and self.last_batch_handle != "pad":
            if self.last_batch_handle == "roll_over":
                self._cache_data, self._cache_label, self._cache_idx = data, label, count
            raise StopIteration
        while count < self.batch_size:  # perhaps several times
            _rewind(self)
            before, count = count, self._batchify(data, label, count)
            # Else an epoch without a usable sample would be read for ever.
            if count == before:
                raise self._nothing_left() from self._reason
        # A batch that was filled up is the last one of its epoch.
        self._allow_read = not missing
        return DataBatch([shown(data)], [shown(label)], pad=missing or new)

    def _batchify(self, batch_data: NDArray, batch_label: NDArray, start: int = 0) -> int:
        """Write augmented samples into a batch until it is full or the epoch ends.

        Args:
            batch_data: ``[batch_size, channels, height, width]``.
            batch_label: ``[batch_size, *]``.
            start: Position in the batch of the first sample to write.

        Returns:
            Number of samples then in the batch.

        Raises:
            StopIteration: The batch has no samples, as the epoch ended.
            InvalidSampleError: The batch has no samples, as all of the epoch were skipped.
        """
        count = start
        while count < self.batch_size:
            try:
                sample = self._read_sample()
            except StopIteration:
                if not count and self._left_out and not self._used:
                    raise self._nothing_left() from self._reason
                if not count:
                    raise
                break
            if sample is not None:
                array = _of_sample(self, self.postprocess_data, sample[0])
                if array.shape != self.data_shape:
                    raise ShapeError(
                        f"{name_of(self)}: the augmenters give images of shape {array.shape}, but "
                        f"data_shape is {self.data_shape}"
                    )
                batch_data[count] = array
                self._write_label(batch_label, count, sample[1])
                self._used += 1
                count += 1
        return count

    def _read_sample(self) -> tuple[Any, Any] | None:
        """Return image and label of the next sample, augmented; None for a skipped sample."""
        label, content = self.next_sample()
        with named_source(name_of(self)):
            data = _of_sample(self, self.imdecode, content)
        try:
            return _of_sample(self, self._prepare, data, label)
        except InvalidSampleError as error:
            logging.debug("Invalid image, skipping: %s: %s", name_of(self), error)
            self._left_out.append(f"{name_of(self)}: {error}")
            self._reason = error.with_traceback(None)  # whose frames have the image
            return None

    def _prepare(self, data: Any, label: Any) -> tuple[Any, Any]:
        """Return image and label of a sample after checks and augmentation."""
        checked(self.check_valid_image, data)
        return self.augmentation_transform(data), label

    def _write_label(self, batch_label: NDArray, row: int, label: Any) -> None:
        values = _numpy(label).astype(batch_label.dtype)
        shape = batch_label.shape[1:]
        if values.size not in {1, prod(shape)}:
            raise ShapeError(
                f"{name_of(self)}: has {values.size} labels, but label_width is {self.label_width}"
            )
        batch_label[row] = values.reshape(shape) if values.size == prod(shape) else values.item()

    def _nothing_left(self) -> InvalidSampleError:
        return InvalidSampleError(
            f"{type(self).__name__}: no sample of this epoch can be used: {listing(self._left_out)}"
        )

    def check_data_shape(self, data_shape: Any) -> None:
        """Raise an error if ``data_shape`` is not (channels, height, width).

        Raises:
            ShapeError: The shape does not have three sizes, or the channels are neither 1 nor 3.
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
        """Raise an error if an image has no axes.

        Raises:
            InvalidSampleError: The image has no axes; its sample is skipped.
        """
        if len(data[0].shape) == 0:
            raise InvalidSampleError("Data shape is wrong")

    def imdecode(self, s: bytes) -> NDArray:
        """Return the image ``[height, width, 3]`` decoded from bytes."""
        # A public method, as its neighbours: subclasses of programs replace them, as in MXNet.
        return imdecode(s)

    def read_image(self, fname: str) -> bytes:
        """Return the content of an image file, by its path in the list."""
        return read_file(_path(self, fname))

    def augmentation_transform(self, data: Any) -> Any:
        """Return the image after the augmenters."""
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: Any) -> Any:
        """Return an image ``[height, width, channels]`` as ``[channels, height, width]``."""
        return nd.transpose(datum, axes=(2, 0, 1))


def checked(check: Callable[[Any], _Result], value: Any) -> _Result:
    """Return the result of an overridable check; a RuntimeError in it skips the sample.

    Raises:
        InvalidSampleError: The check raised a RuntimeError.
    """
    try:
        return check(value)
    except InvalidSampleError:
        raise
    except RuntimeError as error:
        raise InvalidSampleError(str(error)) from error


def listing(left_out: Sequence[str]) -> str:
    """Return a text with the number of skipped samples, and the names of the first ones."""
    first = "; ".join(left_out[:_LISTED])
    more = "; …" if len(left_out) > _LISTED else ""
    return f"{len(left_out)} left out: {first}{more}"


def _of_sample(batches: ImageIter, step: Callable[..., _Result], *args: Any) -> _Result:
    """Return the result of a user-definable step; its errors get a note that names the sample."""
    try:
        return step(*args)
    except StopIteration as error:  # it would look like the end of the epoch
        raise HyError(
            f"{name_of(batches)}: an augmenter, or a method of {type(batches).__name__}, raised "
            "StopIteration: a call of next() found nothing more; give it a default"
        ) from error
    except InvalidSampleError:
        raise
    except Exception as error:
        error.add_note(f"sample {batches.cur - 1} of the epoch, {name_of(batches)}")
        raise


def _part_of(
    keys: list[Any] | None, num_parts: int, part_index: int, shuffle: bool
) -> list[Any] | None:
    """Return the keys of the samples of one part; None to read all records in order."""
    if not 0 <= part_index < num_parts:
        raise ArgumentError(
            f"ImageIter: part_index must be within 0 to num_parts - 1, not {part_index}"
        )
    if keys is None:
        if shuffle or num_parts > 1:
            raise ArgumentError(
                "ImageIter: to shuffle or divide records path_imgidx is needed; make one with "
                "`hy-io rec reindex`"
            )
        return None
    # Equal parts, as in MXNet; up to num_parts - 1 samples at the end belong to none, so that
    # workers have equally many steps.
    size = len(keys) // num_parts
    return keys[part_index * size : (part_index + 1) * size] if num_parts > 1 else keys


def _rewind(batches: ImageIter) -> None:
    if batches.imgrec is not None and batches.seq is None:
        batches.imgrec.reset()
    batches.cur = 0


def _path(batches: ImageIter, name: str) -> Path:
    return local_path(batches.path_root or "") / local_path(name)


def name_of(batches: ImageIter) -> str:
    """Return the file or record of the last sample, for messages."""
    number = batches.cur - 1
    if batches.seq is None or not 0 <= number < len(batches.seq):  # or a subclass reads its own
        source = type(batches).__name__ if batches.imgrec is None else batches.imgrec.uri
        return f"{source}: record {number}"
    key = batches.seq[number]
    if isinstance(batches.imgrec, MXIndexedRecordIO):
        return f"{batches.imgrec.uri}: record {key!r} at byte {batches.imgrec.idx[key]}"
    assert batches.imglist is not None
    return fspath(_path(batches, batches.imglist[key][1]))


def _read_list(path: str, dtype: str) -> dict[Any, tuple[Any, str]]:
    images: dict[Any, tuple[Any, str]] = {}
    # Kept for the message, which says at which byte a bad line begins.
    offset = 0
    for line in read_file(path).splitlines(keepends=True):
        cells = line.strip().decode().split("\t")
        if line.strip():
            try:
                labels = nd.array([float(cell) for cell in cells[1:-1]], dtype=dtype)
                images[int(cells[0])] = labels, cells[-1]
            except ValueError:
                expected = "a number, labels and a path with tabs between them"
                raise FileFormatError(
                    fspath(path), offset, "line", expected, repr(line[:60])
                ) from None
        offset += len(line)
    return images


def _named_list(rows: Sequence[Any], dtype: str) -> dict[Any, tuple[Any, str]]:
    images: dict[Any, tuple[Any, str]] = {}
    for number, (*labels, path) in enumerate(rows, 1):
        flat = [value for each in labels for value in np.ravel(_numpy(each)).tolist()]
        images[str(number)] = nd.array(flat, dtype=dtype), path
    return images


def _numpy(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
