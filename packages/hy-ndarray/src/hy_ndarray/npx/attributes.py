"""The operator functions that make up ``npx`` and ``npx.image``."""

from typing import Any

from hy_ndarray import ops
from hy_ndarray._functions import array_function

__all__ = ["attribute", "names"]


def names(prefix: str) -> list[str]:
    """Names of the operators that begin with a prefix, without it."""
    found = (name.removeprefix(prefix) for name in ops.names() if name.startswith(prefix))
    return sorted(name for name in found if not name.startswith("_"))


def attribute(module: str, members: dict[str, Any], name: str, prefix: str) -> Any:
    """What a module answers for ``name``; kept in ``members`` for the next time.

    Raises:
        AttributeError: There is no such operator.
    """
    if name.startswith("_") or not ops.exists(prefix + name):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    members[name] = function = array_function(ops.find(prefix + name), name)
    return function
