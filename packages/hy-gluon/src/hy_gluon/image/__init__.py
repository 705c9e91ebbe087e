"""Images as arrays ``[height, width, channels]``: reading, resizing, cropping, rotating."""

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
from hy_gluon.image.reading import imdecode as imdecode, imread as imread
from hy_gluon.image.resizing import (
    imresize as imresize,
    resize_short as resize_short,
    scale_down as scale_down,
)
from hy_gluon.image.rotation import imrotate as imrotate, random_rotate as random_rotate
