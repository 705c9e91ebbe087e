"""The backend ``openvino``: regions as compiled models of OpenVINO."""

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hy_ndarray import ArgumentError, Buffer, Device, NDArray
from hy_onnx.engines.conversion import EngineModel, engine_model, fixed
from hy_onnx.engines.engine import Engine, threads_of
from hy_onnx.model import Array, OnnxNode
from hy_onnx.protobuf import save, serialized
from hy_onnx.to_onnx.call import DTYPE_CODES
from hy_onnx.to_onnx.conversion import Trial
from hy_onnx.to_onnx.sizes import Sizes
from hy_symbol import Node, RegionRefused, TypedGraph
from hy_symbol.backends import Run
from hy_symbol.exchange import OnnxError

__all__ = ["OpenVino"]

_DTYPES = ("float16", "float32", "uint8", "int8", "int32", "bool")
"""OpenVINO's CPU plugin has no 64-bit dtypes, and would compute with 32 bits."""
_DIFFERING_OPERATORS = {
    "DFT": "reads complex numbers in another form",
    "TopK": "orders equal numbers in another way",
}
_AXES = np.ones(1, np.int64)
_PRECISIONS = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}


class OpenVino(Engine):
    """Runs regions by OpenVINO on a CPU, in prediction.

    Options:
        precision: Dtype of floating computations: ``"float32"``, or ``"bfloat16"`` or
            ``"float16"``, which are faster but less accurate where the processor supports them.
        threads: Number of threads per operator; that of the kernel table if None.
    """

    def __init__(self) -> None:
        super().__init__("openvino", _DTYPES, ("precision", "threads"))
        self._core: Any = None

    def prepare(self, options: Mapping[str, Any]) -> None:
        """Check options.

        Raises:
            ArgumentError: An option is unknown, or has an invalid value.
            BackendError: OpenVINO is not installed.
        """
        super().prepare(options)
        name = options.get("precision", "float32")
        if name not in _PRECISIONS:
            raise ArgumentError(
                f"openvino: precision={name!r} is not one of {', '.join(map(repr, _PRECISIONS))}"
            )
        if self._core is None:
            self._core = self.package().Core()

    def objection(self, node: Node, sizes: Sizes) -> str | None:
        """Return the reason why a node cannot run with these types, None if it can."""
        entries = [*node.inputs, *[(node, k) for k in range(node.num_visible)]]
        if node.op is not None and node.op.name == "_contrib_quantized_batch_norm":
            return "rounds in another way"
        if any(0 in sizes.dims(entry) for entry in entries):
            return "takes no arrays without elements"
        return super().objection(node, sizes)

    def veto(self, node: OnnxNode, constants: Mapping[str, Array]) -> str | None:
        """Return the reason why OpenVINO computes an ONNX node differently, None if it does not."""
        if node.op in _DIFFERING_OPERATORS:
            return _DIFFERING_OPERATORS[node.op]
        if node.op == "Cast" and node.attrs["to"] == DTYPE_CODES["bool"]:
            return "takes 0.5 for false"
        if node.op == "Reshape" and constants.get(node.inputs[1], _AXES).size == 0:
            return "crashes where an array loses all its axes"
        return None

    def compile(
        self,
        typed: TypedGraph,
        constants: Mapping[Node, NDArray],
        device: Device,
        options: Mapping[str, Any],
    ) -> Run:
        """Compile a model of the graph; see :class:`hy_symbol.backends.Runner`."""
        if device.context.device_type == "gpu":
            raise RegionRefused(
                f"OpenVINO reads arrays on a CPU, and these are on {device.context}"
            )
        converted = engine_model(typed, constants, device, Trial(self.objection, self.veto))
        settings = {
            "INFERENCE_NUM_THREADS": threads_of(device, options),
            "INFERENCE_PRECISION_HINT": _PRECISIONS[options.get("precision", "float32")],
            "PERFORMANCE_HINT": "LATENCY",
        }
        try:
            model = self._core.compile_model(self._read_model(converted), "CPU", settings)
        except Exception as error:  # of many classes, none of which says more than its text
            raise RegionRefused(_brief(error)) from error
        return _Compiled(self.package(), model, converted, device)

    def _read_model(self, model: EngineModel) -> Any:
        try:
            return self._core.read_model(serialized(model.model))
        except OnnxError:  # too much for one message
            # protobuf messages hold less than 2 GiB; a file with data beside it has no such limit.
            with TemporaryDirectory() as folder:
                path = str(Path(folder) / "model.onnx")
                save(model.model, path, external=True)
                return self._core.read_model(path)


def _brief(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__


class _Compiled:
    """Compiled model as a function of buffers, without copies.

    Args:
        openvino: The package ``openvino``.
        compiled: The compiled model; concurrent calls use separate infer requests.
        model: The model before compilation.
        device: The device of the buffers.
    """

    def __init__(self, openvino: Any, compiled: Any, model: EngineModel, device: Device) -> None:
        self._tensor = openvino.Tensor
        self._compiled = compiled
        self._device = device
        # Without a lock: ``append`` and ``pop`` of a deque are thread-safe.
        self._requests: deque[Any] = deque()
        ports = {name: k for k, port in enumerate(compiled.inputs) for name in port.names}
        # Inputs that no output depends on may be removed by the compilation and then have no port.
        self._inputs = [ports.get(name) for name in model.inputs]
        self._outputs = [(value.dtype, fixed(value.shape)) for value in model.outputs]

    def __call__(self, *buffers: Buffer) -> list[Buffer]:
        """Run the compiled model on input buffers and return the output buffers.

        Raises:
            RegionRefused: The inference failed.
        """
        try:
            try:
                # A request serves one call at a time, and is costly to make, so requests are kept.
                request = self._requests.pop()
            except IndexError:
                request = self._compiled.create_infer_request()
            results = self._infer(request, buffers)
            # Returned only after success: a request that failed is not used again.
            self._requests.append(request)
        except Exception as error:  # as above
            raise RegionRefused(_brief(error)) from error
        return results

    def _infer(self, request: Any, buffers: Sequence[Buffer]) -> list[Buffer]:
        memory, handle, tensor = self._device.memory, self._device.handle, self._tensor
        arrays = [memory.to_numpy(memory.contiguous(x)) for x in buffers]
        for port, x in zip(self._inputs, arrays, strict=True):
            if port is not None:
                request.set_input_tensor(port, tensor(x, shared_memory=True))
        results: list[Any] = []
        for port, (dtype, shape) in enumerate(self._outputs):
            y = None if shape is None else memory.empty(shape, dtype, handle)
            if y is not None:
                y_there = tensor(memory.to_numpy(y), shared_memory=True)
                request.set_output_tensor(port, y_there)
            results.append(y)
        request.infer()
        for port, (dtype, shape) in enumerate(self._outputs):
            if shape is None:
                output = np.array(request.get_output_tensor(port).data).astype(dtype, copy=False)
                results[port] = memory.from_numpy(output, handle)
        return results
