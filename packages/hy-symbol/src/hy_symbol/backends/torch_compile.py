"""The backend ``torch_compile``: runs groups of nodes as functions compiled by PyTorch."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from typing import Any

import numpy as np

from hy_ndarray import ArgumentError, Buffer, Device, NDArray, numpy_type
from hy_symbol._errors import BackendError, RegionRefused
from hy_symbol.backends.torch_steps import STEPS, Call
from hy_symbol.graph.interpreter import interpret
from hy_symbol.graph.node import Graph, Node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.regions.protocols import Run

__all__ = ["TorchCompile"]

_FLOATING = ("float16", "bfloat16", "float32", "float64")


class TorchCompile:
    """Runs groups of operators that PyTorch supports by ``torch.compile``, in prediction.

    CPU arrays share memory with PyTorch's tensors, without a copy. Results equal those of the
    device's kernels up to rounding. A group that computes with other dtypes than floating ones runs
    on the device's kernels.

    Options:
        compiler: The backend of ``torch.compile``, such as ``"inductor"``, which needs a C++
            compiler; None runs PyTorch's operators one by one.
        mode: The mode of ``torch.compile``, such as ``"reduce-overhead"``.
    """

    def prepare(self, options: Mapping[str, Any]) -> None:
        """Check the options, and that PyTorch is installed.

        Raises:
            ArgumentError: An option is unknown.
            BackendError: PyTorch is not installed.
        """
        unknown = [name for name in options if name not in ("compiler", "mode")]
        if unknown:
            raise ArgumentError(f"torch_compile: unknown option {unknown[0]!r}; compiler, mode")
        if find_spec("torch") is None:
            raise BackendError(
                "torch_compile: PyTorch is not installed; `pip install torch`, or leave this "
                "backend out"
            )

    def takes(self, node: Node) -> bool:
        """Return whether PyTorch has an equivalent of the node's operator."""
        step = None if node.op is None else STEPS.get(node.op.name)
        return step is not None and step.when(node.params)

    def compile(
        self,
        typed: TypedGraph,
        constants: Mapping[Node, NDArray],
        device: Device,
        options: Mapping[str, Any],
    ) -> Run:
        """Return a function of buffers that computes the graph for these types by PyTorch.

        Raises:
            RegionRefused: A size is unknown, or a dtype is not floating.
        """
        graph, types = typed.graph, typed.types
        if not _all_floating(graph, types):
            raise RegionRefused("it computes with other numbers than floating")
        if any(types.whole((node, 0)) is None for node in graph.nodes):
            raise RegionRefused("a size is open")
        torch: Any = import_module("torch")
        function = _function(torch, graph, types)
        compiler, mode = options.get("compiler", "inductor"), options.get("mode")
        if compiler is not None:
            # dynamic=False: other sizes are compiled by asking again, see Runner.compile.
            function = torch.compile(function, backend=compiler, mode=mode, dynamic=False)
        return _sharing(torch, function, graph, constants, device)


def _sharing(
    torch: Any,
    function: Callable[..., Any],
    graph: Graph,
    constants: Mapping[Node, NDArray],
    device: Device,
) -> Run:
    """Wrap a function of tensors as a function of buffers, which share the tensors' memory."""
    fixed = {node: _to_torch(torch, array.buffer) for node, array in constants.items()}
    variables = graph.variables

    def run(*buffers: Buffer) -> Sequence[Buffer]:
        rest = iter(buffers)
        tensors = [
            fixed[node] if node in fixed else _to_torch(torch, next(rest)) for node in variables
        ]
        with torch.no_grad():
            results = function(*tensors)
        # Results that share memory with an input, or with each other, are copied: callers may write
        # to them.
        owned = {tensor.untyped_storage().data_ptr() for tensor in tensors}
        values = []
        for tensor in results:
            address = tensor.untyped_storage().data_ptr()
            own = tensor.clone() if address in owned else tensor
            owned.add(address)
            values.append(_from_torch(torch, own.contiguous(), device))
        return values

    return run


def _all_floating(graph: Graph, types: Types) -> bool:
    """Return whether all values are floating, except inputs of operators that take any dtype."""
    for node in graph.nodes:
        if node.op is None:
            continue
        entries = [(node, 0)] if STEPS[node.op.name].from_any else [(node, 0), *node.inputs]
        if any(types.dtype(entry) not in _FLOATING for entry in entries):
            return False
    return True


def _function(torch: Any, graph: Graph, types: Types) -> Callable[..., Any]:
    """Return a function of tensors that computes ``graph`` for the shapes in ``types``."""
    address = {(node, 0): k for k, node in enumerate(graph.variables)}
    steps: list[tuple[Callable[..., Any], list[int], int]] = []
    number = count(len(address))

    def add(node: Node, inputs: list[int]) -> list[int]:
        assert node.op is not None
        function = STEPS[node.op.name].make(_step_call(torch, node, types))
        steps.append((function, inputs, node.num_visible))
        return [next(number) for _ in range(node.num_visible)]

    interpret(graph.nodes, address, add)
    outputs = [address[entry] for entry in graph.outputs]

    def run(*tensors: Any) -> list[Any]:
        values = list(tensors)
        for function, inputs, visible in steps:
            results = function(*[values[i] for i in inputs])
            if visible == 1:
                values.append(results[0] if isinstance(results, tuple) else results)
            else:
                values.extend(results)
        return [values[i] for i in outputs]

    return run


def _step_call(torch: Any, node: Node, types: Types) -> Call:
    shapes = [_static_shape(types, entry) for entry in node.inputs]
    dtype = getattr(torch, str(types.dtype((node, 0))))
    return Call(torch, node.params, shapes, _static_shape(types, (node, 0)), dtype)


def _static_shape(types: Types, entry: tuple[Node, int]) -> tuple[int, ...]:
    return tuple(n for n in types.shape(entry) or () if n is not None)


# --- buffers and tensors --------------------------------------------------------------------------


def _to_torch(torch: Any, buffer: Buffer) -> Any:
    """Return a tensor that shares the memory of ``buffer`` where PyTorch supports that."""
    if isinstance(buffer, torch.Tensor):
        return buffer
    if not isinstance(buffer, np.ndarray):
        return torch.from_dlpack(buffer)
    if not buffer.flags.writeable or any(step < 0 for step in buffer.strides):
        buffer = np.array(buffer)  # PyTorch has no such tensors
    # torch and numpy share no bfloat16: the bits pass as int16.
    if buffer.dtype == numpy_type("bfloat16"):
        return torch.from_numpy(buffer.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(buffer)


def _from_torch(torch: Any, tensor: Any, device: Device) -> Buffer:
    """Return a buffer of ``device`` that shares the memory of ``tensor``."""
    if device.buffer_type is torch.Tensor:
        return tensor
    if device.buffer_type is not np.ndarray:
        return device.memory.from_dlpack(tensor, device.handle)
    if tensor.dtype is torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(numpy_type("bfloat16"))
    return tensor.numpy()
