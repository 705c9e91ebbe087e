"""Samplers that MXNet keeps under ``gluon.contrib.data``."""

from hy_gluon.data.sampler import IntervalSampler

__all__ = ["IntervalSampler"]
