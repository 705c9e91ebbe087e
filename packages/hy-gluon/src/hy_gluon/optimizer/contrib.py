"""Optimizers in MXNet's module ``optimizer.contrib``."""

from hy_gluon.optimizer.adaptive import GroupAdaGrad

__all__ = ["GroupAdaGrad"]
