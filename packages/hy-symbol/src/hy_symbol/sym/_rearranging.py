"""Functions whose arguments MXNet converts before it calls an operator."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray import ArgumentError
from hy_symbol.sym._functions import add_node
from hy_symbol.symbol.splitting import split_params
from hy_symbol.symbol.symbol import Symbol


def split_v2(
    ary: Symbol,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    squeeze_axis: bool = False,
) -> Symbol:
    """Split a symbol along an axis; return the parts as a group.

    Args:
        ary: The symbol to split.
        indices_or_sections: Number of equal parts, or begin of the second and later parts.
        axis: The axis.
        squeeze_axis: Whether to remove the axis, if all parts have size 1.

    Raises:
        ArgumentError: ``indices_or_sections`` is neither an integer nor a sequence.
    """
    return add_node("_split_v2", ary, **split_params(indices_or_sections, axis, squeeze_axis))


def histogram(
    a: Symbol,
    bins: int | Symbol = 10,
    range: tuple[float, float] | None = None,  # noqa: A002  # MXNet's name
    **kwargs: Any,
) -> Symbol:
    """Compute a histogram; return the counts and the edges of the bins as a group.

    Args:
        a: The values.
        bins: Number of bins of equal width, or a symbol of the edges.
        range: Lowest and highest edge, if ``bins`` is a number.
        kwargs: ``name`` and ``attr`` of the node.

    Raises:
        ArgumentError: ``bins`` is a number, but ``range`` is missing.
    """
    if isinstance(bins, Symbol):
        return add_node("_histogram", a, bins, **kwargs)
    if range is None:
        raise ArgumentError("histogram: range must be given where bins is a number")
    return add_node("_histogram", a, bin_cnt=bins, range=range, **kwargs)
