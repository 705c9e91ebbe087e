"""Builder: an ONNX graph under construction, with nodes, constants and unique names."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hy_onnx.model import Array, OnnxNode

__all__ = ["Builder"]


class Builder:
    """Collects the nodes and constants of an ONNX graph, and creates unique names.

    Args:
        opset: The version of ONNX's operators to write.
        outer: Builder of the enclosing graph, for the body of a loop or branch.
    """

    def __init__(self, opset: int, outer: "Builder | None" = None) -> None:
        # Names in bodies must differ from those outside, as a body sees these.
        self.opset = opset
        self.nodes: list[OnnxNode] = []
        self.constants: dict[str, Array] = {} if outer is None else outer.constants
        self.outputs: set[str] = set()
        """Names that are outputs of the graph already."""
        self.used_inside: set[str] = set() if outer is None else outer.used_inside
        """Names of values that bodies use, from any enclosing graph."""
        self._outer = outer
        self._taken: dict[str, int] = {} if outer is None else outer._taken
        self._shared: dict[Any, str] = {} if outer is None else outer._shared
        self._names: dict[Any, str] = {}

    def inner(self) -> "Builder":
        """Return a builder for a body, which can use values of this graph."""
        return Builder(self.opset, self)

    def fresh(self, preferred: str) -> str:
        """Return a unique name similar to ``preferred``."""
        count = self._taken.get(preferred)
        if count is None:
            self._taken[preferred] = 1
            return preferred
        self._taken[preferred] = count + 1
        return self.fresh(f"{preferred}_{count}")

    def constant(self, value: Array, preferred: str = "constant") -> str:
        """Add a constant, unless an equal one exists; return its name."""
        # Equal constants are one: shapes and zeros are frequent.
        key = value.dtype.name, value.shape, value.tobytes()
        if key not in self._shared:
            name = self._shared[key] = self.fresh(preferred)
            self.constants[name] = value
        return self._shared[key]

    def once(self, key: Any, make: Any) -> str:
        """Return the name cached under a key, here or in an enclosing graph; else call ``make``."""
        name = self._cached_name(key)
        if name is None:
            name = self._names[key] = make()
        return name

    def _cached_name(self, key: Any) -> str | None:
        name = self._names.get(key)
        return self._outer._cached_name(key) if name is None and self._outer is not None else name

    def add(
        self,
        op: str,
        inputs: Sequence[str | None],
        outputs: int,
        preferred: str,
        attrs: Mapping[str, Any],
    ) -> list[str]:
        """Add a node with ``outputs`` outputs; return their names."""
        names = [self.fresh(f"{preferred}_{op}") for _ in range(outputs)]
        operands = [name or "" for name in inputs]
        # Trailing inputs that are left out are dropped; those between are empty names.
        while operands and not operands[-1]:
            operands.pop()
        attributes = {key: value for key, value in attrs.items() if value is not None}
        self.nodes.append(
            OnnxNode(
                op, inputs=tuple(operands), outputs=tuple(names), name=names[0], attrs=attributes
            )
        )
        return names

    def makes(self, name: str, since: int) -> bool:
        """Return whether a node from index ``since`` on has an output ``name``."""
        return any(name in node.outputs for node in self.nodes[since:])

    def rename(self, old: str, new: str, since: int) -> None:
        """Rename a value in the nodes from index ``since`` on."""
        self.nodes[since:] = [_renamed(node, old, new) for node in self.nodes[since:]]

    def ints(self, values: Sequence[int]) -> str:
        """Add a constant int64 vector; return its name."""
        return self.constant(np.array(values, np.int64), "sizes")


def _renamed(node: OnnxNode, old: str, new: str) -> OnnxNode:
    inputs = tuple([new if name == old else name for name in node.inputs])
    outputs = tuple([new if name == old else name for name in node.outputs])
    name = new if node.name == old else node.name
    return OnnxNode(node.op, inputs, outputs, name, node.attrs, node.domain)
