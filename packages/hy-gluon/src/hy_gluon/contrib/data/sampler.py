"""MXNet's module ``gluon.contrib.data.sampler``; the sampler is defined in ``gluon.data``."""

from hy_gluon.data.sampler import IntervalSampler

__all__ = ["IntervalSampler"]
