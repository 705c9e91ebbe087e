"""Weights and inputs by formula: the same numbers for hy and for MXNet, in every run."""

import math
import zlib
from typing import Any

import numpy as np

import mxnet as mx

__all__ = ["drawn", "filled", "prescribed", "uniform", "words"]

PERIOD = 65537
"""After this many values those of large parameters repeat: drawing takes longer than computing. A
prime, so that rows of usual lengths differ."""


class ByOrder(mx.init.Initializer):
    """Draws each parameter from its place among the block's parameters and the end of its name.

    Constants keep the values they were made with.

    Args:
        net: The block whose parameters will be initialized.
        period: After how many values those of a parameter may repeat.
    """

    def __init__(self, net: Any, period: int | None = None) -> None:
        super().__init__()
        self._period = period
        parameters = net.collect_params()
        self._places = {name: i for i, name in enumerate(parameters)}
        constant = mx.gluon.Constant
        self._constants = {name for name, p in parameters.items() if isinstance(p, constant)}

    def __call__(self, desc: Any, arr: Any) -> None:
        """Fill `arr`, whose parameter `desc` names."""
        name = str(desc)
        if name in self._constants:
            super().__call__(desc, arr)
        else:
            array = mx.np.array if mx.util.is_np_array() else mx.nd.array
            values = drawn(self._places[name], name, arr.shape, self._period)
            arr[:] = array(values, dtype=arr.dtype)


class Prescribed(mx.init.Initializer):
    """Draws one parameter by formula.

    Args:
        place: The parameter's place among those of its block.
        name: Its name.
    """

    def __init__(self, place: int, name: str) -> None:
        super().__init__()
        self._place, self._name = place, name

    def _init_weight(self, _: Any, arr: Any) -> None:
        array = mx.np.array if mx.util.is_np_array() else mx.nd.array
        arr[:] = array(drawn(self._place, self._name, arr.shape), dtype=arr.dtype)


def drawn(
    place: int, name: str, shape: tuple[int, ...], period: int | None = None
) -> np.ndarray[Any, Any]:
    """Values of one parameter: of order 1 after each layer, whatever its kind."""
    kind = name.rsplit("_", maxsplit=1)[-1].rsplit(".", maxsplit=1)[-1]
    count = math.prod(shape)
    size = shape if period is None or count <= period else (period,)
    values = np.resize(uniform(f"{place} {kind}", size), shape)
    if kind == "gamma":
        return 1 + values / 10
    if kind in {"var", "running_var"}:
        return 1 + values / 5
    if kind in {"beta", "bias", "mean", "running_mean"}:
        return values / 20
    return values * np.float32(math.sqrt(3 / max(math.prod(shape[1:]), 1)))


def filled(net: Any, ctx: Any = None, period: int | None = None) -> Any:
    """The block, its parameters by formula, including those that it initialized itself."""
    net.initialize(ByOrder(net, period), ctx=ctx, force_reinit=True)
    return net


def prescribed(net: Any) -> Any:
    """The block, its parameters by formula whichever initializer a client gives it later."""
    for i, (name, parameter) in enumerate(net.collect_params().items()):
        parameter.init = Prescribed(i, name)
    return net


def uniform(name: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Float32 values in [-1, 1) that depend on a name alone; numpy keeps `RandomState` as it is."""
    generator = np.random.RandomState(zlib.crc32(name.encode()))
    return generator.uniform(-1, 1, shape).astype(np.float32)


def words(name: str, shape: tuple[int, ...], count: int) -> np.ndarray[Any, Any]:
    """Integers below `count` that depend on a name alone."""
    generator = np.random.RandomState(zlib.crc32(name.encode()))
    return generator.randint(0, count, shape).astype(np.int32)
