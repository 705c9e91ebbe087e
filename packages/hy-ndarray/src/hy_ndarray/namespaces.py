"""The sub-namespace (``contrib``, ``linalg``, ``random`` …) each operator name belongs to."""

from importlib import import_module
from typing import Any

from hy_ndarray import ops

__all__ = [
    "NAMESPACES",
    "extend",
    "extension",
    "extensions",
    "full_name",
    "names",
    "placed",
    "promise",
]

NAMESPACES: tuple[tuple[str, str], ...] = (
    ("_contrib_", "contrib"),
    ("_linalg_", "linalg"),
    ("_image_", "image"),
    ("_random_", "random"),
    ("_sample_", "random"),
    ("_sparse_", "sparse"),
)
"""Name prefixes that put an operator into a sub-namespace, under the rest of its name."""


_EXTENSIONS: dict[str, dict[str, Any]] = {"nd": {}, "npx": {}, "sym": {}}
_PROMISED: dict[tuple[str, str], str] = {}


def extend(world: str, **members: Any) -> None:
    """Add members to ``nd``, ``npx`` or ``sym``, from a package built on this one.

    Args:
        world: ``"nd"``, ``"npx"`` or ``"sym"``.
        members: What to add, by name.
    """
    _EXTENSIONS[world].update(members)


def promise(world: str, module: str, *members: str) -> None:
    """Say that a module adds members by :func:`extend`; it is imported when one is asked for.

    Args:
        world: ``"nd"`` or ``"sym"``.
        module: The module's full name.
        members: Names of what it adds.
    """
    _PROMISED.update({(world, name): module for name in members})


def extension(world: str, name: str) -> Any:
    """What :func:`extend` added under ``name``, or None."""
    if name not in _EXTENSIONS[world] and (world, name) in _PROMISED:
        import_module(_PROMISED[world, name])
    return _EXTENSIONS[world].get(name)


def extensions(world: str) -> dict[str, Any]:
    """All that was added to a world, by name."""
    return dict(_EXTENSIONS[world])


def placed(name: str) -> tuple[str, str]:
    """The sub-namespace of an operator name (``""``: the main one), and its name there.

    Example:
        >>> placed("_contrib_box_nms"), placed("softmax")
        (('contrib', 'box_nms'), ('', 'softmax'))
    """
    for prefix, space in NAMESPACES:
        if name.startswith(prefix):
            return space, name.removeprefix(prefix)
    return "", name


def names(space: str) -> tuple[str, ...]:
    """Names of the operators in a namespace, sorted."""
    found = (placed(name) for name in ops.names())
    return tuple(sorted(name for where, name in found if where == space))


def full_name(name: str, space: str) -> str | None:
    """The operator name behind ``name`` in a namespace, or None if it has none."""
    prefixes = [prefix for prefix, where in NAMESPACES if where == space] or [""]
    return next((p + name for p in prefixes if ops.exists(p + name)), None)
