"""Costs of a table changed for a while: by benchmarks, and on machines that differ."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["changed"]


@contextmanager
def changed(costs: Any, **families: Mapping[str, Any]) -> Iterator[None]:
    """Replace the costs of a kernel table; what was prepared before stays unchanged.

    Args:
        costs: ``COSTS`` of the table.
        families: Fields and numbers, by family.

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
    others = {name: getattr(costs, name)._replace(**more) for name, more in families.items()}
    before = {name: getattr(costs, name) for name in families}
    try:
        for name, family in others.items():
            setattr(costs, name, family)
        yield
    finally:
        for name, family in before.items():
            setattr(costs, name, family)
