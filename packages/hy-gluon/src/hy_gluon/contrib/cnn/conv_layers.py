"""MXNet's module ``conv_layers``: deformable convolutions, defined in ``nn``."""

from hy_gluon.nn import DeformableConvolution, ModulatedDeformableConvolution

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]
