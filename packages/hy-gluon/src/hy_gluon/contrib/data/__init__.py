"""Samplers that MXNet keeps under ``gluon.contrib.data``."""

from hy_gluon.contrib.data import sampler as sampler
from hy_gluon.contrib.data.sampler import IntervalSampler as IntervalSampler
