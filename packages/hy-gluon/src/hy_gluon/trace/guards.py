"""Guards: the conditions that a call must satisfy to use a trace."""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from hy_gluon.trace.structure import flatten
from hy_ndarray import NDArray
from hy_ndarray.core.casting import CastingPolicy

__all__ = [
    "ANY",
    "ArrayTypes",
    "Guards",
    "Key",
    "Structure",
    "are_arrays",
    "arguments",
    "key_of",
    "with_types",
]

Structure: TypeAlias = tuple[object, ...]
"""The class of each argument; a tuple for a sequence of them; None for None."""
ArrayTypes: TypeAlias = tuple[tuple[Any, Any] | None, ...]


class Guards(NamedTuple):
    """Conditions that a call must satisfy to use a trace."""

    structure: Structure | None = None
    """Of the arguments; None: any."""
    variant: Hashable = None
    """Which of the graphs is asked for, where a block has several; see ``HybridBlock._variant``."""
    policy: Hashable = None
    """By which key the inputs of operators are cast; None: not at all."""
    training: bool | None = None
    """The mode; None: any."""
    types: ArrayTypes | None = None
    """Shape and dtype of each array; None: any, as none of them was read."""


Key: TypeAlias = tuple[Structure | None, Hashable, Hashable, bool | None, ArrayTypes | None]
"""Guards, or a tuple of the same, which a call makes faster."""

ANY = Guards()
"""Of a graph that is given, and not traced: it is right whatever the call is."""


# Cached by the tuple of classes: a call asks for the same one each time.
@lru_cache(maxsize=256)
def are_arrays(kinds: tuple[type, ...]) -> bool:
    """Return whether all classes are of arrays, so that they are the arguments' structure."""
    return all(issubclass(kind, NDArray) for kind in kinds)


def arguments(args: Sequence[Any]) -> tuple[list[Any], Structure]:
    """Return the arrays (or symbols) in nested arguments, and the structure of the arguments.

    Raises:
        StructureError: Something else is among them.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.ones((2,))
        >>> [kind and kind.__name__ for kind in arguments([x, None, x])[1]]
        ['NDArray', None, 'NDArray']
    """
    flat: list[Any] = []
    return flat, _gathered(args, flat)


def _gathered(args: Sequence[Any], flat: list[Any]) -> Structure:
    """Return the structure of arguments, and add their arrays to a list."""
    kinds: list[Any] = []
    for x in args:
        if isinstance(x, NDArray):
            flat.append(x)
            kinds.append(type(x))
        elif x is None:
            kinds.append(None)
        elif isinstance(x, list | tuple):
            kinds.append(_gathered(x, flat))
        else:
            flat += flatten(x, "input")[0]  # which says what is wrong with others than symbols
            kinds.append(type(x))
    return tuple(kinds)


class _ByIdentity:
    """Key of a policy without one, equal only to itself."""

    __slots__ = ("policy",)

    # Compared by identity: a policy without a key may cast differently after any change.
    def __init__(self, policy: object) -> None:
        self.policy = policy

    def __eq__(self, other: object) -> bool:
        # The policy is held, so its id is not reused while it is a key.
        return isinstance(other, _ByIdentity) and self.policy is other.policy

    def __hash__(self) -> int:
        return id(self.policy)


def key_of(policy: CastingPolicy) -> Hashable:
    """Return a key that distinguishes casting policies that cast differently.

    That is its attribute ``key``, if it has one, else the policy itself.
    """
    key: Hashable = getattr(policy, "key", None)
    return _ByIdentity(policy) if key is None else key


def with_types(guards: Key, data: Sequence[Any]) -> Guards:
    """Return the guards restricted to arrays of these shapes and dtypes."""
    # Symbols among the arguments have no shape of their own.
    types = [(x.shape, x.dtype) if isinstance(x, NDArray) else None for x in data]
    return Guards(*guards[:4], tuple(types))
