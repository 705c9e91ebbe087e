"""Errors of the estimator."""

from hy_ndarray import HyError

__all__ = ["EstimatorError"]


class EstimatorError(HyError, ValueError, AssertionError):
    """An estimator or one of its handlers was given something it cannot train with."""
