"""Traits: what compilers may assume of an operator, stated once in its record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.indices import Indices

__all__ = [
    "BY_TYPES",
    "IDENTITY",
    "NO_TRAITS",
    "POINTWISE",
    "RESIZED",
    "VIEW",
    "Quantized",
    "Rows",
    "Traits",
    "rows_across",
    "rows_of_batch",
    "rows_of_dense",
    "rows_of_vectors",
    "rows_of_windows",
]

Rows: TypeAlias = Callable[[Params, int, Sequence[int]], Sequence[int]]
"""``(params, axis, ranks)`` to positions of the inputs with rows along an axis from 0 on; ranks
of all inputs."""


@dataclass(frozen=True, slots=True)
class Quantized:
    """Integer form of an operator, and the inputs that it takes as integers.

    That operator has the inputs of the one on floats, and after them the two ends of the range of
    each that is integers, in their order; the outputs are one array and the ends of its range.
    """

    operator: str
    """Its canonical name."""
    inputs: tuple[str, ...] | None = None
    """Names of the integer inputs; None: all."""
    weights: tuple[str, ...] = ()
    """Names of the inputs that are always ``int8``."""
    by_filter: tuple[str, ...] = ()
    """Names of the inputs that may have a range for each index of their first axis."""
    sums: bool = False
    """Whether results are ``int32``, to be requantized."""
    is_profitable: bool = False
    """Whether integers are faster even if inputs and results have to be converted."""
    when: Callable[[Params], bool] | None = None
    """Condition on the parameters; None: always."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of every call of an operator, or of every call with certain parameters.

    A pass asks these, through the methods of :class:`~hy_ndarray.ops.Operator`, and never for the
    names of operators; so an operator that says its traits is laid out again, cut, fused and
    computed again wherever that is right. Traits are about values. What a kernel can do besides
    (write to memory it is given, run on blocks) is said at the kernel. What a call overwrites is
    ``updates`` of the record, and the test of traits checks that, too.

    Example:
        >>> from hy_ndarray import ops
        >>> relu, leaky = ops.find("relu"), ops.find("LeakyReLU")
        >>> relu.is_pointwise(relu.parse({})), leaky.is_pointwise(leaky.parse({}))
        (True, True)
        >>> leaky.is_pointwise(leaky.parse({"act_type": "prelu"}))  # a slope for each channel
        False
    """

    pointwise: bool | Callable[[Params], bool] = False
    """Each element of every visible result follows from those at its index in the inputs, which
    are broadcast against one another as NumPy does, and not from that index. Where a call
    draws random numbers, also from the one drawn for it."""
    view: bool = False
    """The only visible result holds the elements of the first input, in their order: it is that
    input in another shape."""
    resized: bool = False
    """The only visible result holds the elements of the first input, in their order, wherever it
    has as many, of the same dtype: what is reduced is of size 1."""
    identity: bool = False
    """The only visible result is the first input wherever both have one type; where it draws,
    of calls that draw nothing."""
    shares: bool = False
    """Kernels may return the first input itself where both have one type, which else none does."""
    by_types: bool = False
    """Results follow from the types of the inputs alone, and not from their elements."""
    rows: Rows | None = None
    """Which inputs have rows along an axis, so that in prediction each row of the first result
    follows from their rows there and from the whole of the other inputs; none: there are no such
    rows. A pointwise operator has them along every axis that is not broadcast, and need not say
    so."""
    draws: Callable[[Params, bool], bool] | None = None
    """``(params, is_train)``: whether a call draws random numbers, of an operator that has a
    generator among its ``needs``; None: always."""
    foreign: bool = False
    """It runs a user's code, which may do anything, and keep references to its inputs."""
    quantized: Quantized | None = None
    """Its integer form, if it has one."""
    ranged: bool = False
    """Whether its integers have the range of parameters ``min_calib_range`` and
    ``max_calib_range``, or without them that of its inputs."""
    indices: tuple[Indices, ...] = ()
    """Inputs of indices that kernels clip or ignore where they are out of range."""
    outputs_in_files: int | Callable[[Params], int] | None = None
    """Number of outputs in MXNet, scratch outputs included; None: as many as here."""


NO_TRAITS = Traits()
POINTWISE = Traits(pointwise=True)
IDENTITY = Traits(pointwise=True, identity=True)
VIEW = Traits(view=True)
BY_TYPES = Traits(by_types=True)
RESIZED = Traits(resized=True)


def rows_of_batch(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return rows of the first input along the first axis, that of a batch."""
    return (0,) if axis == 0 else ()


def rows_of_dense(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return rows of the first input along all axes that are not in a product with a weight."""
    return (0,) if axis < (1 if params["flatten"] else ranks[0] - 1) else ()


def rows_of_vectors(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return rows of the first input along every axis but the last."""
    return (0,) if axis < ranks[0] - 1 else ()


def rows_across(name: str) -> Rows:
    """Return a rule for rows of the first input along every axis but a parameter's."""

    def rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
        return (0,) if axis != params[name] % ranks[0] else ()

    return rows


def rows_of_windows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return rows of the first input along the axis that a layout calls N, else the first."""
    return (0,) if axis == (params["layout"] or "N").index("N") else ()
