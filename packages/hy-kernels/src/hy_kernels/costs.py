"""Temporary changes to the costs of a table, for benchmarks and for other machines."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["changed"]


@contextmanager
def changed(costs: Any, **families: Mapping[str, Any]) -> Iterator[None]:
    """Change costs of a kernel table within a ``with`` block.

    Kernels that were specialised before are not affected.

    Args:
        costs: ``COSTS`` of the table.
        families: New values of fields, by family.

    Raises:
        ValueError: A family has no such field.

    Example:
        >>> from hy_kernels.numpy.costs import COSTS
        >>> with changed(COSTS, threads={"rows": 1 << 60}):
        ...     COSTS.threads.rows == 1 << 60
        True
        >>> COSTS.threads.rows
        262144
    """
    before = {name: getattr(costs, name) for name in families}
    for name, more in families.items():
        unknown = sorted(more.keys() - set(before[name]._fields))
        if unknown:
            raise ValueError(f"costs of {name!r} have no {', '.join(unknown)}")
    others = {name: before[name]._replace(**more) for name, more in families.items()}
    try:
        for name, family in others.items():
            setattr(costs, name, family)
        yield
    finally:
        for name, family in before.items():
            setattr(costs, name, family)
