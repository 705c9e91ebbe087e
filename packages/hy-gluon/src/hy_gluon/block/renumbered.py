"""Parameter names that differ only in the automatic numbers of layers."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["with_own_numbers"]

_NUMBER = re.compile(r"\d+(?=_|$)")


def with_own_numbers(loaded: Mapping[str, Any], own: Iterable[str]) -> Mapping[str, Any]:
    """Return loaded arrays by the names of the block, which may have other automatic numbers.

    Names of two blocks of the same class differ only in the numbers of layers without a prefix.
    Numbers increase in both, so layers correspond in order.

    Args:
        loaded: Arrays by name.
        own: Names of the block's parameters.

    Returns:
        ``loaded`` by the block's names; ``loaded`` itself if it has these names, or if names differ
        in more than numbers.

    Example:
        >>> with_own_numbers({"fc9_bias": 1, "fc10_bias": 2}, ["fc0_bias", "fc9_bias"])
        {'fc0_bias': 1, 'fc9_bias': 2}
    """
    own = list(own)
    # Exact names win, whatever their numbers.
    if all(name in loaded for name in own):
        return loaded
    ours, theirs = _by_kind(own), _by_kind(loaded)
    if {kind: len(names) for kind, names in ours.items()} != {
        kind: len(names) for kind, names in theirs.items()
    }:
        return loaded
    return {
        name: loaded[other]
        for kind, names in ours.items()
        for name, other in zip(names, theirs[kind], strict=True)
    }


def _by_kind(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names grouped by their text without numbers, ordered by number."""
    by_kind: dict[str, list[str]] = {}
    # By all numbers, as integers: dense10 comes after dense2.
    for name in sorted(names, key=lambda name: [int(n) for n in _NUMBER.findall(name)]):
        by_kind.setdefault(_NUMBER.sub("#", name), []).append(name)
    return by_kind
