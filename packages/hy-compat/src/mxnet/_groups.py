"""Contexts for groups of a graph's nodes, per device of a module."""

from typing import Any

from hy_ndarray import Context, HyError

__all__ = ["GroupsError", "contexts_by_device"]


class GroupsError(HyError, AssertionError):
    """Contexts of groups are not given for each device."""


def contexts_by_device(group2ctxs: Any, count: int) -> list[dict[str, Context] | None]:
    """Return, for each device, the context of each group of nodes.

    Args:
        group2ctxs: A list of one dictionary per device; or one dictionary, whose values are a
            context or a list of contexts (one, or one per device); or None.
        count: Number of devices.

    Raises:
        GroupsError: ``group2ctxs`` is of another type or length.
    """
    if group2ctxs is None:
        return [None] * count
    if isinstance(group2ctxs, list):
        if len(group2ctxs) != count:
            raise GroupsError(f"length of group2ctxs should be {count}, not {len(group2ctxs)}")
        return list(group2ctxs)
    if not isinstance(group2ctxs, dict):
        raise GroupsError(
            "group2ctxs should be list of dict of str to context, or dict of str to context or "
            f"list of context, not {group2ctxs!r}"
        )
    return [
        {name: _of(value, i, count) for name, value in group2ctxs.items()} for i in range(count)
    ]


def _of(contexts: Any, i: int, count: int) -> Context:
    if isinstance(contexts, Context):
        return contexts
    if len(contexts) == 1:
        contexts = list(contexts) * count
    if len(contexts) != count:
        raise GroupsError(f"length of a list of contexts should be {count}, not {len(contexts)}")
    context: Context = contexts[i]
    return context
