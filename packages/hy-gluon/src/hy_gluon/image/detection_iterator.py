"""ImageDetIter: batches of images with bounding boxes of objects."""

import logging
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hy_gluon.batches import DataDesc
from hy_gluon.image.detection_augmenters import DetAugmenter
from hy_gluon.image.detection_drawing import restored, with_boxes
from hy_gluon.image.detection_lists import CreateDetAugmenter
from hy_gluon.image.iterator import ImageIter, InvalidSampleError, checked, listing, name_of
from hy_ndarray import NDArray, ShapeError
from hy_ndarray.warning import warn

__all__ = ["ImageDetIter"]

_BOX = 5  # numbers: class and four edges
_FRONT = 2  # numbers before the objects: their own count, and the length of an object


class ImageDetIter(ImageIter):
    """Iterator over batches of images with bounding boxes of objects.

    A label consists of the length of its header (at least 2), the length of an object (at least 5),
    further header values, and the objects. An object is its class, its left, top, right and bottom
    edge relative to the image's sides, and further values. Samples without objects are skipped with
    a warning that names them.

    Args:
        batch_size: See :class:`ImageIter`.
        data_shape: See :class:`ImageIter`.
        path_imgrec: See :class:`ImageIter`.
        path_imglist: See :class:`ImageIter`.
        path_root: See :class:`ImageIter`.
        path_imgidx: See :class:`ImageIter`.
        shuffle: See :class:`ImageIter`.
        part_index: See :class:`ImageIter`.
        num_parts: See :class:`ImageIter`.
        aug_list: The augmenters; None for those of :func:`CreateDetAugmenter`.
        imglist: See :class:`ImageIter`.
        data_name: See :class:`ImageIter`.
        label_name: See :class:`ImageIter`.
        last_batch_handle: See :class:`ImageIter`.
        kwargs: Arguments of :func:`CreateDetAugmenter`.

    Returns:
        Batches whose labels are ``[batch_size, maximum number of objects, length of an object]``,
        padded with -1.

    Raises:
        InvalidSampleError: No sample has an object.
        OSError: A file cannot be opened.
    """

    _LABEL_FILL: ClassVar[float] = -1

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, ...],
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: Sequence[DetAugmenter] | None = None,
        imglist: Sequence[Any] | None = None,
        data_name: str = "data",
        label_name: str = "label",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            batch_size,
            data_shape,
            path_imgrec=path_imgrec,
            path_imglist=path_imglist,
            path_root=path_root,
            path_imgidx=path_imgidx,
            shuffle=shuffle,
            part_index=part_index,
            num_parts=num_parts,
            # The base must not make augmenters that know no boxes.
            aug_list=[],
            imglist=imglist,
            data_name=data_name,
            label_name=label_name,
            last_batch_handle=last_batch_handle,
        )
        self.auglist = CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        # All labels are read once: batches have one shape, and it is that of the sample with most
        # objects.
        self.label_shape = self._estimate_label_shape()
        self.provide_label = [DataDesc(label_name, (batch_size, *self.label_shape))]

    def _estimate_label_shape(self) -> tuple[int, int]:
        """Return the maximum number of objects of a sample, and the length of an object.

        Raises:
            InvalidSampleError: No sample has an object.
        """
        max_objects, length, count = 0, _BOX, 0
        left_out = []
        self.reset()
        while True:
            try:
                label = self.next_sample()[0]
            except StopIteration:
                break
            count += 1
            try:
                objects = checked(self._parse_label, label)
            except InvalidSampleError as error:
                left_out.append(f"{name_of(self)}: {error}")
                continue
            max_objects, length = max(max_objects, len(objects)), objects.shape[1]
            if not _is_valid(objects).any():
                left_out.append(f"{name_of(self)}: the class of every object is negative")
        self.reset()
        if left_out and len(left_out) == count:
            raise InvalidSampleError(f"ImageDetIter: no sample can be used: {listing(left_out)}")
        if left_out:
            warn(f"ImageDetIter: of {count} samples {listing(left_out)}")
        return max_objects, length

    def _parse_label(self, label: Any) -> npt.NDArray[np.float32]:
        """Return the objects in a label as ``[N, length]``, without those of zero area.

        Raises:
            InvalidSampleError: The label is invalid or has no object.
        """
        numbers = label.asnumpy() if isinstance(label, NDArray) else np.asarray(label)
        raw: npt.NDArray[np.float32] = numbers.ravel().astype(np.float32)
        if raw.size < _FRONT + _BOX:
            raise InvalidSampleError(f"Label shape is invalid: {raw.shape}")
        header, length = int(raw[0]), int(raw[1])
        if header < _FRONT or length < _BOX or (raw.size - header) % length:
            raise InvalidSampleError(
                f"Label shape {raw.shape} inconsistent with annotation width {length} and header "
                f"width {header}"
            )
        objects = raw[header:].reshape(-1, length)
        valid = (objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])
        if not valid.any():
            raise InvalidSampleError("Encounter sample with no valid label.")
        return objects[valid]

    def reshape(
        self, data_shape: tuple[int, ...] | None = None, label_shape: tuple[int, int] | None = None
    ) -> None:
        """Change the shapes of batches; the augmenters must produce them.

        Args:
            data_shape: Channels, height and width.
            label_shape: Number of objects, and length of an object.

        Raises:
            ShapeError: A shape is invalid, or has fewer objects than before.
        """
        if data_shape is not None:
            self.check_data_shape(data_shape)
            name = self.provide_data[0].name
            self.provide_data = [DataDesc(name, (self.batch_size, *data_shape))]
            channels, height, width = data_shape
            self.data_shape = (channels, height, width)
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.label_shape = (label_shape[0], label_shape[1])
            name = self.provide_label[0].name
            self.provide_label = [DataDesc(name, (self.batch_size, *self.label_shape))]

    def check_label_shape(self, label_shape: tuple[int, ...]) -> None:
        """Raise an error if a label shape (objects, length) is invalid.

        Raises:
            ShapeError: The shape is not a pair, the number of objects is too small, or the length
                of an object differs.
        """
        if len(label_shape) != 2:  # noqa: PLR2004
            raise ShapeError(f"label_shape should have length 2, not {label_shape}")
        if label_shape[0] < self.label_shape[0]:
            raise ShapeError(
                f"Attempts to reduce label count from {self.label_shape[0]} to {label_shape[0]}, "
                "not allowed."
            )
        if label_shape[1] != self.label_shape[1]:
            raise ShapeError(
                f"label_shape object width inconsistent: {self.label_shape[1]} vs {label_shape[1]}."
            )

    def sync_label_shape(self, it: Self, verbose: bool = False) -> Self:
        """Set both iterators' number of objects per image to the larger one.

        Returns:
            The other iterator, ``it``.
        """
        shape = (max(self.label_shape[0], it.label_shape[0]), self.label_shape[1])
        for each in (self, it):
            if each.label_shape != shape:
                each.reshape(label_shape=shape)
                if verbose:
                    logging.info("Resized label_shape to %s.", shape)
        return it

    def augmentation_transform(self, data: Any, label: Any = None) -> Any:
        """Return image and objects after the augmenters."""
        for augmenter in self.auglist:
            data, label = augmenter(data, label)
        return data, label

    def _check_valid_label(self, label: Any) -> None:
        """Raise an error if no valid object is left after augmentation.

        Args:
            label: ``[objects, length]``.

        Raises:
            InvalidSampleError: No object has a class of 0 or more and a positive area, or the shape
                is invalid; the sample is skipped.
        """
        if len(label.shape) != 2 or label.shape[1] < _BOX:  # noqa: PLR2004
            raise InvalidSampleError(f"Label with shape (1+, 5+) required, {label} received.")
        if not _is_valid(label).any():
            raise InvalidSampleError("Invalid label occurs.")

    def _prepare(self, data: Any, label: Any) -> tuple[Any, Any]:
        checked(self.check_valid_image, [data])
        objects = checked(self._parse_label, label)
        image, objects = self.augmentation_transform(data, objects)
        checked(self._check_valid_label, objects)
        return image, objects

    def _write_label(self, batch_label: NDArray, row: int, label: Any) -> None:
        # Class -1 marks a row without an object, as MultiBoxTarget expects it.
        objects = np.full(self.label_shape, -1, np.float32)
        objects[: len(label), : label.shape[1]] = label
        batch_label[row] = objects

    def draw_next(
        self,
        color: tuple[int, int, int] | None = None,
        thickness: int = 2,
        mean: Any = None,
        std: Any = None,
        clip: bool = True,
        waitKey: int | None = None,  # noqa: ARG002, N803  # MXNet's, for windows of OpenCV
        window_name: str = "draw_next",  # noqa: ARG002
        id2labels: Any = None,
    ) -> Iterator[npt.NDArray[np.uint8]]:
        """Yield the remaining images of the epoch with their boxes drawn.

        Args:
            color: Red, green and blue of all boxes; None for a colour per class.
            thickness: Thickness of the lines in pixels.
            mean: Mean that was subtracted from images; True for ImageNet's.
            std: Standard deviation by which images were divided; True for ImageNet's.
            clip: Clip values to 0 to 255.
            waitKey: Has no effect.
            window_name: Has no effect.
            id2labels: Names by class, drawn beside the boxes.

        Returns:
            Images ``[height, width, 3]``.
        """
        while True:
            try:
                sample = self._read_sample()
            except StopIteration:
                return
            if sample is not None:
                image, objects = sample
                pixels = restored(image, mean, std, clip=clip)
                yield with_boxes(pixels, objects, color, thickness, id2labels)


def _is_valid(objects: Any) -> Any:
    """Return a mask of the objects with a class of 0 or more and a positive area."""
    return (objects[:, 0] >= 0) & (objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])
