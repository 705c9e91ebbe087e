"""MXNet's ``gluon.contrib.cnn``: deformable convolutions, which hy defines in ``nn``."""

from hy_gluon.contrib.cnn import conv_layers as conv_layers
from hy_gluon.nn import (
    DeformableConvolution as DeformableConvolution,
    ModulatedDeformableConvolution as ModulatedDeformableConvolution,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
