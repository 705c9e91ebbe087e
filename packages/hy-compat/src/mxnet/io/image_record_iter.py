"""ImageRecordIter: batches of images in record files, decoded by threads."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_io import IRHeader, load_ndarrays, save_ndarrays
from hy_ndarray import ArgumentError, ShapeError
from mxnet.io.geometry import Pixels, crop_box, geometry, only_crops
from mxnet.io.image_loader import ImageLoader, bands_of, pixels_of
from mxnet.io.image_parameters import ImageParameters
from mxnet.io.image_records import labels_of_list
from mxnet.io.mx_data_iter import MXDataIter
from mxnet.io.pixels import Values, changes_colours, colours
from mxnet.io.values import read_parameters

__all__ = [
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
]

_FLIP = 0
"""Pillow's number for an exchange of left and right."""


def ImageRecordIter(**kwargs: Any) -> MXDataIter:  # noqa: N802  # MXNet's name
    """Return an iterator over images in record files, decoded and augmented by threads.

    Random numbers depend only on the seed, the epoch and the position of the image, not on threads.
    A record that cannot be decoded is an error of its batch.

    Args:
        kwargs: The parameters, which may be strings such as ``"(3, 224, 224)"``.

            Required: ``data_shape``: channels (1, 3 or 4), height and width; ``batch_size``;
            ``path_imgrec``: record files separated by ``;``, or a folder.

            Labels and order: ``path_imglist``: a file with other labels; ``label_width``: number
            of labels of an image; ``path_imgidx``: index of the record file; ``shuffle``; ``seed``;
            ``num_parts`` and ``part_index``: number and index of the part to read;
            ``round_batch``: whether the last batch is filled with samples that the next epoch then
            skips (otherwise with zeros).

            Threads: ``preprocess_threads``: at most one per processor; ``prefetch_buffer``: number
            of batches loaded in advance.

            Geometry, in this order: ``resize``: length of the shorter side; ``rotate`` or
            ``max_rotate_angle`` (degrees), ``max_shear_ratio``, ``min_random_scale`` and
            ``max_random_scale``, ``min_img_size`` and ``max_img_size``, ``min_aspect_ratio`` and
            ``max_aspect_ratio``; ``pad``: width of a border; then a crop in the center, or at a
            random position with ``rand_crop``; or a square of ``min_crop_size`` to
            ``max_crop_size``, resized; or, with ``random_resized_crop``, a crop of
            ``min_random_area`` to ``max_random_area`` of the area, with the aspect ratios above,
            resized. ``inter_method``: 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos, 9 by
            size, 10 random. ``fill_value``: value of pixels outside the image.

            Colors: ``brightness``, ``contrast``, ``saturation``, ``pca_noise``; ``random_h``,
            ``random_s``, ``random_l``: largest shift of hue (of 180), saturation and lightness
            (of 255).

            Values: ``mirror``, ``rand_mirror``; ``max_random_contrast``,
            ``max_random_illumination``; then ``(value - mean) / std * scale`` with ``mean_r``,
            ``mean_g``, ``mean_b``, ``mean_a``, or ``mean_img``: a file with a mean image (created
            if missing); ``std_r`` and so on; ``scale``. ``dtype``: float32; int8, clipped to
            -128 to 127; or uint8, unchanged pixels.

            ``data_name``, ``label_name``, ``seed_aug``. No effect: ``aug_seq``, ``ctx``,
            ``device_id``, ``verbose``, ``shuffle_chunk_size``, ``shuffle_chunk_seed``.

    Returns:
        Batches ``[batch_size, *data_shape]`` with labels ``[batch_size]``, or ``[batch_size,
        label_width]``; the index of a batch has the ids of the records.

    Raises:
        ArgumentError: A parameter is missing or invalid.
        FileFormatError: A file is damaged; damage of an image is raised by its batch.
        OSError: A file cannot be opened.
        ImportError: Pillow is not installed.
    """
    wanted = read_parameters(ImageParameters, "ImageRecordIter", {"dtype": "float32"} | kwargs)
    return MXDataIter(_ImageBatches(wanted), wanted.data_name, wanted.label_name)


def ImageRecordUInt8Iter(**kwargs: Any) -> MXDataIter:  # noqa: N802
    """Return :func:`ImageRecordIter` with dtype uint8."""
    return ImageRecordIter(**(kwargs | {"dtype": "uint8"}))


def ImageRecordInt8Iter(**kwargs: Any) -> MXDataIter:  # noqa: N802
    """Return :func:`ImageRecordIter` with dtype int8."""
    return ImageRecordIter(**(kwargs | {"dtype": "int8"}))


def ImageRecordIter_v1(**kwargs: Any) -> MXDataIter:  # noqa: N802
    """Return :func:`ImageRecordIter`; older name."""
    return ImageRecordIter(**kwargs)


def ImageRecordUInt8Iter_v1(**kwargs: Any) -> MXDataIter:  # noqa: N802
    """Return :func:`ImageRecordUInt8Iter`; older name."""
    return ImageRecordUInt8Iter(**kwargs)


