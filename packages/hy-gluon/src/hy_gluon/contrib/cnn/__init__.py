"""Convolutions that look where they have learned to look."""

from hy_gluon.contrib.cnn import conv_layers as conv_layers
from hy_gluon.contrib.cnn.conv_layers import (
    DeformableConvolution as DeformableConvolution,
    ModulatedDeformableConvolution as ModulatedDeformableConvolution,
)
