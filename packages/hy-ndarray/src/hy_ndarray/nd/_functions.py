"""The operator functions that make up the namespaces."""

from typing import Any

from hy_ndarray import ops
from hy_ndarray._functions import array_function
from hy_ndarray.namespaces import full_name, names

__all__ = ["array_function", "attribute", "names"]


def attribute(module: str, members: dict[str, Any], name: str, space: str) -> Any:
    """What a namespace module answers for ``name``; kept in ``members`` for the next time.

    Raises:
        AttributeError: The namespace has no such operator.
    """
    full = full_name(name, space)
    if full is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    members[name] = function = array_function(ops.find(full), name)
    return function
