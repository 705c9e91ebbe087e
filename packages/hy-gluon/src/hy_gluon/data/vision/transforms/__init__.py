"""Image transforms as blocks, for images ``[height, width, channels]``."""

from hy_gluon.data.vision.transforms.color import (
    RandomBrightness as RandomBrightness,
    RandomColorJitter as RandomColorJitter,
    RandomContrast as RandomContrast,
    RandomHue as RandomHue,
    RandomLighting as RandomLighting,
    RandomSaturation as RandomSaturation,
)
from hy_gluon.data.vision.transforms.combined import Compose as Compose, RandomApply as RandomApply
from hy_gluon.data.vision.transforms.geometry import (
    CenterCrop as CenterCrop,
    CropResize as CropResize,
    RandomFlipLeftRight as RandomFlipLeftRight,
    RandomFlipTopBottom as RandomFlipTopBottom,
    RandomResizedCrop as RandomResizedCrop,
    RandomRotation as RandomRotation,
    Resize as Resize,
    Rotate as Rotate,
)
from hy_gluon.data.vision.transforms.values import (
    Cast as Cast,
    Normalize as Normalize,
    ToTensor as ToTensor,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
