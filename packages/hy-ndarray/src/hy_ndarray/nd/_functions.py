"""Operators as functions on arrays, and the namespace each of their names belongs to."""

from collections.abc import Callable
from typing import Any

from hy_ndarray import _dispatch, ops
from hy_ndarray.context import Context
from hy_ndarray.ops import Operator

__all__ = ["NAMESPACES", "array_function", "attribute", "lookup", "names", "placed"]

NAMESPACES: tuple[tuple[str, str], ...] = (
    ("_contrib_", "contrib"),
    ("_linalg_", "linalg"),
    ("_image_", "image"),
    ("_random_", "random"),
    ("_sample_", "random"),
    ("_sparse_", "sparse"),
)
"""Name prefixes that put an operator into a sub-namespace, under the rest of its name."""

_WORLD_ARGUMENTS = ("out", "name", "attr")


def placed(name: str) -> tuple[str, str]:
    """The sub-namespace of an operator name (``""``: the main one), and its name there."""
    for prefix, space in NAMESPACES:
        if name.startswith(prefix):
            return space, name.removeprefix(prefix)
    return "", name


def names(space: str) -> tuple[str, ...]:
    """Names of the operators in a namespace, sorted."""
    found = (placed(name) for name in ops.names())
    return tuple(sorted(name for where, name in found if where == space))


def lookup(name: str, space: str) -> Callable[..., Any] | None:
    """The function called ``name`` in a namespace, or None."""
    prefixes = [prefix for prefix, where in NAMESPACES if where == space] or [""]
    for prefix in prefixes:
        if ops.exists(prefix + name):
            return array_function(ops.find(prefix + name), name)
    return None


def attribute(module: str, members: dict[str, Any], name: str, space: str) -> Any:
    """What a namespace module answers for ``name``; kept in ``members`` for the next time.

    Raises:
        AttributeError: The namespace has no such operator.
    """
    function = lookup(name, space)
    if function is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    members[name] = function
    return function


def array_function(op: Operator, name: str) -> Callable[..., Any]:
    """``op`` as a function on arrays, with MXNet's calling convention.

    Inputs and parameters positional or by keyword; ``out=`` takes the array to write to, and
    ``ctx=`` the place, for operators that create. ``name=`` and ``attr=`` are for symbols and
    have no effect.
    """

    def function(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == len(op.inputs) and op.plain and not op.variadic:
            return _dispatch.invoke(op, args, op.parse({}))
        out = None
        if kwargs:
            out = kwargs.pop("out", None)
            kwargs.pop("name", None)
            kwargs.pop("attr", None)
        bound = op.bind(args, kwargs)
        context = Context.parse(bound.ctx) if bound.ctx else None
        return _dispatch.invoke(op, bound.inputs, bound.params, out=out, context=context)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "hy_ndarray.nd"
    function.__doc__ = op.doc
    return function
