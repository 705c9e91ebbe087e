"""TorchBlock: a PyTorch module as a Gluon block."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from hy_gluon.block import Block
from hy_gluon.parameter import Parameter
from hy_gluon.pytorch.tensors import array_of, mapped, tensor_of
from hy_gluon.trace.structure import Format, flatten, regroup
from hy_ndarray import ArgumentError, NDArray, autograd

__all__ = ["TorchBlock"]

_Compute: TypeAlias = Callable[..., Sequence[Any]]
"""Function of tensors that returns tensors."""


class TorchBlock(Block):
    """Block that runs a ``torch.nn.Module`` on arrays; PyTorch computes its gradients.

    It shares the memory of the module's parameters and buffers, under the names of
    ``state_dict()``: changes by a Trainer are visible in the module, and changes by PyTorch in the
    block, until the block is cast, moved or initialized again. The module runs in training mode
    while ``autograd`` is in training mode. It cannot be part of a graph: put it into a
    ``Sequential``, and hybridize the other blocks.

    Args:
        module: The module; arguments and results are tensors, possibly nested in lists and tuples.
        prefix: See :class:`Block`.

    Raises:
        ArgumentError: ``module`` is not a module.

    Example::

        block = from_torch(torch.nn.Linear(3, 2))
        list(block.collect_params())  # ['torchblock0_weight', 'torchblock0_bias']
    """

    def __init__(self, module: Any, prefix: str | None = None) -> None:
        super().__init__(prefix)
        if not isinstance(module, _torch().nn.Module):
            raise ArgumentError(f"from_torch: {type(module).__name__} is no torch.nn.Module")
        self.module = module
        """The module."""
        for name, tensor in (*module.named_parameters(), *module.named_buffers()):
            if tensor.ndim:  # a count of batches has no axes
                # hy's kernels read dense memory; contiguous() is the tensor itself where it is
                # dense.
                tensor.data = tensor.data.contiguous()
                parameter = _Adopted(self.prefix + name.replace(".", "_"), tensor)
                self.params.update({parameter.name: parameter})
                self._reg_params[name] = parameter

    def forward(self, *args: Any) -> Any:
        """Return the module's result on arrays, possibly nested in lists and tuples.

        Raises:
            ArgumentError: There is no array, or an argument is not an array.
        """
        flat, form = flatten(args, "input")
        arrays = [x for x in flat if x is not None]
        if not arrays or not all(isinstance(x, NDArray) for x in arrays):
            raise ArgumentError(
                f"{self.name}: a module of PyTorch's takes arrays and cannot be traced, and the "
                f"arguments are {', '.join(type(x).__name__ for x in flat)}; call it in a Block, "
                "or put it into a Sequential, beside blocks that are hybridized"
            )
        mode = autograd.is_training()
        if self.module.training != mode:
            self.module.train(mode)
        ctx = arrays[0].context
        own = [parameter.data(ctx) for parameter in self._reg_params.values()]
        call = _Call(self.module, names=tuple(self._reg_params), flat=flat, form=form)
        results = _Recorded(call, type(arrays[0]))(*arrays, *own)
        return regroup(results, call.out_format)


class _Adopted(Parameter):
    """Initialized parameter that shares a tensor's memory."""

    def __init__(self, name: str, tensor: Any) -> None:
        array = array_of(tensor)
        # Shared memory is never packed or moved: PyTorch's optimizers write to it unseen.
        array.device.share(array.buffer)
        request = "write" if tensor.requires_grad else "null"
        super().__init__(name, grad_req=request, shape=array.shape, dtype=array.dtype)
        array.attach_grad(self.grad_req)
        self._publish([array], [array.context])

    def initialize(
        self,
        init: Any = None,
        ctx: Any = None,
        default_init: Any = None,
        force_reinit: bool = False,
    ) -> None:
        """Initialize again if ``force_reinit`` is true; otherwise keep the module's values."""
        # MXNet's initialize() of a whole net must not overwrite a pretrained module.
        if force_reinit:
            super().initialize(init, ctx, default_init, force_reinit=True)


