"""ImageDetRecordIter: batches of images in record files, with bounding boxes of objects."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_io import IRHeader, unpack
from hy_ndarray import ArgumentError, ShapeError
from mxnet.io.det_augment import Objects, Sampler, cropped, mirrored, padded
from mxnet.io.geometry import Pixels, Size, resized, short_side
from mxnet.io.image_loader import ImageLoader, bands_of, pixels_of
from mxnet.io.image_parameters import AUTOMATIC, RecordParameters
from mxnet.io.image_records import labels_of_list
from mxnet.io.mx_data_iter import MXDataIter
from mxnet.io.pixels import Values, moved_colours
from mxnet.io.values import read_parameters

__all__ = ["ImageDetRecordIter"]

_EMIT = ("center", "overlap")
_RESIZE = ("force", "shrink", "fit")
_HEADER = 4
"""Channels, height and width of the image, and the length of the label."""
_BOX = 5  # numbers: class and four edges
_RECORD_HEADER = 24  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parameters(RecordParameters):
    path_imgrec: str = "./data/imgrec.rec"
    label_width: int = AUTOMATIC
    label_pad_width: int = 0
    label_pad_value: float = -1.0

    resize_mode: str = "force"
    fill_value: int = 127
    rand_mirror_prob: float = 0.0
    rand_pad_prob: float = 0.0
    max_pad_scale: float = 1.0

    rand_crop_prob: float = 0.0
    num_crop_samplers: int = 1
    min_crop_scales: tuple[float, ...] = (0.0,)
    max_crop_scales: tuple[float, ...] = (1.0,)
    min_crop_aspect_ratios: tuple[float, ...] = (1.0,)
    max_crop_aspect_ratios: tuple[float, ...] = (1.0,)
    min_crop_overlaps: tuple[float, ...] = (0.0,)
    max_crop_overlaps: tuple[float, ...] = (1.0,)
    min_crop_sample_coverages: tuple[float, ...] = (0.0,)
    max_crop_sample_coverages: tuple[float, ...] = (1.0,)
    min_crop_object_coverages: tuple[float, ...] = (0.0,)
    max_crop_object_coverages: tuple[float, ...] = (1.0,)
    max_crop_trials: tuple[int, ...] = (25,)
    crop_emit_mode: str = "center"
    emit_overlap_thresh: float = 0.3

    max_random_hue: int = 0
    random_hue_prob: float = 0.0
    max_random_saturation: int = 0
    random_saturation_prob: float = 0.0
    max_random_illumination: int = 0
    random_illumination_prob: float = 0.0
    max_random_contrast: float = 0.0
    random_contrast_prob: float = 0.0

    aug_seq: str = "det_aug_default"  # without an influence here


def ImageDetRecordIter(**kwargs: Any) -> MXDataIter:  # noqa: N802  # MXNet's name
    """Return an iterator over images in record files, with bounding boxes of objects.

    A record's label consists of a header (its length, at least 2; the length of an object, at least
    5; optional further numbers), and the objects: class; left, upper, right and lower edge relative
    to the image's size; optional further numbers.

    Args:
        kwargs: See :func:`mxnet.io.ImageRecordIter`: ``data_shape``, ``batch_size``,
            ``path_imgrec``, ``path_imgidx``, ``path_imglist``, ``shuffle``, ``seed``,
            ``num_parts``, ``part_index``, ``round_batch``, ``preprocess_threads``,
            ``prefetch_buffer``, means, deviations and ``scale``; only float32.

            Labels: ``label_width``: length of each label, -1 for any; ``label_pad_width``: length
            to which labels are padded with ``label_pad_value``, 0 or -1 for the longest label.

            Augmentation, each step with a probability: ``max_random_hue`` (of 180),
            ``max_random_saturation``, ``max_random_illumination`` (of 255) and
            ``max_random_contrast``, with ``random_hue_prob`` and so on; ``rand_mirror_prob``;
            ``rand_pad_prob``: place the image on a canvas up to ``max_pad_scale`` times as large;
            ``rand_crop_prob``: crop by one of ``num_crop_samplers`` samplers, for which
            ``min_crop_scales``, ``max_crop_scales`` and so on have one number each, or one for
            all. ``crop_emit_mode``: ``center`` keeps objects with their center in the crop,
            ``overlap`` those of which a share ``emit_overlap_thresh`` is in the crop.

            Size: ``resize``: length of the shorter side before augmentation; ``resize_mode`` after
            augmentation: ``force`` to the size of the batch, ``fit`` into that size, ``shrink``
            only if larger; the rest of the image is 0.

    Returns:
        Batches ``[batch_size, *data_shape]`` with labels ``[batch_size, 4 + longest]``: channels,
        height and width of the image, the length of the label, the label, and padding.

    Raises:
        ArgumentError: A parameter is missing or invalid.
        FileFormatError: A file is damaged; damage of an image is raised by its batch.
        ShapeError: A label has another form, or is longer than ``label_pad_width``.
        OSError: A file cannot be opened.
    """
    wanted = read_parameters(_Parameters, "ImageDetRecordIter", kwargs)
    return MXDataIter(_DetBatches(wanted), wanted.data_name, wanted.label_name)


class _DetBatches(ImageLoader):
    """Loader of batches of images with bounding boxes of objects."""

    def __init__(self, wanted: _Parameters) -> None:
        for name, modes in (("crop_emit_mode", _EMIT), ("resize_mode", _RESIZE)):
            if getattr(wanted, name) not in modes:
                raise ArgumentError(f"{name} must be one of {modes}, not {getattr(wanted, name)!r}")
        super().__init__(wanted, ("float32",))
        self._wanted = wanted
        self._samplers = _samplers(wanted)
        self._labels: Mapping[int, npt.NDArray[np.float32]] | None = None
        if wanted.path_imglist:
            self._labels = labels_of_list(wanted.path_imglist, wanted.label_width)
        # Batches have one shape: labels are padded to the longest of all records.
        self._longest = self._label_length()
        self._values = Values.of(wanted)

    @property
    def label_shape(self) -> tuple[int, ...]:
        """Return the shape of an image's label: one axis, as long as the longest label."""
        return (_HEADER + self._longest,)

    def _label_length(self) -> int:
        wanted = self._wanted.label_pad_width
        longest = max(self._own_length(number) for number in range(len(self.records)))
        if 0 < wanted < longest:
            raise ShapeError(f"label_pad_width is {wanted}, but a label has {longest} numbers")
        return max(wanted, longest)

    def _own_length(self, number: int) -> int:
        file, record = self.records.locations[number]
        # Reading only the record's beginning: labels' lengths are needed, images are not.
        begin = self.records.files[file].beginning(record, _RECORD_HEADER)
        if self._labels is not None:
            header = unpack(b"\0" * 4 + begin[4:])[0]
            return len(self._labels.get(header.id, ()))
        return int.from_bytes(begin[:4], "little")

    def write(
        self, target: npt.NDArray[Any], image: Any, header: IRHeader, rng: random.Random
    ) -> Any:
        """Write an image to its position in the batch, and return its label."""
        front, objects = self._objects(header)
        pixels, objects = self._augmented(pixels_of(image), objects, rng)
        pixels = self._sized(pixels, rng)
        height, width, channels = pixels.shape
        # Images smaller than the batch's lie in its upper left corner, on zeros.
        target[...] = 0
        self._values.write(bands_of(pixels), target[:, :height, :width])
        label = np.full(self.label_shape, self._wanted.label_pad_value, np.float32)
        numbers = np.concatenate([front, objects.ravel()])
        # MXNet's label of detection: three sizes of the image, the count, then the numbers.
        label[:_HEADER] = channels, height, width, len(numbers)
        label[_HEADER : _HEADER + len(numbers)] = numbers
        return label

    def _objects(self, header: IRHeader) -> tuple[npt.NDArray[np.float32], Objects]:
        """Return the header of a label, and its objects."""
        numbers = np.ravel(header.label).astype(np.float32)
        if self._labels is not None:
            if header.id not in self._labels:
                raise ArgumentError(f"{self._wanted.path_imglist} has no labels for {header.id}")
            numbers = self._labels[header.id]
        width = self._wanted.label_width
        if width > 0 and len(numbers) != width:
            raise ShapeError(f"the record has {len(numbers)} labels, but label_width is {width}")
        # A label begins with the length of its header and that of an object.
        begin, each = (int(number) for number in numbers[:2]) if len(numbers) > 1 else (0, 0)
        left = len(numbers) - begin
        if begin < 2 or each < _BOX or left < each or left % each:  # noqa: PLR2004
            raise ShapeError(
                "a label must be the length of the header, the length of an object, and objects, "
                f"not {len(numbers)} numbers that begin with {numbers[:2].tolist()}"
            )
        return numbers[:begin], numbers[begin:].reshape(-1, each)

    def _augmented(
        self, image: Pixels, objects: Objects, rng: random.Random
    ) -> tuple[Pixels, Objects]:
        wanted = self._wanted
        # MXNet's order: resize, colours, mirror, pad, crop.
        if wanted.resize > 0:
            size = short_side((image.shape[1], image.shape[0]), wanted.resize)
            image = resized(image, size, wanted.inter_method, rng)
        if image.shape[2] == 3:  # noqa: PLR2004
            image = self._coloured(image, rng)
        if rng.random() < wanted.rand_mirror_prob:
            image, objects = mirrored(image, objects)
        if rng.random() < wanted.rand_pad_prob and wanted.max_pad_scale > 1:
            scale = rng.uniform(1, wanted.max_pad_scale)
            image, objects = padded(image, objects, scale, wanted.fill_value, rng)
        if rng.random() < wanted.rand_crop_prob:
            needed = wanted.emit_overlap_thresh if wanted.crop_emit_mode == "overlap" else None
            image, objects = cropped(image, objects, self._samplers, rng, needed)
        return image, objects

    def _coloured(self, image: Pixels, rng: random.Random) -> Pixels:
        wanted = self._wanted

        def drawn(limit: float, probability: float) -> float:
            return rng.uniform(-limit, limit) if rng.random() < probability else 0.0

        hue = drawn(wanted.max_random_hue, wanted.random_hue_prob)
        light = drawn(wanted.max_random_illumination, wanted.random_illumination_prob)
        saturation = drawn(wanted.max_random_saturation, wanted.random_saturation_prob)
        contrast = drawn(wanted.max_random_contrast, wanted.random_contrast_prob)
        if hue == light == saturation == contrast == 0:
            return image
        # In floats, and rounded once for all four changes.
        moved = moved_colours(image.astype(np.float32), hue, light, saturation) * (1 + contrast)
        clipped: Pixels = np.clip(np.rint(moved), 0, 255).astype(np.uint8)
        return clipped

    def _sized(self, image: Pixels, rng: random.Random) -> Pixels:
        wanted = self._wanted
        before = image.shape[1], image.shape[0]
        size: Size = (self.shape[2], self.shape[1])
        if wanted.resize_mode != "force":
            factor = min(new / old for new, old in zip(size, before, strict=True))
            if wanted.resize_mode == "shrink":
                factor = min(factor, 1.0)
            # "fit" enlarges and reduces, "shrink" only reduces; both keep the shape.
            size = (
                min(size[0], max(1, int(before[0] * factor))),
                min(size[1], max(1, int(before[1] * factor))),
            )
        return resized(image, size, wanted.inter_method, rng)


def _samplers(wanted: _Parameters) -> list[Sampler]:
    """Return the samplers of random crops from the parameters.

    Raises:
        ArgumentError: A parameter has another number of values than there are samplers.
    """
    count = wanted.num_crop_samplers

    def numbers(name: str) -> tuple[Any, ...]:
        values: tuple[Any, ...] = getattr(wanted, name)
        if len(values) not in {1, count}:
            raise ArgumentError(
                f"{name} needs {count} numbers, one for each of num_crop_samplers, or one for all; "
                f"it has {len(values)}"
            )
        return values * count if len(values) == 1 else values

    names = ("scales", "aspect_ratios", "overlaps", "sample_coverages", "object_coverages")
    limits = [
        tuple(zip(numbers(f"min_crop_{name}"), numbers(f"max_crop_{name}"), strict=True))
        for name in names
    ]
    trials = numbers("max_crop_trials")
    return [Sampler(*each) for each in zip(*limits, trials, strict=True)]
