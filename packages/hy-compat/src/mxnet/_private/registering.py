"""Private registries of ``mxnet.initializer`` and ``mxnet.metric``, and all registries."""

from typing import Any

from hy_gluon import initializer, metric
from hy_gluon.initializer import Initializer
from hy_gluon.metric import EvalMetric
from mxnet import registry
from mxnet.contrib.text.embedding import _TokenEmbedding

_register = initializer.register
_create = registry.get_create_func(EvalMetric, "metric")


_KINDS: tuple[type[Any], ...] = (_TokenEmbedding, EvalMetric, Initializer)
_REGISTRY: dict[type, dict[str, type]] = {kind: registry.get_registry(kind) for kind in _KINDS}
"""Classes by name, of each base class, as registered when this module is imported."""

_metric = metric
