"""Traits: properties of operators that compilers may rely on, declared in their records."""

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
"""Function ``(params, axis, ranks)`` to the positions of inputs with independent rows along
``axis`` (non-negative); ``ranks`` are the numbers of axes of all inputs."""


@dataclass(frozen=True, slots=True)
class Quantized:
    """Integer form of an operator, and the inputs that it takes as integers.

    The integer operator has the inputs of the floating one, followed by the two ends of the range
    of each integer input, in order; its outputs are one array and the two ends of its range.
    """

    operator: str
    """Canonical name of the integer operator."""
    inputs: tuple[str, ...] | None = None
    """Names of the integer inputs; None: all."""
    weights: tuple[str, ...] = ()
    """Names of the inputs that are always ``int8``."""
    by_filter: tuple[str, ...] = ()
    """Names of the inputs that may have one range per index along their first axis."""
    sums: bool = False
    """Whether results are ``int32`` and need to be requantized."""
    is_profitable: bool = False
    """Whether integers are faster even if inputs and results must be converted."""
    when: Callable[[Params], bool] | None = None
    """Condition on the parameters; None: always."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of every call of an operator, or of every call with certain parameters.

    Graph passes read traits, through the methods of :class:`~hy_ndarray.ops.Operator`, instead of
    comparing operator names; so any operator that declares its traits takes part in layout changes,
    splitting, fusion and recomputation. Traits describe values. Abilities of a kernel (out buffers,
    running on blocks) are properties of the kernel record. Updated inputs are ``updates`` of the
    operator's record. Tests check all of these.

    Example:
        >>> from hy_ndarray import ops
        >>> relu, leaky = ops.find("relu"), ops.find("LeakyReLU")
        >>> relu.is_pointwise(relu.parse({})), leaky.is_pointwise(leaky.parse({}))
        (True, True)
        >>> leaky.is_pointwise(leaky.parse({"act_type": "prelu"}))  # a slope for each channel
        False
    """

    pointwise: bool | Callable[[Params], bool] = False
    """Each element of every visible result depends only on the elements at its index in the inputs,
    which broadcast as in NumPy, and not on the index itself. In a call that draws random numbers,
    it also depends on the number drawn for it."""
    view: bool = False
    """The only visible result is the first input in another shape: the same elements in order."""
    resized: bool = False
    """The only visible result is the first input in another shape whenever it has as many elements
    of the same dtype: reduced axes then have size 1."""
    identity: bool = False
    """The only visible result equals the first input whenever both have the same type; for random
    operators, in calls that draw no numbers."""
    shares: bool = False
    """Kernels may return the first input itself if the types are equal; no other kernel does."""
    by_types: bool = False
    """Results depend only on the types of the inputs, not on their elements."""
    rows: Rows | None = None
    """Function to the inputs with independent rows along an axis: in prediction each row of the
    first result depends only on the same row of these inputs, and on all of the other inputs. It
    returns none if there are no such rows. Pointwise operators have such rows along every axis that
    is not broadcast, and need no declaration."""
    draws: Callable[[Params, bool], bool] | None = None
    """Function ``(params, is_train)`` that returns whether a call draws random numbers, for an
    operator that needs ``rng``; None: every call does."""
    foreign: bool = False
    """It runs user code, which may have side effects and keep references to its inputs."""
    quantized: Quantized | None = None
    """Its integer form, if it has one."""
    ranged: bool = False
    """Whether its integer results have the range of the parameters ``min_calib_range`` and
    ``max_calib_range``, or that of its inputs if these are None."""
    indices: tuple[Indices, ...] = ()
    """Inputs with indices that kernels clip or ignore when out of range."""
    outputs_in_files: int | Callable[[Params], int] | None = None
    """Number of outputs in MXNet, including scratch outputs; None: the same as here."""


NO_TRAITS = Traits()
POINTWISE = Traits(pointwise=True)
IDENTITY = Traits(pointwise=True, identity=True)
VIEW = Traits(view=True)
BY_TYPES = Traits(by_types=True)
RESIZED = Traits(resized=True)


def rows_of_batch(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return ``(0,)``, the first input, for ``axis`` 0, the batch axis; else no inputs."""
    return (0,) if axis == 0 else ()


def rows_of_dense(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return ``(0,)``, the first input, for an axis not summed over in a dense layer."""
    return (0,) if axis < (1 if params["flatten"] else ranks[0] - 1) else ()


def rows_of_vectors(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return ``(0,)``, the first input, for every axis but the last; else no inputs."""
    return (0,) if axis < ranks[0] - 1 else ()


def rows_across(name: str) -> Rows:
    """Return a ``Rows`` function for independent rows along every axis but parameter ``name``."""

    def rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
        return (0,) if axis != params[name] % ranks[0] else ()

    return rows


def rows_of_windows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return ``(0,)``, the first input, for the batch axis N of the layout; else no inputs."""
    return (0,) if axis == (params["layout"] or "N").index("N") else ()
