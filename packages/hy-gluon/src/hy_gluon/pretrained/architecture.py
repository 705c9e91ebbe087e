"""Architecture: mapping of a kind of model between Hugging Face's files and a Gluon net."""

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
    """Name of an array in files, and the parameters stored in it.

    Args:
        stored: Name of the array in files, with ``{}`` for each number.
        ours: Scope path of the parameter, or of several that are concatenated along the first axis;
            with the same number of ``{}``.
        transposed: Whether the array is stored transposed.
    """

    stored: str
    ours: str | tuple[str, ...]
    transposed: bool = False

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Scope paths of the parameters."""
        return (self.ours,) if isinstance(self.ours, str) else self.ours

    def indices(self, pattern: str, name: str) -> tuple[str, ...] | None:
        """Return the numbers in ``name`` at each ``{}`` of ``pattern``; None without a match."""
        # A pattern is text with {} for numbers, and its dots are no wildcards.
        match = re.fullmatch(re.escape(pattern).replace(r"\{\}", r"(\d+)"), name)
        return None if match is None else match.groups()

    def split(self, array: Array, sizes: Sequence[int]) -> list[Array]:
        """Return the parameters' arrays: ``array`` split along the first axis into ``sizes``."""
        array = array.T if self.transposed else array
        return [array] if len(sizes) == 1 else np.split(array, np.cumsum(sizes)[:-1])

    def joined(self, arrays: Sequence[Array]) -> Array:
        """Return the stored array: the parameters' arrays concatenated along the first axis."""
        whole = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        return np.ascontiguousarray(whole.T) if self.transposed else whole


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """Mapping of a kind of model between ``config.json``, arrays in files, and a Gluon net.

    Args:
        kind: Value of ``model_type`` in ``config.json``.
        name: Value to write to ``architectures`` in ``config.json``.
        net: Function from settings to the net.
        settings: Names of the net's settings by their keys in ``config.json``.
        defaults: Values of keys that ``config.json`` may lack.
        fixed: Settings of the net that are the same for all models of the kind.
        demanded: Required values of keys in ``config.json``, if they are present.
        rows: Names of the arrays in files and in the net.
        base: Prefix of names that is missing in files of the model without a head.
        ignored: Patterns of arrays without learned values.
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
        """Return the net's settings for a configuration.

        Raises:
            PretrainedError: The configuration requires a variant that is not supported.
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
        """Return the contents of ``config.json`` for a net's settings."""
        config = {key: settings[ours] for key, ours in self.settings.items() if ours in settings}
        return {"architectures": [self.name], "model_type": self.kind, **self.demanded, **config}

    def fits(self, net: HybridBlock, settings: Mapping[str, Any]) -> bool:
        """Return whether a net with these settings is a model of this kind."""
        return type(net) is self.net and all(settings[k] == v for k, v in self.fixed.items())

    def find(self, name: str) -> tuple[Row, list[str]] | None:
        """Return the row and scope paths for an array's name in a file; None if unknown."""
        for row in self.rows:
            # Published models have names with the prefix of the base model, bare ones without.
            for full_name in (name, self.base + name):
                numbers = row.indices(row.stored, full_name)
                if numbers is not None:
                    return row, [part.format(*numbers) for part in row.parts]
        return None

    def stored_name(self, parameter: str) -> tuple[Row, str, list[str]] | None:
        """Return (row, name in files, scope paths) of the array that begins with a parameter.

        None if the parameter is not the first one of an array.
        """
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
