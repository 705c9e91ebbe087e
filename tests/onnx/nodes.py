"""Nodes of every operator that is read, at every version of it, with attributes and without."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.defs import OpSchema, get_all_schemas_with_history

__all__ = ["NEWEST", "Row", "case_of", "history", "opened"]

NEWEST = 24
"""Of the versions that onnxruntime runs."""


@dataclass(frozen=True)
class Row:
    """Values for an operator; which of them are attributes depends on its version."""

    op: str
    feeds: tuple[Any, ...]
    """What comes when the model runs."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Attributes, and inputs that are constants of the model, by name."""
    since: int = 1
    until: int = NEWEST

    def __str__(self) -> str:
        told = ",".join(f"{name}={_short(value)}" for name, value in self.params.items())
        shapes = ",".join("x".join(map(str, np.shape(x))) for x in self.feeds)
        dtype = np.asarray(self.feeds[0]).dtype if self.feeds else ""
        return f"{self.op}({dtype} {shapes};{told})"


def _short(value: Any) -> str:
    return str(value).replace(" ", "").replace("\n", "")[:30]


def history() -> dict[str, list[OpSchema]]:
    """The schemas of ONNX's operators, from old to new."""
    found: dict[str, list[OpSchema]] = {}
    for schema in get_all_schemas_with_history():
        if not schema.domain and schema.since_version <= NEWEST:
            found.setdefault(schema.name, []).append(schema)
    return {name: sorted(s, key=lambda each: each.since_version) for name, s in found.items()}


def case_of(row: Row, schema: OpSchema, *, known: bool) -> tuple[onnx.ModelProto, dict[str, Any]]:
    """A model of one node, and its inputs by name.

    Args:
        row: The values.
        schema: The version of the operator.
        known: Whether all inputs are constants of the model.
    """
    attributes = {k: v for k, v in row.params.items() if k in schema.attributes}
    names: list[str] = []
    weights: dict[str, Any] = {}
    feeds: dict[str, Any] = {}
    for i, name in enumerate(_inputs(schema, len(row.feeds))):
        if i < len(row.feeds):
            (weights if known else feeds)[name] = row.feeds[i]
        elif name in row.params:
            weights[name] = row.params[name]
        names.append(name if name in weights or name in feeds else "")
    while names and not names[-1]:
        names.pop()
    outputs = [f"y{i}" for i in range(_count(row, schema))]
    node = helper.make_node(row.op, names, outputs, **_typed(attributes, schema))
    feeds = {k: np.asarray(v) for k, v in feeds.items()}
    inputs = [
        helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
        for k, v in feeds.items()
    ]
    arrays = [numpy_helper.from_array(np.asarray(v), k) for k, v in weights.items()]
    graph = helper.make_graph(
        [node], "g", inputs, [onnx.ValueInfoProto(name=name) for name in outputs], arrays
    )
    opsets = [helper.make_opsetid("", schema.since_version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), feeds


def opened(model: onnx.ModelProto, feeds: Mapping[str, Any], *, channels: bool) -> dict[str, Any]:
    """Open the sizes of a model's first input; the others become constants of it.

    Args:
        model: The model; changed.
        feeds: Its inputs by name.
        channels: Whether the second size, too.

    Returns:
        The first input alone.
    """
    first, *others = list(model.graph.input)
    for value in others:
        weight = numpy_helper.from_array(feeds[value.name], value.name)
        model.graph.initializer.append(weight)
        model.graph.input.remove(value)
    for axis, dim in enumerate(first.type.tensor_type.shape.dim):
        if channels or axis != 1:
            dim.dim_param = f"n{axis}"
    return {first.name: feeds[first.name]}


def _inputs(schema: OpSchema, least: int) -> Iterator[str]:
    """Names of the inputs; of one that stands for several each has a number."""
    for given in schema.inputs:
        if given.option == OpSchema.FormalParameterOption.Variadic:
            yield from (f"{given.name}{i}" for i in range(least))
        else:
            yield given.name


def _count(row: Row, schema: OpSchema) -> int:
    wanted = row.params.get("outputs", 1)
    return int(min(wanted, schema.max_output))


def _typed(attributes: Mapping[str, Any], schema: OpSchema) -> dict[str, Any]:
    """Attributes as a version has them: dtypes had names, and numbers were lists."""
    return {name: _value(schema.attributes[name].type, v) for name, v in attributes.items()}


def _value(kind: Any, value: Any) -> Any:
    kinds = OpSchema.AttrType
    if kind == kinds.STRING:
        return TensorProto.DataType.Name(value) if isinstance(value, int) else value
    if kind == kinds.TENSOR:
        return numpy_helper.from_array(np.asarray(value))
    if kind == kinds.STRINGS:
        return value
    numbers = [float(n) if kind in (kinds.FLOAT, kinds.FLOATS) else int(n) for n in np.ravel(value)]
    return numbers[0] if kind in (kinds.FLOAT, kinds.INT) else numbers
