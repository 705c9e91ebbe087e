"""Errors of the estimator."""

from hy_ndarray import HyError


class EstimatorError(HyError, ValueError, AssertionError):
    """An estimator or one of its handlers got an invalid argument."""
