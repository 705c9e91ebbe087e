"""The backend ``onnxruntime``: regions as sessions of ONNX Runtime."""

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from hy_ndarray import ArgumentError, Buffer, Device, NDArray
from hy_onnx.engines.conversion import EngineModel, engine_model, fixed
from hy_onnx.engines.engine import Engine, threads_of
from hy_onnx.model import Array
from hy_onnx.protobuf import serialized
from hy_onnx.to_onnx.conversion import Trial
from hy_onnx.to_onnx.sizes import Sizes
from hy_symbol import BackendError, Node, RegionRefused, TypedGraph
from hy_symbol.backends import Run
from hy_symbol.exchange import OnnxError

__all__ = ["OnnxRuntime"]

_PROVIDERS = {
    "cpu": ("CPUExecutionProvider",),
    "cuda": ("CUDAExecutionProvider", "CPUExecutionProvider"),
    "tensorrt": (
        "TensorrtExecutionProvider",
        "CUDAExecutionProvider",
        "CPUExecutionProvider",
    ),
}
_DTYPES = ("float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool")
_SINGLE = ("_contrib_MultiBoxPrior", "_contrib_ifft", "_image_resize")
_COPIED = 1 << 14
"""Elements up to which results are copied, as binding out buffers takes 20 µs."""
_SMALL = 1024
"""Bytes up to which a weight is stored in the model, such as sizes, which optimizations read."""


class OnnxRuntime(Engine):
    """Runs regions by ONNX Runtime, in prediction.

    Options:
        provider: ``"cpu"``, ``"cuda"`` or ``"tensorrt"``. The latter two accept arrays on a GPU,
            and arrays on the CPU, which they copy.
        threads: Number of threads per operator; that of the kernel table if None.
    """

    def __init__(self) -> None:
        super().__init__("onnxruntime", _DTYPES, ("provider", "threads"))

    def prepare(self, options: Mapping[str, Any]) -> None:
        """Check options.

        Raises:
            ArgumentError: An option is unknown, or has an invalid value.
            BackendError: ONNX Runtime is not installed, or lacks the provider.
        """
        super().prepare(options)
        name = options.get("provider", "cpu")
        if name not in _PROVIDERS:
            raise ArgumentError(
                f"onnxruntime: provider={name!r} is not one of {', '.join(map(repr, _PROVIDERS))}"
            )
        there = self.package().get_available_providers()
        if _PROVIDERS[name][0] not in there:
            raise BackendError(
                f"onnxruntime: provider={name!r} needs {_PROVIDERS[name][0]}, and this build has "
                f"{', '.join(there)}; pip install onnxruntime-gpu in the place of onnxruntime"
            )

    def objection(self, node: Node, sizes: Sizes) -> str | None:
        """Return the reason why a node cannot run with these types, None if it can."""
        why = super().objection(node, sizes)
        single = node.op is not None and node.op.name in _SINGLE
        if why is None and single and sizes.dtype((node, 0)) == "float64":
            return "computes in float32"
        return why

    def compile(
        self,
        typed: TypedGraph,
        constants: Mapping[Node, NDArray],
        device: Device,
        options: Mapping[str, Any],
    ) -> Run:
        """Create a session for the graph; see :class:`hy_symbol.backends.Runner`."""
        provider = options.get("provider", "cpu")
        on_gpu = device.context.device_type == "gpu"
        if on_gpu and provider == "cpu":
            raise RegionRefused(f"arrays on {device.context} need provider='cuda'")
        model = engine_model(typed, constants, device, Trial(self.objection, self.veto))
        runtime = self.package()
        session, weights = _session(
            runtime, model, _PROVIDERS[provider], threads_of(device, options)
        )
        return _Session(runtime, session, weights, model, device)


