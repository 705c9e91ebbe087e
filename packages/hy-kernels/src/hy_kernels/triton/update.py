"""Steps of SGD, Adam and AdamW on one weight: those of :mod:`multi_update`, on that alone.

What float16 and bfloat16 lose, and what is moved, is said there.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._weights import ALL, NARROW, Results, Targets, supporting
from hy_kernels.triton.multi_update import (
    multi_adam_update,
    multi_adamw_update,
    multi_mp_adamw_update,
    multi_mp_sgd_mom_update,
    multi_mp_sgd_update,
    multi_sgd_mom_update,
    multi_sgd_update,
)

__all__ = [
    "adam_update",
    "adamw_update",
    "mp_adamw_update",
    "mp_sgd_mom_update",
    "mp_sgd_update",
    "sgd_mom_update",
    "sgd_update",
]


def _listed(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters of a step as those of a step on many weights."""
    found = {k: v for k, v in params.items() if k not in ("lr", "wd", "eta", "lazy_update")}
    lists = {f"{k}s": [params[k]] for k in ("lr", "wd", "eta") if k in params}
    return {**found, **lists, "num_weights": 1}


def _supporting(
    arrays: int, dtypes: Sequence[torch.dtype], *, mixed: int = 0, after: int = 0
) -> Callable[..., bool]:
    """As :func:`supporting`, of one weight."""
    of_many = supporting(arrays, dtypes, mixed=mixed, after=after)
    return lambda *data, out=None, **params: of_many(*data, **_listed(params))  # noqa: ARG005


@overlay(supports=_supporting(2, ALL))
def sgd_update(*data: Tensor, out: Targets = None, **params: Any) -> Results:
    """Gradient descent."""
    return multi_sgd_update(*data, **_listed(params), out=out)


@overlay(supports=_supporting(3, ALL))
def sgd_mom_update(*data: Tensor, out: Targets = None, **params: Any) -> Results:
    """Gradient descent with momentum."""
    return multi_sgd_mom_update(*data, **_listed(params), out=out)


@overlay(supports=_supporting(4, ALL))
def adam_update(*data: Tensor, out: Targets = None, **params: Any) -> Results:
    """Adam without its bias correction, which the caller puts into the rate."""
    return multi_adam_update(*data, **_listed(params), out=out)


_adamw_supports = _supporting(4, ALL, after=1)


def _supports_adamw(*data: Tensor, clip_gradient: float, **params: Any) -> bool:
    """Where it has a bound the gradient is a result, too."""
    return clip_gradient < 0 and _adamw_supports(*data, **params)


@overlay(supports=_supports_adamw)
def adamw_update(*data: Tensor, **params: Any) -> Results:
    """Adam with decay beside the gradient; nothing changes if its factor is 0 or not finite."""
    return multi_adamw_update(*data, **_listed(params))


@overlay(supports=_supporting(3, NARROW, mixed=1))
def mp_sgd_update(*data: Tensor, **params: Any) -> Results:
    """Gradient descent on a 16-bit weight, which is kept in float32."""
    return multi_mp_sgd_update(*data, **_listed(params))


@overlay(supports=_supporting(4, NARROW, mixed=2))
def mp_sgd_mom_update(*data: Tensor, **params: Any) -> Results:
    """Gradient descent with momentum on a 16-bit weight, which is kept in float32."""
    return multi_mp_sgd_mom_update(*data, **_listed(params))


@overlay(supports=_supporting(5, NARROW, mixed=3, after=1))
def mp_adamw_update(*data: Tensor, **params: Any) -> Results:
    """As :func:`adamw_update`, on a 16-bit weight, which is kept in float32."""
    return multi_mp_adamw_update(*data, **_listed(params))