class _Call:
    """Call of a module as a function of its input tensors, parameters and buffers.

    Args:
        module: The module.
        names: Names of its parameters and buffers.
        flat: The arguments as a flat list, with None for missing ones.
        form: Nesting of the arguments.
    """

    def __init__(
        self, module: Any, names: Sequence[str], flat: Sequence[Any], form: Format
    ) -> None:
        self._module = module
        self._names = names
        self._is_none = [x is None for x in flat]
        self._form = form
        self.out_format: Format = None
        """Nesting of the results."""

    def __call__(self, *tensors: Any) -> list[Any]:
        rest = iter(tensors)
        flat = [None if is_none else next(rest) for is_none in self._is_none]
        state = dict(zip(self._names, rest, strict=True))
        args = tuple(regroup(flat, self._form))
        # functional_call swaps the arrays in for the call, so gradients flow to hy's arrays.
        outputs = _torch().func.functional_call(self._module, state, args)
        results: list[Any] = []

        def number(tensor: Any) -> int:
            results.append(tensor)
            return 0

        self.out_format = mapped(number, outputs)
        return results


class _Recorded(autograd.Function):
    """Function of tensors as a node of hy's autograd tape, differentiable to any order."""

    def __init__(self, compute: _Compute, kind: type[NDArray]) -> None:
        super().__init__()
        self._compute = compute
        self._kind = kind
        self._keeps = autograd.is_recording()
        self._inputs: Sequence[NDArray] = ()
        self._tensors: list[Any] = []
        self._results: Sequence[Any] = ()

    def forward(self, *arrays: NDArray) -> list[NDArray]:
        """Compute the result by PyTorch; keep PyTorch's graph if hy is recording."""
        # Detached: PyTorch's tape begins here, and ends at the results.
        tensors = [tensor_of(array).detach() for array in arrays]
        if self._keeps:
            for array, tensor in zip(arrays, tensors, strict=True):
                tensor.requires_grad_(array.in_graph and tensor.dtype.is_floating_point)
        with _torch().set_grad_enabled(self._keeps):
            results = self._compute(*tensors)
        if self._keeps:
            self._inputs, self._tensors, self._results = arrays, tensors, results
        # array_of makes no copy, so results share PyTorch's memory.
        return [array_of(result, self._kind) for result in results]

    def backward(self, *dys: NDArray) -> list[NDArray | None]:
        """Return the gradients with respect to the input arrays, None if not required."""
        indices = [k for k, tensor in enumerate(self._tensors) if tensor.requires_grad]
        if autograd.is_recording():
            grad_arrays = self._recorded(dys, indices)
        else:
            wanted = [self._tensors[k] for k in indices]
            # Higher-order gradients run the module again, as a new step of hy's tape.
            tensors = _gradients(self._results, wanted, [tensor_of(dy) for dy in dys])
            grad_arrays = [array_of(gradient, self._kind) for gradient in tensors]
        gradients: list[NDArray | None] = [None] * len(self._tensors)
        for k, gradient in zip(indices, grad_arrays, strict=True):
            gradients[k] = gradient
        return gradients

    def _recorded(self, dys: Sequence[NDArray], indices: Sequence[int]) -> list[NDArray]:
        """Return the gradients as a new recorded node, which recomputes the forward pass."""

        def compute(*tensors: Any) -> Sequence[Any]:
            inputs, heads = tensors[: len(self._inputs)], tensors[len(self._inputs) :]
            results = self._compute(*inputs)
            return _gradients(results, [inputs[k] for k in indices], heads, create_graph=True)

        outputs: list[NDArray] = _Recorded(compute, self._kind)(*self._inputs, *dys)
        return outputs


def _torch() -> Any:
    """Return the module ``torch``, or raise an error that names the extra to install."""
    return import_module("torch")


def _gradients(
    results: Sequence[Any],
    wanted: Sequence[Any],
    heads: Sequence[Any],
    *,
    create_graph: bool = False,
) -> list[Any]:
    """Return gradients with respect to ``wanted``, zeros where no result depends on it."""
    pairs = [(y, dy) for y, dy in zip(results, heads, strict=True) if y.requires_grad]
    if not pairs or not wanted:
        return [_torch().zeros_like(x) for x in wanted]
    gradients = _torch().autograd.grad(
        [y for y, _ in pairs],
        wanted,
        [dy.to(y.dtype) for y, dy in pairs],
        # PyTorch would free the graph; hy's tape may walk it again (retain_graph).
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
    )
    return [
        _torch().zeros_like(x) if dx is None else dx
        for x, dx in zip(wanted, gradients, strict=True)
    ]
