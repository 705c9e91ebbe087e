"""Kernel: a function that computes an operator, with its properties; Kernels: their registry."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

__all__ = [
    "Describe",
    "Function",
    "Kernel",
    "Kernels",
    "Maker",
    "Out",
    "Pack",
    "Packing",
    "Params",
    "Specialize",
    "Type",
    "Types",
    "by_params",
    "by_types",
]

F = TypeVar("F", bound=Callable[..., Any])

Function: TypeAlias = Callable[..., Any]
"""Inputs by position, parameters by keyword; returns a buffer, or a tuple of several."""

Type: TypeAlias = tuple[tuple[int, ...], str]
"""Shape and dtype."""

Types: TypeAlias = Sequence[Type | None]
"""The type of each input; None for an omitted one."""

Params: TypeAlias = Mapping[str, Any]

Specialize: TypeAlias = Callable[[Types | None, Params], Function | None]
"""Function of ``(types, params)`` that returns a function specialised for them, or None.

The specialised function takes no parameters. With types, it computes a step of a graph: it takes
``out=``, and whatever else the kernel takes.

Without types, it takes inputs of all types that the kernel supports. It serves eager calls that
repeat the parameters, and steps of programs without out buffers that are not captured. It takes no
``out=`` and, if there are inputs, no ``is_train`` or ``rng``: it returns the visible result of a
call outside of training, without hidden ones. There is none if several results are visible or a
call overwrites an input. For a step that overwrites its weight, the function does take ``out=``,
and returns all that the step returns.
"""

Describe: TypeAlias = Callable[[Types, Params], str | None]
"""Function of ``(types, params)`` that returns the name of a step's algorithm, or None."""

Maker: TypeAlias = Callable[[Types | None, Params, Function], Function | None]
"""Like :data:`Specialize`, with the kernel as third argument, the fallback for other operands."""


def by_types(make: Callable[[Types, Params], Function | None]) -> Maker:
    """Return a :data:`Maker` that specialises steps of graphs only, not eager calls."""
    return lambda types, params, _: None if types is None else make(types, params)


def by_params(
    make: Callable[[Params, Function], Function | None],
    types: Callable[[Types, Params], Function | None] | None = None,
) -> Maker:
    """Return a :data:`Maker` that specialises for parameters, with operands of any type.

    Args:
        make: Takes the parameters, and the kernel bound to them, the fallback for rare operands.
        types: Specialises steps of graphs; None: they are not specialised.
    """

    def specialize(known: Types | None, params: Params, kernel: Function) -> Function | None:
        if known is None:
            return make(params, partial(kernel, **params))
        return None if types is None else types(known, params)

    return specialize


Out: TypeAlias = Literal["none", "apart", "first", "in place"]
"""The ``out=`` a function supports: none; memory apart from its operands; also the first operand;
also any operand."""


@dataclass(frozen=True, slots=True)
class Packing:
    """A form of one operand, such as a transformed weight, that a kernel computes with.

    Eager calls cache it while nobody overwrites the operand. They give the same result to the last
    bit as calls of the kernel, which packs the operand itself.

    Example:
        >>> import numpy as np
        >>> transposed = Packing(
        ...     operand=1,
        ...     fits=lambda types: True,
        ...     pack=lambda weight: np.ascontiguousarray(weight.T),
        ...     function=lambda data, packed: data @ packed,
        ... )
        >>> transposed.function(np.ones((1, 2)), transposed.pack(np.array([[1.0, 2.0]])))
        array([[3.]])
    """

    operand: int
    """Position of the operand among the inputs."""
    fits: Callable[[Types], bool]
    """Returns whether the kernel packs the operand for inputs of these types."""
    pack: Function
    """Returns the packed form of the operand, in memory of its own."""
    function: Function
    """The kernel without parameters; it takes the packed form in place of the operand."""


