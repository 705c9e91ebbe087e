"""Functions whose arguments MXNet rearranges before it calls an operator."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray import ArgumentError
from hy_symbol.sym._functions import add_node
from hy_symbol.symbol.splitting import split_params
from hy_symbol.symbol.symbol import Symbol

__all__ = ["histogram", "split_v2"]


def split_v2(
    ary: Symbol,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    squeeze_axis: bool = False,
) -> Symbol:
    """Return parts of a symbol along an axis, as a group.

    Args:
        ary: What to split.
        indices_or_sections: How many equal parts, or where the second and later ones begin.
        axis: The axis.
        squeeze_axis: Leave the axis out, where all parts have size 1.

    Raises:
        ArgumentError: ``indices_or_sections`` is neither.
    """
    return add_node("_split_v2", ary, **split_params(indices_or_sections, axis, squeeze_axis))


def histogram(
    a: Symbol,
    bins: int | Symbol = 10,
    range: tuple[float, float] | None = None,  # noqa: A002  # MXNet's name
    **kwargs: Any,
) -> Symbol:
    """Return a group of the counts of values by bin, and the edges of the bins.

    Args:
        a: The values.
        bins: How many bins of equal width, or a symbol of their edges.
        range: Lower and upper edge, where ``bins`` is a number.
        kwargs: ``name`` and ``attr`` of the node.

    Raises:
        ArgumentError: ``bins`` is a number and there is no ``range``.
    """
    if isinstance(bins, Symbol):
        return add_node("_histogram", a, bins, **kwargs)
    if range is None:
        raise ArgumentError("histogram: range must be given where bins is a number")
    return add_node("_histogram", a, bin_cnt=bins, range=range, **kwargs)
