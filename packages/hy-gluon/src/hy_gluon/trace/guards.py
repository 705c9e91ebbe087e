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
    """Conditions that a call must satisfy to use a trace; None means any value."""

    structure: Structure | None = None
    """Nesting and classes of the arguments; None: any."""
    variant: Hashable = None
    """Key of the graph, for blocks with several graphs; see ``HybridBlock._hy_variant``."""
    policy: Hashable = None
    """Key of the casting policy (mixed precision); None: no casts."""
    training: bool | None = None
    """Training or prediction mode; None: any."""
    types: ArrayTypes | None = None
    """Shape and dtype of each array; None: any, as the forward read neither."""


Key: TypeAlias = tuple[Structure | None, Hashable, Hashable, bool | None, ArrayTypes | None]
"""Guards, or a plain tuple of the same fields, which is faster to create for each call."""

ANY = Guards()
"""Guards of a graph that was given rather than traced: it is valid for every call."""


# Cached by the tuple of classes: a call asks for the same one each time.
@lru_cache(maxsize=256)
def are_arrays(kinds: tuple[type, ...]) -> bool:
    """Return whether all classes are array classes, so that the tuple is a flat structure.

    The tuple of classes then equals the :data:`Structure` of the arguments.
    """
    return all(issubclass(kind, NDArray) for kind in kinds)


def arguments(args: Sequence[Any]) -> tuple[list[Any], Structure]:
    """Return the arrays and symbols in nested arguments as a flat list, and their structure.

    Raises:
        StructureError: An argument is neither an array, a symbol nor None.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.ones((2,))
        >>> [kind and kind.__name__ for kind in arguments([x, None, x])[1]]
        ['NDArray', None, 'NDArray']
    """
    flat: list[Any] = []
    return flat, _gathered(args, flat)


def _gathered(args: Sequence[Any], flat: list[Any]) -> Structure:
    """Append the arrays and symbols in nested arguments to ``flat``; return the structure."""
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
    """Cache key of a casting policy that has no ``key``; equal only for the same policy."""

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

    The key is the policy's attribute ``key``; without one, the policy's identity.
    """
    key: Hashable = getattr(policy, "key", None)
    return _ByIdentity(policy) if key is None else key


def with_types(guards: Key, data: Sequence[Any]) -> Guards:
    """Return the guards restricted to the shapes and dtypes of the arrays in ``data``."""
    # Symbols among the arguments have no shape of their own.
    types = [(x.shape, x.dtype) if isinstance(x, NDArray) else None for x in data]
    return Guards(*guards[:4], tuple(types))
