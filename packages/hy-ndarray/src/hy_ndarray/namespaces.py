"""The sub-namespace (``contrib``, ``linalg``, ``random`` …) each operator name belongs to."""

from hy_ndarray import ops

__all__ = ["NAMESPACES", "full_name", "names", "placed"]

NAMESPACES: tuple[tuple[str, str], ...] = (
    ("_contrib_", "contrib"),
    ("_linalg_", "linalg"),
    ("_image_", "image"),
    ("_random_", "random"),
    ("_sample_", "random"),
    ("_sparse_", "sparse"),
)
"""Name prefixes that put an operator into a sub-namespace, under the rest of its name."""


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
