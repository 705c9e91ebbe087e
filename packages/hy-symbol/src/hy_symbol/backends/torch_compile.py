"""The backend ``torch_compile``: runs groups of nodes as functions compiled by PyTorch.

The functions call the kernels of the torch table, which PyTorch traces; another table may serve the
program.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from typing import Any

import numpy as np

from hy_ndarray import (
    ArgumentError,
    Buffer,
    Device,
    NDArray,
    cpu,
    device_of,
    kernel_table,
    numpy_type,
)
from hy_symbol._errors import BackendError, RegionRefused
from hy_symbol.graph.interpreter import interpret
from hy_symbol.graph.node import Graph, Node
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.regions.protocols import Run

__all__ = ["TorchCompile", "torch_device"]


# Cached: a table of its own beside hy's, whichever serves the program.
@cache
def torch_device() -> Device:
    """Return the CPU device of the torch table, whichever table hy uses.

    Raises:
        KernelError: PyTorch is not installed; names the extra to install.
    """
    return Device(cpu(), (kernel_table("torch"),), device_of)


class TorchCompile:
    """Runs groups of operators by ``torch.compile``, in prediction.

    CPU arrays share memory with PyTorch's tensors, without a copy. Results equal those of the
    device's kernels up to rounding. Operators that draw random numbers or write to states run on
    the device's kernels, as do those for which the torch table has none.

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
        """Return whether the torch table computes the node without side effects."""
        op = node.op
        if op is None or not op.inputs or node.bodies or op.draws(node.params, False):
            return False
        # Normalisations set a fixed gamma, which they do not read: that may be left out.
        changed = op.updated(node.params, False)
        if changed and (op.variadic or any(op.inputs[i] in op.aux for i in changed)):
            return False
        device = torch_device()
        return bool(device.table.find(op.kernel)) or device.kernels.is_composed(op.kernel)

    def compile(
        self,
        typed: TypedGraph,
        constants: Mapping[Node, NDArray],
        device: Device,
        options: Mapping[str, Any],
    ) -> Run:
        """Return a function of buffers that computes the graph for these types by PyTorch.

        Raises:
            RegionRefused: A size is unknown.
        """
        graph, types = typed.graph, typed.types
        if any(types.whole((node, 0)) is None for node in graph.nodes):
            raise RegionRefused("a size is open")
        torch: Any = import_module("torch")
        function = _function(graph)
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


def _function(graph: Graph) -> Callable[..., Any]:
    """Return a function of tensors that computes ``graph`` by kernels of the torch table."""
    address = {(node, 0): k for k, node in enumerate(graph.variables)}
    steps: list[tuple[Callable[..., Any], list[int | None], int]] = []
    number = count(len(address))
    device = torch_device()

    def add(node: Node, inputs: list[int]) -> list[int]:
        assert node.op is not None
        needs = {"is_train": False, "device": device.handle, "rng": None}
        params = {**node.params, **{name: needs[name] for name in node.op.needs}}
        kernel = partial(node.op.kernel_on(device, is_train=False), **params)
        steps.append((kernel, node.operands(inputs), node.num_outputs))
        return [next(number) for _ in range(node.num_outputs)]

    interpret(graph.nodes, address, add)
    outputs = [address[entry] for entry in graph.outputs]

    def run(*tensors: Any) -> list[Any]:
        values = list(tensors)
        for kernel, operands, length in steps:
            results = kernel(*[None if i is None else values[i] for i in operands])
            values.extend(results[:length] if isinstance(results, tuple) else [results])
        return [values[i] for i in outputs]

    return run


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