class _ImageBatches(ImageLoader):
    """Loader of batches of images with labels of fixed width."""

    def __init__(self, wanted: ImageParameters) -> None:
        super().__init__(wanted, ("float32", "uint8", "int8"))
        self._wanted = wanted
        self._labels: Mapping[int, npt.NDArray[np.float32]] | None = None
        if wanted.path_imglist:
            self._labels = labels_of_list(wanted.path_imglist, wanted.label_width)
        self._geometry = geometry(wanted)
        self._changes_colours = changes_colours(wanted) and self.shape[0] == 3  # noqa: PLR2004
        self._only_crops = only_crops(wanted) and not self._changes_colours
        self._values = Values.of(wanted)
        self._mean = self._mean_image()

    @property
    def label_shape(self) -> tuple[int, ...]:
        """Return the shape of an image's label: a scalar for width 1."""
        width = self._wanted.label_width
        return () if width == 1 else (width,)

    def write(
        self, target: npt.NDArray[Any], image: Any, header: IRHeader, rng: random.Random
    ) -> Any:
        """Write an image to its position in the batch, and return its label."""
        label = self._label(header)
        self._write_values(target, self._bands(image, rng), rng)
        return label

    def _bands(self, image: Any, rng: random.Random) -> Sequence[npt.NDArray[np.uint8]]:
        """Return the channels of an augmented image."""
        wanted, size = self._wanted, (self.shape[2], self.shape[1])
        if self._only_crops and image.width >= size[0] and image.height >= size[1]:
            # Pillow takes parts and single channels faster than numpy converts all.
            part = image.crop(crop_box(image.size, size, wanted, rng))
            if self._mirrored(rng):
                part = part.transpose(_FLIP)
            names = part.getbands()
            flat = [np.frombuffer(part.tobytes("raw", name), np.uint8) for name in names]
            return [band.reshape(part.height, part.width) for band in flat]
        pixels = self._augmented(image, rng)
        return bands_of(pixels[:, ::-1] if self._mirrored(rng) else pixels)

    def _augmented(self, image: Any, rng: random.Random) -> Pixels:
        pixels = self._geometry(pixels_of(image), rng)
        return colours(pixels, self._wanted, rng) if self._changes_colours else pixels

    def _mirrored(self, rng: random.Random) -> bool:
        wanted = self._wanted
        return wanted.mirror or (wanted.rand_mirror and rng.random() < 0.5)  # noqa: PLR2004

    def _write_values(
        self,
        target: npt.NDArray[Any],
        bands: Sequence[npt.NDArray[np.uint8]],
        rng: random.Random,
    ) -> None:
        wanted, values = self._wanted, self._values
        if self.dtype == np.uint8:
            for channel, band in zip(target, bands, strict=True):
                np.copyto(channel, band)
            return
        # Contrast and light are drawn for each image.
        if wanted.max_random_contrast > 0 or wanted.max_random_illumination > 0:
            contrast = rng.uniform(-wanted.max_random_contrast, wanted.max_random_contrast)
            light = rng.uniform(-wanted.max_random_illumination, wanted.max_random_illumination)
            values = Values.of(wanted, 1 + contrast, light)
        is_float = self.dtype == np.float32
        exact = target if is_float else np.empty(target.shape, np.float32)
        values.write(bands, exact)
        if self._mean is not None:
            exact -= self._mean
        if not is_float:
            # Clipped, as a cast would wrap.
            target[...] = np.clip(exact, -128, 127)

    def _label(self, header: IRHeader) -> Any:
        width = self._wanted.label_width
        if self._labels is not None:
            if header.id not in self._labels:
                raise ArgumentError(f"{self._wanted.path_imglist} has no labels for {header.id}")
            labels = self._labels[header.id]
        else:
            labels = np.ravel(header.label)
            if len(labels) != width:
                raise ShapeError(f"the record has {len(labels)} labels, but label_width is {width}")
        # As in MXNet, a single label of a sample has no axis of its own.
        return labels[0] if width == 1 else labels

    def _mean_image(self) -> npt.NDArray[np.float32] | None:
        """Return the scaled mean image; computed if there is no file, None if not used."""
        wanted = self._wanted
        if not wanted.mean_img:
            return None
        try:
            stored: Any = load_ndarrays(wanted.mean_img, dense=True)
        # MXNet's behaviour: a mean image that is not there is computed, and written for next time.
        except FileNotFoundError:
            self._mean = None
            stored = {"mean_img": self._compute_mean()}
            save_ndarrays(wanted.mean_img, stored)
        mean = stored.get("mean_img") if isinstance(stored, dict) else None
        if mean is None or mean.shape != wanted.data_shape:
            raise ArgumentError(
                f"{wanted.mean_img} must hold the array mean_img of shape {wanted.data_shape}"
            )
        std = np.array([wanted.std_r, wanted.std_g, wanted.std_b, wanted.std_a])
        scaled: npt.NDArray[np.float32] = mean / std[: len(mean), None, None] * wanted.scale
        return scaled.astype(np.float32)

    def _compute_mean(self) -> npt.NDArray[np.float32]:
        total = np.zeros(self.shape)
        # The mean of augmented images, by the random numbers of epoch 0.
        for sample in range(len(self.records)):
            image = self.image_of(sample)[1]
            total += self._augmented(image, self.random((0, sample))).transpose(2, 0, 1)
        return (total / len(self.records)).astype(np.float32)
