"""Flattening and rebuilding of nested lists of arrays or symbols."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from hy_ndarray._errors import ArgumentError

__all__ = ["Form", "flattened", "regrouped", "steps"]

Form: TypeAlias = Any
"""Structure of a nested list: None for a leaf, a list of structures for a list."""


def flattened(value: Any, leaf: type[Any], what: str) -> tuple[list[Any], Form]:
    """Return the leaves of a nested list in order, and its structure.

    Args:
        value: A leaf, or a list or tuple of such values.
        leaf: The type of leaves.
        what: The name of the value in messages.

    Raises:
        ArgumentError: An element is neither a leaf nor a list.

    Example:
        >>> flattened([1, [2, 3]], int, "x")
        ([1, 2, 3], [None, [None, None]])
    """
    if isinstance(value, leaf):
        return [value], None
    if not isinstance(value, list | tuple):
        kind = type(value).__name__
        raise ArgumentError(f"{what}: expected {leaf.__name__} or a list of them, got {kind}")
    leaves: list[Any] = []
    forms = []
    for item in value:
        flat, form = flattened(item, leaf, what)
        leaves += flat
        forms.append(form)
    return leaves, forms


def regrouped(form: Form, leaves: Sequence[Any]) -> Any:
    """Return a nested list of structure ``form`` with the given leaves.

    Example:
        >>> regrouped([None, [None, None]], "abc")
        ['a', ['b', 'c']]
    """
    rest = iter(leaves)

    def build(part: Form) -> Any:
        return next(rest) if part is None else [build(item) for item in part]

    return build(form)


def steps(max_iterations: Any) -> int:
    """Return the parameter ``max_iterations`` of a loop as an integer.

    Raises:
        ArgumentError: ``max_iterations`` is None, or not a number.

    Example:
        >>> steps("3"), steps(3.7)
        (3, 3)
    """
    if max_iterations is None:
        raise ArgumentError("while_loop: max_iterations must be given")
    try:
        return int(max_iterations)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"while_loop: max_iterations={max_iterations!r} must be an integer"
        ) from None
