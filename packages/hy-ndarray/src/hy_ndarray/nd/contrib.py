"""Operators of MXNet's ``nd.contrib``, with ``isnan``, ``isinf`` and ``isfinite``."""

import math
from typing import TYPE_CHECKING, Any

from hy_ndarray import namespaces
from hy_ndarray.array._functions import array_function
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.devices.context import Context
from hy_ndarray.nd._control_flow import cond, foreach, while_loop
from hy_ndarray.nd._fused_steps import (
    adamw_update,
    mp_adamw_update,
    multi_adamw_update,
    multi_lamb_update,
    multi_mp_adamw_update,
    multi_mp_lamb_update,
)
from hy_ndarray.nd.graphs import (
    dgl_adjacency,
    dgl_csr_neighbor_non_uniform_sample,
    dgl_csr_neighbor_uniform_sample,
    dgl_graph_compact,
    dgl_subgraph,
    edge_id,
)
from hy_ndarray.nd.random import uniform
from hy_ndarray.nd.zipfian import candidates

__all__ = [
    "adamw_update",
    "cond",
    "dgl_adjacency",
    "dgl_csr_neighbor_non_uniform_sample",
    "dgl_csr_neighbor_uniform_sample",
    "dgl_graph_compact",
    "dgl_subgraph",
    "edge_id",
    "foreach",
    "isfinite",
    "isinf",
    "isnan",
    "mp_adamw_update",
    "multi_adamw_update",
    "multi_lamb_update",
    "multi_mp_adamw_update",
    "multi_mp_lamb_update",
    "rand_zipfian",
    "uniform",
    "while_loop",
]


def isnan(data: NDArray) -> NDArray:
    """Return 1 where an element is nan, else 0, in the dtype of ``data``."""
    result: NDArray = data != data  # noqa: PLR0124  # nan alone differs from itself
    return result


def isinf(data: NDArray) -> NDArray:
    """Return 1 where an element is infinite, else 0, in the dtype of ``data``."""
    result: NDArray = data.abs() == math.inf
    return result


def isfinite(data: NDArray) -> NDArray:
    """Return 1 where an element is finite, else 0, in the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> isfinite(nd.array([1.0, math.inf, math.nan])).asnumpy()
        array([1., 0., 0.], dtype=float32)
    """
    return 1 - isinf(data) - isnan(data)


def rand_zipfian(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Context | None = None
) -> tuple[Any, Any, Any]:
    """Draw classes by Zipf's law for sampled softmax; also return their expected counts.

    Args:
        true_classes: ``[*T]``, classes whose expected counts are returned, too.
        num_sampled: The number of classes to draw.
        range_max: The total number of classes.
        ctx: The context of the result; the current one if None.

    Returns:
        The drawn classes ``[num_sampled]``, int64, and the expected counts of the true and of the
        drawn classes among ``num_sampled`` draws, float64.

    Example:
        >>> from hy_ndarray import nd
        >>> drawn, expected, _ = rand_zipfian(nd.array([0]), 4, 5)
        >>> drawn.shape, expected.asnumpy().round(4)
        ((4,), array([1.5474]))
    """
    top = math.log(range_max + 1)
    drawn = uniform(0, top, shape=(num_sampled,), dtype="float64", ctx=ctx)
    return candidates(drawn, true_classes, num_sampled, range_max)


if TYPE_CHECKING:
    from hy_ndarray.nd._operators.contrib import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), array_function, "contrib")
    namespaces.fill(globals(), "contrib")
