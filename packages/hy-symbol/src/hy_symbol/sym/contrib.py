"""Operators MXNet keeps under ``sym.contrib``."""

from math import log
from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_ndarray.nd.zipfian import candidates
from hy_symbol.sym._control_flow import cond, foreach, while_loop
from hy_symbol.sym._functions import symbol_function
from hy_symbol.sym.random import uniform
from hy_symbol.symbol.symbol import Symbol

__all__ = ["cond", "foreach", "rand_zipfian", "uniform", "while_loop"]


def rand_zipfian(true_classes: Symbol, num_sampled: int, range_max: int) -> list[Symbol]:
    """Classes drawn by Zipf's law, small ones more often, for sampled softmax.

    Args:
        true_classes: ``[*T]`` classes, whose expected numbers are asked for too.
        num_sampled: How many to draw.
        range_max: Number of classes.

    Returns:
        The classes ``[num_sampled]``, int64, and how often true and drawn classes are expected
        among so many, float64.
    """
    drawn = uniform(0, log(range_max + 1), shape=(num_sampled,), dtype="float64")
    return candidates(drawn, true_classes, num_sampled, range_max)


if TYPE_CHECKING:
    from hy_symbol.sym._operators.contrib import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), symbol_function, "contrib")
    namespaces.fill(globals(), "contrib")
