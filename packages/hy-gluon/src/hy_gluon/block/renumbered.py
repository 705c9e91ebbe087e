"""Parameter names that differ from a block's only in their automatic numbers."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["with_own_numbers"]

_NUMBER = re.compile(r"\d+(?=_|$)")


def with_own_numbers(loaded: Mapping[str, Any], own: Iterable[str]) -> Mapping[str, Any]:
    """Return loaded arrays under the names that the block's own parameters have.

    Two blocks of one class have the same names, but for the numbers of layers without a prefix.
    Those count up in both, so the first of one is the first of the other.

    Args:
        loaded: Arrays by name.
        own: Names of the block's parameters.

    Returns:
        ``loaded`` by the block's names; as it is where those are there, or where names differ in
        something else.

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
