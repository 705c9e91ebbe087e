"""Engine: base class of engines, with supported operators, options and threads."""

import sys
from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any

from hy_ndarray import ArgumentError, Device
from hy_onnx.model import Array, OnnxNode
from hy_onnx.to_onnx.heads import HEADS
from hy_onnx.to_onnx.registry import is_written
from hy_onnx.to_onnx.sizes import Sizes
from hy_symbol import BackendError, Node

__all__ = ["Engine", "threads_of"]


class Engine:
    """Base class of engines, which run all deterministic operators that :mod:`hy_onnx` can export.

    Args:
        name: Name of the backend and of its Python package.
        dtypes: Dtypes with which the engine computes without conversion.
        options: Names of the supported options.
    """

    def __init__(self, name: str, dtypes: Collection[str], options: Collection[str]) -> None:
        self.name = name
        self._dtypes = frozenset(dtypes)
        self._options = tuple(options)
        self.package()

    def package(self) -> Any:
        """Import and return the engine's package.

        Raises:
            BackendError: The package is not installed, or cannot be loaded.
        """
        try:
            import_module("onnx")
            return import_module(self.name)
        except ImportError as error:
            raise BackendError(f"{error}: pip install 'hy-onnx[{self.name}]'") from error

    def prepare(self, options: Mapping[str, Any]) -> None:
        """Check the names of options, and the number of threads.

        Raises:
            ArgumentError: An option is unknown, or has an invalid value.
        """
        for name in options:
            if name not in self._options:
                known = ", ".join(self._options)
                raise ArgumentError(f"{self.name}: unknown option {name!r}; known are {known}")
        threads = options.get("threads")
        if threads is not None and (type(threads) is not int or threads < 1):
            raise ArgumentError(f"{self.name}: threads={threads!r} must be an integer above 0")

    def takes(self, node: Node) -> bool:
        """Return whether the engine supports a node, for some types at least."""
        return not self.why_not(node)

    def why_not(self, node: Node) -> str:
        """Return the reason why a node is not supported, as part of a sentence; else empty."""
        op = node.op
        assert op is not None
        if node.bodies:
            return "runs no loops and branches"
        if op.name in HEADS:
            return ""
        # Random numbers would come from the engine's generator, not from MXNet's seed.
        if op.draws(node.params, False):
            return "would draw other random numbers"
        if op.updated(node.params, False):
            return "does not write to what it is given"
        return "" if is_written(op) else "has no operator that computes this"

    def objection(self, node: Node, sizes: Sizes) -> str | None:
        """Return the reason why a node cannot run with these types, None if it can."""
        entries = [*node.inputs, *[(node, k) for k in range(node.num_visible)]]
        for entry in entries:
            sizes.dims(entry)
            dtype = sizes.dtype(entry)
            if dtype not in self._dtypes:
                return f"computes with {dtype} in another way"
        return None

    def veto(self, node: OnnxNode, constants: Mapping[str, Array]) -> str | None:  # noqa: ARG002
        """Return the reason why an ONNX node with these constants cannot run, None if it can."""
        return None


def threads_of(device: Device, options: Mapping[str, Any]) -> int:
    """Return the option ``threads``, by default the number of threads of the device's table."""
    threads: int | None = options.get("threads")
    if threads is not None:
        return threads
    if device.buffer_type.__module__.partition(".")[0] == "torch":  # it shares its work itself
        count: int = sys.modules["torch"].get_num_threads()
        return count
    return device.limits.threads
