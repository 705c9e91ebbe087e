"""Parameters of iterators over images in record files."""

from dataclasses import dataclass

__all__ = ["AUTOMATIC", "ImageParameters", "RecordParameters"]

AUTOMATIC = -1
"""For a size: whatever it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordParameters:
    """Parameters that all iterators over images in record files have."""

    data_shape: tuple[int, ...]
    batch_size: int
    path_imgidx: str = ""
    path_imglist: str = ""
    data_name: str = "data"
    label_name: str = "softmax_label"
    dtype: str | None = None

    shuffle: bool = False
    seed: int = 0
    seed_aug: int | None = None
    num_parts: int = 1
    part_index: int = 0
    round_batch: bool = True
    preprocess_threads: int = 4
    prefetch_buffer: int = 4

    resize: int = AUTOMATIC
    inter_method: int = 1
    mean_r: float = 0.0
    mean_g: float = 0.0
    mean_b: float = 0.0
    mean_a: float = 0.0
    std_r: float = 1.0
    std_g: float = 1.0
    std_b: float = 1.0
    std_a: float = 1.0
    scale: float = 1.0

    # Accepted as MXNet does, without an influence here:
    verbose: bool = True
    ctx: str = "gpu"
    device_id: int = 0
    shuffle_chunk_size: int = 0
    shuffle_chunk_seed: int = 0

    @property
    def means(self) -> tuple[float, ...]:
        """Mean of each channel."""
        return self.mean_r, self.mean_g, self.mean_b, self.mean_a


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageParameters(RecordParameters):
    """Parameters of ``ImageRecordIter``, whose documentation describes them."""

    path_imgrec: str = ""
    label_width: int = 1

    rand_crop: bool = False
    random_resized_crop: bool = False
    min_random_area: float = 1.0
    max_random_area: float = 1.0
    min_aspect_ratio: float | None = None
    max_aspect_ratio: float = 0.0
    min_crop_size: int = AUTOMATIC
    max_crop_size: int = AUTOMATIC
    pad: int = 0
    fill_value: int = 255

    rotate: int = AUTOMATIC
    max_rotate_angle: int = 0
    max_shear_ratio: float = 0.0
    min_random_scale: float = 1.0
    max_random_scale: float = 1.0
    min_img_size: float = 0.0
    max_img_size: float = 1e10

    brightness: float = 0.0
    contrast: float = 0.0
    saturation: float = 0.0
    pca_noise: float = 0.0
    random_h: int = 0
    random_s: int = 0
    random_l: int = 0

    mirror: bool = False
    rand_mirror: bool = False
    mean_img: str = ""
    max_random_contrast: float = 0.0
    max_random_illumination: float = 0.0

    aug_seq: str = "aug_default"  # without an influence here

    @property
    def means(self) -> tuple[float, ...]:
        """Mean of each channel; 0 if there is a mean image, which takes their place."""
        if self.mean_img:
            return (0.0,) * 4
        return self.mean_r, self.mean_g, self.mean_b, self.mean_a
