"""ONNX's function definitions of operators, instantiated for nodes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hy_onnx.model import Dim, OnnxModel, OnnxNode
from hy_onnx.protobuf import from_proto, node_to_proto, onnx_package

__all__ = ["Kind", "definition"]

Kind = tuple[np.dtype[np.generic], Sequence[Dim]]
"""Dtype and sizes of an input."""


def definition(node: OnnxNode, kinds: Sequence[Kind | None], opset: int) -> OnnxModel | None:
    """Expand a node by ONNX's function definition of its operator, if it has one.

    Args:
        node: The node to expand.
        kinds: Dtype and sizes of each input, None for omitted inputs.
        opset: The version of ONNX's operators.

    Returns:
        The definition as a model, with the node's attributes filled in, and inputs and outputs in
        the order of the node's; None if ONNX defines the operator only in prose.
    """
    onnx = onnx_package()
    proto = node_to_proto(node)
    function = _function(onnx, proto, [_type_proto(onnx, kind) for kind in kinds], opset)
    if function is None:
        return None
    attributes = {attribute.name: attribute for attribute in proto.attribute}
    attributes = {**_defaults(onnx, proto, opset), **attributes}
    for inner in function.node:
        _resolve_references(inner, attributes)
    inputs, outputs = (
        [onnx.ValueInfoProto(name=name) for name in names]
        for names in (function.input, function.output)
    )
    graph = onnx.helper.make_graph(function.node, node.op, inputs, outputs)
    model = onnx.helper.make_model(graph, opset_imports=function.opset_import)
    return from_proto(model, f"the definition of {node.op}")


def _schema(onnx: Any, proto: Any, opset: int) -> Any:
    """Return ONNX's schema of an operator, None if unknown."""
    try:
        if proto.domain:
            return onnx.defs.get_schema(proto.op_type, proto.domain)
        return onnx.defs.get_schema(proto.op_type, opset)
    except onnx.defs.SchemaError:
        return None


def _function(onnx: Any, proto: Any, types: Sequence[bytes], opset: int) -> Any:
    """Return the function definition for a version of ONNX's operators, None if there is none."""
    schema = _schema(onnx, proto, opset)
    if schema is None:
        return None
    for versions, find in (
        (schema.function_opset_versions, schema.get_function_with_opset_version),
        (
            schema.context_dependent_function_opset_versions,
            lambda version: schema.get_context_dependent_function_with_opset_version(
                version, proto.SerializeToString(), types
            ),
        ),
    ):
        # The newest definition that the model's version knows.
        fitting = [version for version in versions if proto.domain or version <= opset]
        if fitting:
            return onnx.FunctionProto.FromString(find(max(fitting)))
    return None


def _type_proto(onnx: Any, kind: Kind | None) -> bytes:
    """Return a type as a serialized ``TypeProto``, empty for an omitted input."""
    if kind is None:
        return b""
    dtype, dims = kind
    code = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    return bytes(onnx.helper.make_tensor_type_proto(code, dims).SerializeToString())


def _defaults(onnx: Any, proto: Any, opset: int) -> dict[str, Any]:
    """Return the default values of the attributes of a node's operator."""
    attributes = _schema(onnx, proto, opset).attributes
    return {name: a.default_value for name, a in attributes.items() if a.default_value.name}


def _resolve_references(node: Any, attributes: Mapping[str, Any]) -> None:
    """Replace references to the function's attributes by values, in a node and its bodies."""
    remaining = []
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            attribute_value = attributes.get(attribute.ref_attr_name)
            if attribute_value is None:
                # An optional attribute that the node does not have is left out of the definition,
                # too.
                continue
            name = attribute.name
            attribute.CopyFrom(attribute_value)
            attribute.name = name
        for inner in attribute.g.node:
            _resolve_references(inner, attributes)
        remaining.append(attribute)
    del node.attribute[:]
    node.attribute.extend(remaining)
