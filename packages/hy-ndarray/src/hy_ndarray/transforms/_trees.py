"""Trees (pytrees): flattening and rebuilding of nested tuples, lists and dicts of arrays."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hy_ndarray._errors import ArgumentError
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.foreign import conversion, kind_of


class Tree(NamedTuple):
    """Structure of a tree, without its leaves; JAX calls it a treedef."""

    kind: type[Any] | None
    """Class of the container; None for a leaf."""
    keys: tuple[Any, ...]
    """Keys of the container if it is a dict; else empty."""
    parts: tuple["Tree", ...]

    @property
    def size(self) -> int:
        """Return the number of leaves."""
        return 1 if self.kind is None else sum(part.size for part in self.parts)

    def build(self, leaves: Sequence[Any]) -> Any:
        """Return a tree of this structure with the given leaves."""
        if self.kind is None:
            (leaf,) = leaves
            return leaf
        values: list[Any] = []
        start = 0
        for part in self.parts:
            values.append(part.build(leaves[start : start + part.size]))
            start += part.size
        if issubclass(self.kind, dict):
            return self.kind(zip(self.keys, values, strict=True))
        if hasattr(self.kind, "_fields"):  # a named tuple
            return self.kind(*values)
        return self.kind(values)


_LEAF = Tree(None, keys=(), parts=())


def flatten(value: Any) -> tuple[list[Any], Tree]:
    """Return the leaves of a tree, and its structure; any value but a container is a leaf.

    Example:
        >>> leaves, tree = flatten({"a": 1, "b": (2, [3])})
        >>> leaves, tree.build([10, 20, 30])
        ([1, 2, 3], {'a': 10, 'b': (20, [30])})
    """
    if isinstance(value, dict):
        items, keys = list(value.values()), tuple(value)
    elif isinstance(value, list | tuple):
        items, keys = list(value), ()
    else:
        return [value], _LEAF
    leaves: list[Any] = []
    parts: list[Tree] = []
    for item in items:
        # Fast path for the most common leaf, without recursion.
        if isinstance(item, NDArray):
            leaves.append(item)
            parts.append(_LEAF)
            continue
        result, part = flatten(item)
        leaves += result
        parts.append(part)
    return leaves, Tree(type(value), keys, tuple(parts))


def flatten_to(value: Any, tree: Tree, what: str) -> list[Any]:
    """Return a leaf of ``value`` for each leaf of ``tree``, where ``value`` may be a prefix of it.

    Args:
        value: A prefix tree, such as one axis for all arrays of an argument: a leaf in place of a
            subtree is repeated.
        tree: The structure.
        what: Name of ``value`` in messages.

    Raises:
        ArgumentError: The structures differ.
    """
    if tree.kind is None:
        return [value]
    if not isinstance(value, dict | list | tuple):
        return [value] * tree.size
    is_dict = issubclass(tree.kind, dict)
    matches = isinstance(value, dict) == is_dict and len(value) == len(tree.parts)
    if not matches or (is_dict and set(value) != set(tree.keys)):
        raise ArgumentError(
            f"{what} {value!r} must have the same structure of tuples, lists and dicts as the "
            "arguments or results it is for"
        )
    items = [value[key] for key in tree.keys] if is_dict else value
    pairs = zip(items, tree.parts, strict=True)
    return [leaf for item, part in pairs for leaf in flatten_to(item, part, what)]


def only_arrays(leaves: Sequence[Any], what: str) -> list[NDArray]:
    """Return the leaves as a list after checking that all are arrays.

    Raises:
        ArgumentError: A leaf is not an array.
    """
    for x in leaves:
        if not isinstance(x, NDArray):
            raise ArgumentError(f"{what} must be an array, got {kind_of(x)}{conversion(x)}")
    return list(leaves)


def tree_map(function: Callable[[Any], Any], value: Any) -> Any:
    """Return a tree of the results of ``function`` on each leaf."""
    leaves, tree = flatten(value)
    return tree.build([function(x) for x in leaves])
