"""InferenceCache: caches results of type rules, so that equal nodes are inferred once."""

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from hy_ndarray import Params
from hy_ndarray.ops import PartialShape, TensorType
from hy_symbol.graph.node import Node
from hy_symbol.graph.purity import is_user_code

__all__ = ["InferenceCache", "Known"]

Known: TypeAlias = tuple[PartialShape | None, str | None]
"""Shape and dtype of an entry, each None if unknown; sizes in the shape may be None, too."""
_MAX_NODES = 1 << 13
"""Maximal number of cached nodes; a full cache is emptied."""


class InferenceCache:
    """Cache of the output types of nodes by operator, parameters and input types.

    Equal layers, and steps of an unrolled loop, have equal parameters, so the rule runs once for
    all of them. The number of entries is limited, as a program may use many sizes.
    """

    def __init__(self) -> None:
        self._same: dict[Hashable, tuple[Params, list[Known]]] = {}
        """Results by id of the parameters, which the value keeps alive so that ids stay valid."""
        self._equal: dict[Hashable, list[Known]] = {}

    def cached_types(self, node: Node, inputs: Sequence[Known]) -> list[Known] | None:
        """Return the types of a node's outputs, None if the inputs do not determine them.

        Args:
            node: An operator without bodies.
            inputs: Types of the node's inputs.

        Raises:
            HyError: The rule rejects these inputs.
        """
        params = node.params
        # Copies of a node share its parameters, so most are found by id, without hashing their
        # values.
        key = node.op, id(params), *inputs
        cached = self._same.get(key)
        if cached is not None:
            return cached[1]
        # With incomplete inputs a rule may also infer inputs, which a cache of outputs cannot hold.
        for shape, dtype in inputs:
            if shape is None or dtype is None or None in shape:
                return None
        types = self._infer_cached(node, params, inputs)
        if types is not None:
            if len(self._same) >= _MAX_NODES:
                self._same.clear()
                self._equal.clear()
            self._same[key] = params, types
        return types

    def _infer_cached(
        self, node: Node, params: Params, input_types: Sequence[Known]
    ) -> list[Known] | None:
        """Return the output types from the cache by value of the parameters, or apply the rule."""
        # A custom operator's rule may give another result the next time.
        key = None if is_user_code(node) else _key(node, params, input_types)
        cached = None if key is None else self._equal.get(key)
        if cached is not None:
            return cached
        op, names = node.op, node.input_names
        assert op is not None
        inputs = [TensorType(*each, name) for each, name in zip(input_types, names, strict=True)]
        results = op.infer(node.operands(inputs), params, node=node.name)
        if len(results) != node.num_outputs:
            return None
        types: list[Known] = [(t.shape, t.dtype) for t in results]
        if key is not None:
            self._equal[key] = types
        return types


def _key(node: Node, params: Params, inputs: Sequence[Known]) -> Hashable | None:
    """Return a cache key in which 1, 1.0 and True differ; None if a parameter is unhashable."""
    values = params.values()
    key = node.op, *params, *values, *map(type, values), *inputs
    try:
        hash(key)
    except TypeError:
        return None
    return key
