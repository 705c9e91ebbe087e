"""The module ``conv_layers``, under MXNet's path."""

from hy_gluon.nn import DeformableConvolution, ModulatedDeformableConvolution

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]
