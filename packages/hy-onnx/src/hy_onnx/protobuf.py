"""Reads and writes ONNX models as protobuf messages and files."""

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from hy_io import atomic_write, kind_of_file, local_path, map_file, write_parts
from hy_ndarray import numpy_type
from hy_onnx.external_data import ExternalData
from hy_onnx.model import Array, OnnxGraph, OnnxModel, OnnxNode, ValueInfo
from hy_onnx.wire import GRAPH, INITIALIZER, RAW_DATA, length, split
from hy_symbol.exchange import ImportModelError, MissingOnnxError, OnnxError

__all__ = [
    "from_proto",
    "load",
    "node_to_proto",
    "onnx_package",
    "save",
    "serialized",
    "to_proto",
]

_LARGEST = 1_900_000_000
"""Limit on the bytes of weights in one message, which leaves room for the rest."""

_MAX_BYTES = 2**31 - 1
"""Maximal size of a protobuf message in bytes."""

_SMALL = 1024
"""Bytes up to which an array is stored in the model rather than as external data."""

_TYPES = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "float16": "FLOAT16",
    "bfloat16": "BFLOAT16",
    "uint8": "UINT8",
    "int8": "INT8",
    "int32": "INT32",
    "int64": "INT64",
    "bool": "BOOL",
}
_IR = dict(
    zip(range(13, 29), (7, 7, 8, 8, 8, 8, 9, 9, 10, 10, 11, 12, 13, 13, 13, 14), strict=True)
)
"""IR version by opset, as released together."""


def onnx_package() -> Any:
    """Return the package ``onnx``, imported on first use.

    Raises:
        MissingOnnxError: The package is not installed.
    """
    try:
        return import_module("onnx")
    except ImportError as error:
        raise MissingOnnxError(
            "ONNX needs the package onnx: pip install 'hy-onnx[onnx]'"
        ) from error


def _data_type(onnx: Any, dtype: str) -> int:
    return int(getattr(onnx.TensorProto, _TYPES[dtype]))


def _tensor(onnx: Any, name: str, array: Array) -> Any:
    tensor = onnx.TensorProto(name=name, dims=array.shape)
    tensor.data_type = _data_type(onnx, array.dtype.name)
    tensor.raw_data = _little_endian(array).tobytes()
    return tensor


def _value(onnx: Any, value: ValueInfo) -> Any:
    make = onnx.helper.make_tensor_value_info
    return make(value.name, _data_type(onnx, value.dtype), value.shape)


def _attribute(onnx: Any, value: Any) -> Any:
    if isinstance(value, OnnxGraph):
        return _graph(onnx, value)
    return _tensor(onnx, "", value) if isinstance(value, np.ndarray) else value


def _node(onnx: Any, node: OnnxNode) -> Any:
    attrs = {key: _attribute(onnx, value) for key, value in node.attrs.items()}
    names = {"name": node.name, "domain": node.domain}
    return onnx.helper.make_node(node.op, node.inputs, node.outputs, **names, **attrs)


def _graph(onnx: Any, graph: OnnxGraph) -> Any:
    nodes = [_node(onnx, node) for node in graph.nodes]
    return onnx.helper.make_graph(
        nodes,
        graph.name,
        [_value(onnx, value) for value in graph.inputs],
        [_value(onnx, value) for value in graph.outputs],
        [_tensor(onnx, name, array) for name, array in graph.initializers.items()],
    )


def node_to_proto(node: OnnxNode) -> Any:
    """Convert a node to ``onnx.NodeProto``."""
    return _node(onnx_package(), node)


def to_proto(model: OnnxModel) -> Any:
    """Convert a model to ``onnx.ModelProto``."""
    onnx = onnx_package()
    opsets = [onnx.helper.make_opsetid("", model.opset)]
    proto = onnx.helper.make_model(
        _graph(onnx, model.graph), producer_name="hy", opset_imports=opsets
    )
    proto.ir_version = _IR[model.opset]
    onnx.helper.set_model_props(proto, model.metadata)
    return proto


def serialized(model: OnnxModel, elsewhere: Collection[str] = ()) -> bytes:
    """Serialize a model to bytes.

    Args:
        model: The model.
        elsewhere: Names of weights whose values are omitted, as the reader gets them otherwise.

    Raises:
        OnnxError: The model is too large for one message.
    """
    onnx = onnx_package()
    weights = model.graph.initializers
    # The graph without weights first: protobuf copies what is put into a message.
    proto = to_proto(replace(model, graph=replace(model.graph, initializers={})))
    inside = {name: array for name, array in weights.items() if name not in elsewhere}
    size = sum(array.nbytes for array in inside.values())
    # Messages of protobuf hold less than 2 GiB.
    if size > _LARGEST:
        raise OnnxError(
            f"the weights have {size} bytes, and one message of ONNX holds {_MAX_BYTES}"
        )
    for name, array in weights.items():
        proto.graph.initializer.append(
            _tensor(onnx, name, array)
            if name in inside
            # "given": no file; the session is handed these arrays.
            else _external_initializer(onnx, name, array, location="given")
        )
    content: bytes = proto.SerializeToString()
    return content


