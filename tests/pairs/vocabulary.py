"""The words that calls are written in, and how a call is evaluated under any ``mxnet``."""

import random
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as onp

from tests.pairs.objects import Helpers

__all__ = ["SEED", "evaluate", "is_numpy"]

SEED = 11
"""Of the numbers that samplers draw; arrays in calls have their own."""

_MODULES = ("nd", "np", "npx", "sym", "gluon", "io", "metric", "init", "image", "kv", "mod")
_ALSO = ("autograd", "optimizer", "lr_scheduler", "initializer", "recordio", "contrib", "cpu")


def is_numpy(family: str) -> bool:
    """Whether calls of a family run with MXNet's NumPy arrays and shapes."""
    return family.startswith("np")


class _Arrays:
    """Arrays of a call, drawn one after the other."""

    def __init__(self, array: Callable[..., Any]) -> None:
        self._array = array
        self._rng = onp.random.default_rng(7)

    def _drawn(self, shape: tuple[int, ...], low: float, high: float, dtype: str) -> Any:
        values = self._rng.uniform(low, high, shape)
        if dtype == "bool":
            return values > (low + high) / 2
        if "int" in dtype:
            values = onp.floor(abs(values) if dtype.startswith("u") else values)
        return values.astype(dtype)

    def x(self, *shape: int, low: float = -2, high: float = 2, dtype: str = "float32") -> Any:
        """Random numbers."""
        return self._array(self._drawn(shape, low, high, dtype), dtype=dtype)

    def o(self, *shape: int, low: float = -2, high: float = 2, dtype: str = "float32") -> Any:
        """Random numbers in an array of NumPy's own."""
        return self._drawn(shape, low, high, dtype)

    def a(self, values: Any, dtype: str = "float32") -> Any:
        """The values."""
        return self._array(onp.array(values).astype(dtype), dtype=dtype)


def _namespace(mx: Any, numpy: bool) -> dict[str, Any]:
    arrays = _Arrays(mx.np.array if numpy else mx.nd.array)
    other = _Arrays(mx.nd.array if numpy else mx.np.array)
    names = {name: getattr(mx, name) for name in (*_MODULES, *_ALSO)}
    return {
        **names,
        **Helpers(mx, arrays.x).words(),
        "mx": mx,
        "onp": onp,
        "x": arrays.x,
        "o": arrays.o,
        "a": arrays.a,
        "other": other.x,
        "v": mx.sym.var,
        "nan": float("nan"),
        "inf": float("inf"),
    }


def evaluate(mx: Any, text: str, *, numpy: bool, seed: int = SEED) -> Any:
    """The value of a call; errors pass."""
    with ExitStack() as stack:
        stack.enter_context(mx.name.NameManager())
        stack.enter_context(mx.util.np_shape(numpy))
        stack.enter_context(mx.util.np_array(numpy))
        mx.random.seed(seed)
        onp.random.seed(seed)  # noqa: NPY002 - what some functions draw from
        random.seed(seed)
        return eval(text, _namespace(mx, numpy))  # noqa: S307 - the project's own texts
