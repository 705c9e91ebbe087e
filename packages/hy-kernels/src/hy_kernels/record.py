"""Kernel: a function that computes an operator, and its properties; Kernels collects them."""

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
"""Of each input; None of one that is left out."""

Params: TypeAlias = Mapping[str, Any]

Specialize: TypeAlias = Callable[[Types | None, Params], Function | None]
"""``(types, params)`` to the function for these alone, without parameters; None: there is none.

With types it computes a step of a graph: it takes ``out=``, and whatever else the kernel takes.

Without types it takes inputs of all types that the kernel takes; eager calls that repeat the
parameters use it, and steps of programs that are given no memory for results, where nobody captures
those. It takes no ``out=``, and where there are inputs it is not given ``is_train`` or ``rng``: it
gives the visible result of a call outside of training, and no hidden ones. None where there are
several visible ones, or a call overwrites an input. Of a step that writes over its weight, the
function takes ``out=``, too, and gives all that the step does.
"""

Describe: TypeAlias = Callable[[Types, Params], str | None]
"""``(types, params)`` to the name of the algorithm that computes such a step; None: it has none."""

Maker: TypeAlias = Callable[[Types | None, Params, Function], Function | None]
"""As :data:`Specialize`, with the kernel itself, which calls with other operands may be left to."""


def by_types(make: Callable[[Types, Params], Function | None]) -> Maker:
    """Return a maker of functions for steps of graphs alone."""
    return lambda types, params, _: None if types is None else make(types, params)


def by_params(
    make: Callable[[Params, Function], Function | None],
    types: Callable[[Types, Params], Function | None] | None = None,
) -> Maker:
    """Return a maker of functions for parameters and operands of any types.

    Args:
        make: Takes the parameters, and the kernel with these, for operands that are not usual ones.
        types: Makes functions for steps of graphs.
    """

    def specialize(known: Types | None, params: Params, kernel: Function) -> Function | None:
        if known is None:
            return make(params, partial(kernel, **params))
        return None if types is None else types(known, params)

    return specialize


Out: TypeAlias = Literal["none", "apart", "in place"]
"""What ``out=`` a function takes: none; memory apart from its operands; its operands, too."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function that computes an operator, and what may be done with it.

    ``out=`` is a tuple with contiguous memory of the right type for each result. Where it lies
    *apart* from the operands, an entry may be None, and a function may return results of its own
    all the same. *In place* it writes to every entry, which may be an operand: of a pointwise
    kernel any of the result's type, else the ones whose new values the results are.

    No result shares memory with an operand that is not in ``out``, or with anything that the next
    call changes.

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
    """Each element follows from those at its place, so that it may run on blocks of flat arrays."""
    threads: int | None = None
    """Elements of its largest operand or result from which it uses threads; None: never."""
    specialize: Specialize | None = None
    loads: Collection[str] = ()
    """Parameters whose numbers may be buffers without axes, which nobody reads on the host: so that
    what is captured can be done again with other numbers."""
    algorithm: Describe | None = None
    """Tells which of several algorithms computes a step, for those who read how a graph runs."""

    def __post_init__(self) -> None:
        if self.pointwise and self.out != "in place":
            raise ValueError(
                f"kernel {self.name!r}: a pointwise kernel takes out= in place, not {self.out!r}"
            )


class Kernels:
    """The kernels of a table by name, each entered where its function is defined.

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
        """Return the kernel of that name, or None."""
        return self._records.get(name)

    def names(self) -> tuple[str, ...]:
        """Return all names, sorted."""
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
    ) -> Callable[[F], F]:
        """Enter the decorated function, which stays as it is; see :class:`Kernel`.

        Args:
            name: That of the operator's record; the function's if empty.
            out: As of :class:`Kernel`; a pointwise kernel takes it in place.
            pointwise: As of :class:`Kernel`.
            threads: As of :class:`Kernel`.
            specialize: As of :class:`Kernel`, from :func:`by_types` or :func:`by_params`.
            loads: As of :class:`Kernel`.
            algorithm: As of :class:`Kernel`.

        Raises:
            ValueError: There is a kernel of that name.
        """
        out = "in place" if pointwise else out

        def enter(function: F) -> F:
            key = name or function.__name__
            special: Specialize | None = None
            if specialize is not None:
                special = lambda types, params: specialize(types, params, function)  # noqa: E731
            facts = out, pointwise, threads, special, tuple(loads), algorithm
            self._enter(Kernel(key, function, *facts))
            return function

        return enter

    def alias(self, name: str, function: F) -> F:
        """Enter a kernel's function under another name, too.

        Raises:
            ValueError: There is a kernel of that name, or none of that function.
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
