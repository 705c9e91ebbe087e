"""Initializers that select among other initializers, or copy loaded values."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_gluon import files
from hy_gluon.initializer.base import InitializerError, create
from hy_ndarray import NDArray, ShapeError

__all__ = ["Load", "Mixed"]

_log = logging.getLogger(__name__)


class Load:
    """Takes values from loaded parameters, and others from a default initializer.

    Args:
        param: Arrays by name, with or without ``arg:`` and ``aux:``, or a file of them.
        default_init: Initializer of missing names, as an argument of :func:`create`.
        verbose: Whether to log a line (level INFO) for each array.

    Raises:
        InitializerError: When called: a name is missing and there is no ``default_init``.
        ShapeError: When called: the shapes differ.
    """

    def __init__(
        self,
        param: Mapping[str, Any] | str,
        default_init: Callable[[str, NDArray], object] | str | dict[str, Any] | None = None,
        verbose: bool = False,
    ) -> None:
        loaded = files.load(param) if isinstance(param, str) else param
        if not isinstance(loaded, Mapping):
            raise InitializerError(
                f"Load needs a dict of arrays by name, not {type(loaded).__name__}"
            )
        self.param = {
            name[4:] if name.startswith(("arg:", "aux:")) else name: array
            for name, array in loaded.items()
        }
        self.default_init = None if default_init is None else create(default_init)
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fill ``arr``, the array called ``name``."""
        if name not in self.param:
            if self.default_init is None:
                raise InitializerError(
                    f"parameter {name!r} is not among the loaded ones; give Load a default_init"
                )
            self.default_init(name, arr)
            source = "by default"
        else:
            value = self.param[name]
            if tuple(value.shape) != arr.shape:
                raise ShapeError(
                    f"parameter {name!r} {arr.shape} cannot take the loaded {tuple(value.shape)}"
                )
            arr[:] = value
            source = "by loading"
        if self.verbose:
            _log.info("Initialized %s %s", name, source)


class Mixed:
    """Uses the first initializer whose pattern matches the name.

    Args:
        patterns: Regular expressions, matched from the beginning of a name.
        initializers: One for each pattern, as arguments of :func:`create`.

    Raises:
        InitializerError: The lengths differ, or one is no initializer; when called: no pattern
            matches.

    Example:
        >>> from hy_gluon.initializer import One, Zero
        >>> from hy_ndarray import nd
        >>> init = Mixed(["fc1_.*", ".*"], [Zero(), One()])
        >>> weight = nd.empty((2,))
        >>> init("fc2_weight", weight)
        >>> weight.asnumpy()
        array([1., 1.], dtype=float32)
    """

    def __init__(
        self,
        patterns: Sequence[str],
        initializers: Sequence[Callable[[str, NDArray], object] | str | dict[str, Any]],
    ) -> None:
        if len(patterns) != len(initializers):
            raise InitializerError(
                f"Mixed: {len(patterns)} patterns, but {len(initializers)} initializers"
            )
        self.map = [
            (re.compile(p), create(init)) for p, init in zip(patterns, initializers, strict=True)
        ]

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fill ``arr``, the array called ``name``."""
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise InitializerError(
            f"parameter {name!r} matches no pattern; add '.*' with an initializer at the end"
        )
