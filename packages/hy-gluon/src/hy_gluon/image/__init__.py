"""Images as arrays ``[height, width, channels]``: reading, augmentation, and batches."""

import sys as _sys
from types import ModuleType as _ModuleType

from hy_gluon.image.augmenters import (
    Augmenter as Augmenter,
    CastAug as CastAug,
    CenterCropAug as CenterCropAug,
    ColorNormalizeAug as ColorNormalizeAug,
    ForceResizeAug as ForceResizeAug,
    HorizontalFlipAug as HorizontalFlipAug,
    RandomCropAug as RandomCropAug,
    RandomOrderAug as RandomOrderAug,
    RandomSizedCropAug as RandomSizedCropAug,
    ResizeAug as ResizeAug,
    SequentialAug as SequentialAug,
)
from hy_gluon.image.color import color_normalize as color_normalize
from hy_gluon.image.color_augmenters import (
    BrightnessJitterAug as BrightnessJitterAug,
    ColorJitterAug as ColorJitterAug,
    ContrastJitterAug as ContrastJitterAug,
    CreateAugmenter as CreateAugmenter,
    HueJitterAug as HueJitterAug,
    LightingAug as LightingAug,
    RandomGrayAug as RandomGrayAug,
    SaturationJitterAug as SaturationJitterAug,
)
from hy_gluon.image.cropping import (
    center_crop as center_crop,
    copyMakeBorder as copyMakeBorder,
    fixed_crop as fixed_crop,
    random_crop as random_crop,
    random_size_crop as random_size_crop,
)
from hy_gluon.image.detection_augmenters import (
    DetAugmenter as DetAugmenter,
    DetBorrowAug as DetBorrowAug,
    DetHorizontalFlipAug as DetHorizontalFlipAug,
    DetRandomCropAug as DetRandomCropAug,
    DetRandomPadAug as DetRandomPadAug,
    DetRandomSelectAug as DetRandomSelectAug,
)
from hy_gluon.image.detection_iterator import ImageDetIter as ImageDetIter
from hy_gluon.image.detection_lists import (
    CreateDetAugmenter as CreateDetAugmenter,
    CreateMultiRandCropAugmenter as CreateMultiRandCropAugmenter,
)
from hy_gluon.image.iterator import ImageIter as ImageIter
from hy_gluon.image.reading import imdecode as imdecode, imread as imread
from hy_gluon.image.resizing import (
    imresize as imresize,
    interpolation_method as interpolation_method,
    resize_short as resize_short,
    scale_down as scale_down,
)
from hy_gluon.image.rotation import imrotate as imrotate, random_rotate as random_rotate
from hy_ndarray.core.semantics import is_np_array as is_np_array
from hy_ndarray.suggestion import suggest_members as _suggest_members

_get_interp_method = interpolation_method

det: _ModuleType = _sys.modules[__name__]
detection: _ModuleType = det
image: _ModuleType = det
"""MXNet's modules below this one, which here is one with them."""

_suggest_members(globals())