def save(model: OnnxModel, path: str, *, external: bool | None = None, infer: bool = False) -> None:
    """Write a model to a file; values in mapped files are copied by the system.

    Args:
        model: The model.
        path: The file, which is replaced atomically.
        external: Whether weights are written to ``<path>.data``, which must be kept beside the
            model; None: only if they are too large for one file.
        infer: Whether ONNX's shape inference is run, and its results stored in the model.

    Raises:
        OnnxError: The model is too large for one file, or shape inference fails.
        OSError: A file cannot be written.
    """
    onnx = onnx_package()
    weights = model.graph.initializers
    proto = to_proto(replace(model, graph=replace(model.graph, initializers={})))
    if infer:
        try:
            proto = _with_inferred_shapes(onnx, proto, weights)
        except onnx.shape_inference.InferenceError as error:
            raise OnnxError(f"{path}: ONNX's inference refuses the model: {error}") from error
    # Large models have their weights beside them, as protobuf cannot hold them.
    if external is None:
        external = sum(array.nbytes for array in weights.values()) > _LARGEST
    if external:
        external_arrays = {name: array for name, array in weights.items() if array.nbytes > _SMALL}
        weights = {name: array for name, array in weights.items() if name not in external_arrays}
        if external_arrays:
            _write_external_data(onnx, proto, local_path(path), external_arrays)
    _write_model(onnx, path, proto, weights)


def _with_inferred_shapes(onnx: Any, proto: Any, weights: Mapping[str, Array]) -> Any:
    """Return a model with shapes inferred by ONNX, to which large weights are not passed."""
    whole = onnx.ModelProto()
    whole.CopyFrom(proto)
    for name, array in weights.items():
        # Values of floats do not matter for shapes; those of integers may be shapes.
        if array.dtype.kind == "f" and array.nbytes > _SMALL:
            whole.graph.initializer.append(
                _external_initializer(onnx, name, array, location="none")
            )
        else:
            whole.graph.initializer.append(_tensor(onnx, name, array))
    model = onnx.shape_inference.infer_shapes(whole, strict_mode=True, data_prop=True)
    model.graph.ClearField("initializer")
    return model


def _external_initializer(onnx: Any, name: str, array: Array, **where: object) -> Any:
    """Create an initializer that refers to external data, by the entries ``where``."""
    tensor = onnx.TensorProto(name=name, dims=array.shape)
    tensor.data_type = _data_type(onnx, array.dtype.name)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in where.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def _write_model(onnx: Any, path: str, proto: Any, weights: Mapping[str, Array]) -> None:
    """Write a model with initializers, whose values are not copied into the message.

    Fields of a protobuf message may be in any order, so the graph is written at the end of the
    model, and the initializers at the end of the graph.
    """
    graph = proto.graph.SerializeToString()
    proto.ClearField("graph")
    # Lengths are known before values are written, so the file is written in one pass.
    heads = [_initializer_head(onnx, name, array) for name, array in weights.items()]
    size = len(graph) + sum(map(len, heads)) + sum(array.nbytes for array in weights.values())
    begin = proto.SerializeToString() + length(GRAPH, size) + graph
    size += len(begin) - len(graph)
    if size > _MAX_BYTES:
        raise OnnxError(
            f"{path}: the model has {size} bytes, and one file of ONNX holds {_MAX_BYTES}; let "
            "weights lie in a file of their own: external_data=True"
        )
    with atomic_write(path, size=size) as file:
        # Values go to the file from where they are: no second copy of the weights.
        values = map(_little_endian, weights.values())
        write_parts(file, chain([begin], chain.from_iterable(zip(heads, values, strict=True))))


def _initializer_head(onnx: Any, name: str, array: Array) -> bytes:
    """Return the bytes of an initializer, a field of the graph, up to its values."""
    tensor = onnx.TensorProto(name=name, dims=array.shape)
    tensor.data_type = _data_type(onnx, array.dtype.name)
    content: bytes = tensor.SerializeToString() + length(RAW_DATA, array.nbytes)
    return length(INITIALIZER, len(content) + array.nbytes) + content