def _session(
    runtime: Any, model: EngineModel, providers: Sequence[str], threads: int
) -> tuple[Any, list[Array]]:
    """Create a session; return it with the weights, which it reads without a copy."""
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.log_severity_level = 4  # what it refuses is an exception, too
    if any(value.dtype == "float16" for value in model.model.graph.inputs):
        # Version 1.32 crashes at the last level, where constants of float16 are transposed.
        level = runtime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        settings.graph_optimization_level = level
    weights = {
        name: np.ascontiguousarray(array)
        for name, array in model.model.graph.initializers.items()
        # External initializers are read where they are: the session makes no copy of large weights.
        if array.nbytes > _SMALL
    }
    if weights:
        values = [runtime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        settings.add_external_initializers(list(weights), values)
    try:
        content = serialized(model.model, weights)
        return runtime.InferenceSession(content, settings, list(providers)), [*weights.values()]
    except OnnxError as error:
        raise RegionRefused(str(error)) from error
    except Exception as error:  # of many classes, none of which says more than its text
        raise RegionRefused(_brief(error), _nodes_in_error(model, str(error))) from error


def _nodes_in_error(model: EngineModel, text: str) -> dict[str, str]:
    """Return a reason for the node that an error names, and for all with the same operator."""
    match = re.search(r"node with name '([^']*)'", text)
    origin = model.origins.get(match[1]) if match else None
    if origin is None:
        return {}
    op = model.operators.get(origin)
    why = "has no operator for these types"
    return {name: why for name, other in model.operators.items() if other == op}


def _brief(error: Exception) -> str:
    return str(error).partition("\n")[0].rpartition(" : ")[2][:200]


class _Session:
    """Session as a function of buffers, without copies of inputs and large outputs.

    Args:
        runtime: The package ``onnxruntime``.
        session: The session; any number of threads may run it.
        weights: The arrays that the session reads, kept alive.
        model: The model of the session.
        device: The device of the buffers.
    """

    def __init__(
        self,
        runtime: Any,
        session: Any,
        weights: list[Array],
        model: EngineModel,
        device: Device,
    ) -> None:
        self._ort = runtime
        self._session = session
        self._weights = weights
        self._inputs = model.inputs
        self._names = [value.name for value in model.outputs]
        self._device = device
        self._gpu = device.context.device_type == "gpu"
        self._outputs = [(value.name, value.dtype, fixed(value.shape)) for value in model.outputs]
        sizes = [0 if shape is None else prod(shape) for _, _, shape in self._outputs]
        # Only outputs of known size can be bound to memory that is allocated before, and only for
        # large ones it takes less time than the copy.
        self._binds = 0 not in sizes and sum(sizes) > _COPIED

    def __call__(self, *buffers: Buffer) -> list[Buffer]:
        """Run the session on input buffers and return the output buffers.

        Raises:
            RegionRefused: The session failed.
        """
        try:
            if self._gpu:
                return self._on_gpu(buffers)
            memory = self._device.memory
            arrays = [memory.to_numpy(memory.contiguous(x)) for x in buffers]
            if self._binds and 0 not in [x.size for x in arrays]:
                return self._run_bound(arrays)
            outputs = self._session.run(self._names, dict(zip(self._inputs, arrays, strict=True)))
            return [memory.from_dlpack(x, self._device.handle) for x in outputs]
        except Exception as error:  # as above
            raise RegionRefused(_brief(error)) from error

    def _run_bound(self, arrays: Sequence[Array]) -> list[Buffer]:
        binding = self._session.io_binding()
        for name, x in zip(self._inputs, arrays, strict=True):
            # Addresses are bound, so the arrays must live until the run is over.
            address = x.__array_interface__["data"][0]
            binding.bind_input(name, "cpu", 0, x.dtype, x.shape, address)
        results = []
        memory, handle = self._device.memory, self._device.handle
        for name, dtype, shape in self._outputs:
            assert shape is not None
            buffer = memory.empty(shape, dtype, handle)
            y = memory.to_numpy(buffer)
            address = y.__array_interface__["data"][0]
            binding.bind_output(name, "cpu", 0, y.dtype, shape, address)
            results.append(buffer)
        self._session.run_with_iobinding(binding)
        return results

    def _on_gpu(self, buffers: Sequence[Any]) -> list[Buffer]:
        """Run a GPU session; inputs and outputs are passed by address."""
        device = self._device
        index, memory = device.context.device_id, device.memory
        binding = self._session.io_binding()
        inputs = [memory.contiguous(x) for x in buffers]
        device.table.synchronize(device.handle)  # the session has a stream of its own
        for name, x in zip(self._inputs, inputs, strict=True):
            kind = np.dtype(memory.dtype(x))
            binding.bind_input(name, "cuda", index, kind, tuple(x.shape), x.data_ptr())
        results: list[Any] = []
        for name, dtype, shape in self._outputs:
            if shape is None:
                raise RegionRefused(
                    "a result on a GPU has an open size, and its memory is allocated before"
                )
            y: Any = memory.empty(shape, dtype, device.handle)
            binding.bind_output(name, "cuda", index, np.dtype(dtype), shape, y.data_ptr())
            results.append(y)
        self._session.run_with_iobinding(binding)
        # Waits for the session's stream, which the device's own stream knows nothing of.
        binding.synchronize_outputs()
        return results