Pack: TypeAlias = Callable[[Params], Packing | None]
"""Function of parameters that returns the packed form of an operand; None if there is none."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function that computes an operator, and the properties that a compiler relies on.

    ``out=`` is a tuple with a contiguous array of the right type for each result. With *apart*, it
    does not overlap the operands, an entry may be None, and the function may return a new array
    instead of an entry. *First* is *apart* for a copy of the first operand with some elements
    replaced: the entry may also be that operand, if no other overlaps it. With *in place*, the
    function writes to every entry, and an entry may be an operand: any one of the result's type for
    a pointwise kernel, else the one that is updated.

    No result shares memory with an operand that is not in ``out``, or with memory that the next
    call overwrites.

    Example:
        >>> import numpy as np
        >>> square = Kernel("square", np.square, out="in place", pointwise=True)
        >>> x = np.array([1.0, 3.0])
        >>> square.function(x, out=(x,))
        array([1., 9.])
    """

    name: str
    function: Function
    out: Out = "none"
    pointwise: bool = False
    """Whether each element of a result depends only on the operands' elements at its position, so
    that the kernel may run on blocks of flattened arrays."""
    threads: int | None = None
    """Elements of the largest operand or result from which it uses threads; None: never."""
    specialize: Specialize | None = None
    loads: Collection[str] = ()
    """Parameters that may be 0-d buffers instead of numbers and are not read on the host, so that a
    captured step can be replayed with other values."""
    algorithm: Describe | None = None
    """Returns which of several algorithms computes a step, for display."""
    packing: Pack | None = None
    """Returns the packed form of an operand that repeated eager calls may cache."""

    def __post_init__(self) -> None:
        if self.pointwise and self.out != "in place":
            raise ValueError(
                f"kernel {self.name!r}: a pointwise kernel takes out= in place, not {self.out!r}"
            )


class Kernels:
    """The registry of a table's kernels by name, filled by a decorator of their functions.

    Example:
        >>> kernels = Kernels()
        >>> @kernels.kernel(pointwise=True)
        ... def double(data, *, out=None):
        ...     return np.multiply(data, 2, out=None if out is None else out[0])
        >>> kernels.find("double").out
        'in place'
    """

    def __init__(self) -> None:
        self._records: dict[str, Kernel] = {}

    def find(self, name: str) -> Kernel | None:
        """Return the kernel called ``name``, or None."""
        return self._records.get(name)

    def names(self) -> tuple[str, ...]:
        """Return the names of all kernels, sorted."""
        return tuple(sorted(self._records))

    def kernel(
        self,
        name: str = "",
        *,
        out: Out = "none",
        pointwise: bool = False,
        threads: int | None = None,
        specialize: Maker | None = None,
        loads: Collection[str] = (),
        algorithm: Describe | None = None,
        packing: Pack | None = None,
    ) -> Callable[[F], F]:
        """Return a decorator that registers a function, unchanged, as a :class:`Kernel`.

        Args:
            name: The kernel's name; if empty, the function's.
            out: See :class:`Kernel`; a pointwise kernel is always in place.
            pointwise: See :class:`Kernel`.
            threads: See :class:`Kernel`.
            specialize: The result of :func:`by_types` or :func:`by_params`.
            loads: See :class:`Kernel`.
            algorithm: See :class:`Kernel`.
            packing: See :class:`Kernel`.

        Raises:
            ValueError: There is a kernel of that name.
        """
        out = "in place" if pointwise else out

        def enter(function: F) -> F:
            key = name or function.__name__
            special: Specialize | None = None
            if specialize is not None:
                special = lambda types, params: specialize(types, params, function)  # noqa: E731
            facts = out, pointwise, threads, special, tuple(loads), algorithm, packing
            self._enter(Kernel(key, function, *facts))
            return function

        return enter

    def alias(self, name: str, function: F) -> F:
        """Register the kernel of ``function`` under another name as well.

        Raises:
            ValueError: The name is in use, or no kernel has this function.
        """
        records = [each for each in self._records.values() if each.function is function]
        if not records:
            raise ValueError(f"alias {name!r}: no kernel has the function {function!r}")
        self._enter(replace(records[0], name=name))
        return function

    def _enter(self, record: Kernel) -> None:
        if record.name in self._records:
            raise ValueError(f"kernel {record.name!r} is defined twice")
        self._records[record.name] = record
