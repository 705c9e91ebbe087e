"""Optimizers that MXNet keeps under ``optimizer.contrib``."""

from hy_gluon.optimizer.adaptive import GroupAdaGrad

__all__ = ["GroupAdaGrad"]
