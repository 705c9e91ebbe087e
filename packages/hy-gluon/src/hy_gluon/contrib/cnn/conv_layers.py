"""Layers under the module name that MXNet gave them."""

from hy_gluon.nn import DeformableConvolution, ModulatedDeformableConvolution

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]