def _little_endian(array: Array) -> memoryview:
    """Return an array's values as little-endian bytes, without a copy if possible."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return little.reshape(-1).view(np.uint8).data


def _write_external_data(onnx: Any, proto: Any, path: Path, arrays: Mapping[str, Array]) -> None:
    """Write arrays to an external data file, and references to them into the model."""
    target = path.with_name(f"{path.name}.data")
    offset = 0
    for name, array in arrays.items():
        where = {"location": target.name, "offset": offset, "length": array.nbytes}
        proto.graph.initializer.append(_external_initializer(onnx, name, array, **where))
        offset += array.nbytes
    # The values are written first, so that the model never names what is not there.
    with atomic_write(target, size=offset) as file:
        write_parts(file, map(_little_endian, arrays.values()))


def load(path: str | os.PathLike[str]) -> OnnxModel:
    """Load a model with external data; large weights are views of the mapped file.

    Raises:
        ImportModelError: The file is not an ONNX model, or external data is missing.
        OSError: A file cannot be read.
    """
    onnx = onnx_package()
    try:
        # Parsed without its large weights, which stay in the mapped file.
        parts = split(map_file(path), _SMALL)
        proto = onnx.load_model_from_string(parts.model)
        tensors = [(onnx.TensorProto.FromString(head), values) for head, values in parts.tensors]
    except OSError:
        raise
    except Exception as error:  # protobuf's own
        kind = kind_of_file(path)
        other = "" if kind is None or kind.form in ("onnx", "text") else f"it holds {kind.what}"
        why = f"{other}; {kind.how}" if kind is not None and other else str(error)
        raise ImportModelError(f"{path}: holds no ONNX model: {why}") from error
    model = from_proto(proto, str(path))
    try:
        views = {
            _text(tensor.name): _tensor_values(onnx, tensor, values) for tensor, values in tensors
        }
    except (ValueError, TypeError, KeyError) as error:
        raise ImportModelError(f"{path}: is damaged: {error}") from error
    model.graph.initializers.update(views)
    return model


def _tensor_values(onnx: Any, tensor: Any, values: memoryview) -> Array:
    """Return the array of a tensor's raw bytes: a view, or a copy for unusual dtypes."""
    name = _dtype_names(onnx).get(tensor.data_type)
    # numpy's dtypes are little-endian here; others are read by onnx.
    if name is None or sys.byteorder != "little":
        tensor.raw_data, tensor.data_location = bytes(values), onnx.TensorProto.DEFAULT
        array: Array = onnx.numpy_helper.to_array(tensor)
        return array
    return np.frombuffer(values, numpy_type(name)).reshape(tuple(tensor.dims))


@cache
def _dtype_names(onnx: Any) -> dict[int, str]:
    """Return the names of dtypes by ONNX's number."""
    return {_data_type(onnx, name): name for name in _TYPES}


def from_proto(proto: Any, where: str = "model") -> OnnxModel:
    """Convert an ``onnx.ModelProto`` to a model.

    Args:
        proto: The message.
        where: Path of the file that contains the message; external data is in the same folder.

    Raises:
        ImportModelError: There is no graph, or a tensor is damaged, missing, or of a dtype that hy
            does not support.
    """
    onnx = onnx_package()
    if not proto.graph.node and not proto.graph.output:
        raise ImportModelError(f"{where}: holds no ONNX model: there is no graph")
    try:
        opsets = {_text(entry.domain): int(entry.version) for entry in proto.opset_import}
        metadata = {_text(prop.key): _text(prop.value) for prop in proto.metadata_props}
        graph = _read_graph(onnx, proto.graph, ExternalData(where))
    except ImportModelError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise ImportModelError(f"{where}: is damaged: {error}") from error
    return OnnxModel(graph, opsets.get("", 1), metadata)


def _read_graph(onnx: Any, graph: Any, external: ExternalData) -> OnnxGraph:
    names = _dtype_names(onnx)
    nodes = [
        OnnxNode(
            _text(node.op_type),
            tuple(map(_text, node.input)),
            tuple(map(_text, node.output)),
            _text(node.name),
            {_text(a.name): _read_attribute(onnx, a, external) for a in node.attribute},
            # "ai.onnx" is the long name of the default domain.
            "" if node.domain == "ai.onnx" else _text(node.domain),
        )
        for node in graph.node
    ]
    return OnnxGraph(
        _text(graph.name),
        nodes,
        [_read_value(value, names) for value in graph.input],
        [_read_value(value, names) for value in graph.output],
        {_text(tensor.name): _tensor_array(onnx, tensor, external) for tensor in graph.initializer},
    )


def _text(value: Any) -> str:
    """Check that a name is a string; protobuf returns bytes if it is not valid UTF-8.

    Raises:
        ValueError: The name is not UTF-8.
    """
    if not isinstance(value, str):
        raise ValueError(f"a name is not in UTF-8: {value!r}")  # noqa: TRY004  # a damaged file
    return value


def _read_attribute(onnx: Any, attribute: Any, external: ExternalData) -> Any:
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return _tensor_array(onnx, value, external)
    if isinstance(value, onnx.GraphProto):
        return _read_graph(onnx, value, external)
    if isinstance(value, float | int | onnx.TypeProto):
        return value
    items = list(value)
    return [item.decode() if isinstance(item, bytes) else item for item in items]


def _tensor_array(onnx: Any, tensor: Any, external: ExternalData) -> Array:
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        return _tensor_values(onnx, tensor, external.values(tensor))
    array: Array = onnx.numpy_helper.to_array(tensor)
    return array


def _read_value(value: Any, names: Mapping[int, str]) -> ValueInfo:
    kind = value.type.tensor_type
    if not value.type.HasField("tensor_type"):
        return ValueInfo(_text(value.name), shape=None, dtype="")
    shape = None
    if kind.HasField("shape"):
        shape = tuple(
            int(dim.dim_value) if dim.HasField("dim_value") else _text(dim.dim_param) or None
            for dim in kind.shape.dim
        )
    return ValueInfo(_text(value.name), shape, names.get(kind.elem_type, ""))
