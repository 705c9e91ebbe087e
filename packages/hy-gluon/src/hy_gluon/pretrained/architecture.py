"""Architecture: names and settings of a kind of model in its files and in hy, as data."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from hy_gluon.block import HybridBlock
from hy_ndarray import HyError

__all__ = ["Architecture", "Array", "PretrainedError", "Row"]

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class PretrainedError(HyError, ValueError):
    """A folder contains no supported model, or its files do not match."""


@dataclass(frozen=True)
class Row:
    """Name of an array in files, and the parameters that it holds.

    Args:
        stored: Its name; ``{}`` stands for a number.
        ours: The parameter by its place in the net, or several that lie after one another along
            the first axis, with as many ``{}``.
        transposed: Whether the array is stored with its axes swapped.
    """

    stored: str
    ours: str | tuple[str, ...]
    transposed: bool = False

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return (self.ours,) if isinstance(self.ours, str) else self.ours

    def indices(self, pattern: str, name: str) -> tuple[str, ...] | None:
        """Return the numbers in a name that matches this pattern, else None."""
        # A pattern is text with {} for numbers, and its dots are no wildcards.
        match = re.fullmatch(re.escape(pattern).replace(r"\{\}", r"(\d+)"), name)
        return None if match is None else match.groups()

    def split(self, array: Array, sizes: Sequence[int]) -> list[Array]:
        """Return the parameters' arrays, split along the first axis."""
        array = array.T if self.transposed else array
        return [array] if len(sizes) == 1 else np.split(array, np.cumsum(sizes)[:-1])

    def joined(self, arrays: Sequence[Array]) -> Array:
        """Return the stored array, concatenated from the parameters'."""
        whole = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        return np.ascontiguousarray(whole.T) if self.transposed else whole


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """Description of a kind of model: how its ``config.json`` and arrays map to a Gluon net.

    Args:
        kind: Value of ``model_type`` in ``config.json``.
        name: Value to write to ``architectures`` in ``config.json``.
        net: Function from settings to the net.
        settings: Names of the net's settings by their keys in ``config.json``.
        defaults: Values of keys that ``config.json`` may lack.
        fixed: Settings of the net that are the same for all models of the kind.
        demanded: Values that keys of ``config.json`` must have where they are present.
        rows: The arrays, with their names in files and in the net.
        base: Prefix of names that files of the model without a head leave out.
        ignored: Patterns of arrays that hold nothing learned.
        heads: Prefixes of arrays for tasks other than the net's.
    """

    kind: str
    name: str
    net: Callable[..., HybridBlock]
    settings: Mapping[str, str]
    rows: Sequence[Row]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    demanded: Mapping[str, Any] = field(default_factory=dict)
    base: str = ""
    ignored: Sequence[str] = ()
    heads: Sequence[str] = ()

    def settings_of(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of the net for a configuration.

        Raises:
            PretrainedError: It asks for something else than the net here computes.
        """
        for key, value in self.demanded.items():
            if config.get(key, value) != value:
                raise PretrainedError(
                    f"{self.kind}: {key}={config[key]!r} is not supported, only {value!r}"
                )
        whole = {**self.defaults, **config}
        settings = {ours: whole[key] for key, ours in self.settings.items() if key in whole}
        return {**self.fixed, **settings}

    def config_of(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configuration for a net's settings."""
        config = {key: settings[ours] for key, ours in self.settings.items() if ours in settings}
        return {"architectures": [self.name], "model_type": self.kind, **self.demanded, **config}

    def fits(self, net: HybridBlock, settings: Mapping[str, Any]) -> bool:
        """Return whether a net is of this kind."""
        return type(net) is self.net and all(settings[k] == v for k, v in self.fixed.items())

    def find(self, name: str) -> tuple[Row, list[str]] | None:
        """Return the row of a stored array, and its parameters; None if it is unknown."""
        for row in self.rows:
            # Published models have names with the prefix of the base model, bare ones without.
            for full_name in (name, self.base + name):
                numbers = row.indices(row.stored, full_name)
                if numbers is not None:
                    return row, [part.format(*numbers) for part in row.parts]
        return None

    def stored_name(self, parameter: str) -> tuple[Row, str, list[str]] | None:
        """Return the row of the array that starts with a parameter, its name, its parameters."""
        for row in self.rows:
            numbers = row.indices(row.parts[0], parameter)
            if numbers is not None:
                return row, row.stored.format(*numbers), [x.format(*numbers) for x in row.parts]
        return None

    def holds_nothing(self, name: str) -> bool:
        """Return whether an array can be ignored: a buffer, or a head for another task."""
        if name.startswith(tuple(self.heads)):
            return True
        return any(Row(pattern, "").indices(pattern, name) is not None for pattern in self.ignored)
