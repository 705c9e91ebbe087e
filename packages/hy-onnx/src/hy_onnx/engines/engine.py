"""Engine: the base of engines: supported operators, options, threads."""

import sys
from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any

from hy_ndarray import ArgumentError, Device
from hy_onnx.model import Array, OnnxNode
from hy_onnx.to_onnx.heads import HEADS
from hy_onnx.to_onnx.registry import converter_of
from hy_onnx.to_onnx.sizes import Sizes
from hy_symbol import BackendError, Node

__all__ = ["Engine", "threads_of"]


class Engine:
    """Base class of engines, which run what :mod:`hy_onnx` can export deterministically.

    Args:
        name: Of the backend, and of the package that it is.
        dtypes: The dtypes that the engine computes with as they are.
        options: Names of options.
    """

    def __init__(self, name: str, dtypes: Collection[str], options: Collection[str]) -> None:
        self.name = name
        self._dtypes = frozenset(dtypes)
        self._options = tuple(options)
        self.package()

    def package(self) -> Any:
        """Return the engine's package.

        Raises:
            BackendError: It is not installed, or cannot be loaded.
        """
        try:
            import_module("onnx")
            return import_module(self.name)
        except ImportError as error:
            raise BackendError(f"{error}: pip install 'hy-onnx[{self.name}]'") from error

    def prepare(self, options: Mapping[str, Any]) -> None:
        """Check the names of options, and the number of threads.

        Raises:
            ArgumentError: An option is unknown, or wrong.
        """
        for name in options:
            if name not in self._options:
                known = ", ".join(self._options)
                raise ArgumentError(f"{self.name}: unknown option {name!r}; known are {known}")
        threads = options.get("threads")
        if threads is not None and (type(threads) is not int or threads < 1):
            raise ArgumentError(f"{self.name}: threads={threads!r} must be an integer above 0")

    def takes(self, node: Node) -> bool:
        """Return whether the engine supports an operator at all, for some types."""
        return not self.why_not(node)

    def why_not(self, node: Node) -> str:
        """Return why the engine does not support a node, as part of a sentence; else empty."""
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
        return "" if converter_of(op) else "has no operator that computes this"

    def objection(self, node: Node, sizes: Sizes) -> str | None:
        """Return why the engine does not run a node for these types; None if it may."""
        entries = [*node.inputs, *[(node, k) for k in range(node.num_visible)]]
        for entry in entries:
            sizes.dims(entry)
            dtype = sizes.dtype(entry)
            if dtype not in self._dtypes:
                return f"computes with {dtype} in another way"
        return None

    def veto(self, node: OnnxNode, constants: Mapping[str, Array]) -> str | None:  # noqa: ARG002
        """Return why the engine does not run an ONNX node with these constants; None if it does."""
        return None


def threads_of(device: Device, options: Mapping[str, Any]) -> int:
    """Return the number of threads: an option, or as many as the device's table uses."""
    threads: int | None = options.get("threads")
    if threads is not None:
        return threads
    if device.buffer_type.__module__.partition(".")[0] == "torch":  # it shares its work itself
        count: int = sys.modules["torch"].get_num_threads()
        return count
    return device.limits.threads
