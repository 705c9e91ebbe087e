"""PyTorch: blocks as modules and modules as blocks; torch is imported on first use."""

from importlib import import_module
from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.pytorch.block import TorchBlock as TorchBlock
from hy_gluon.pytorch.tensors import torch_device

__all__ = ["TorchBlock", "from_torch", "to_torch"]


def to_torch(block: HybridBlock, *inputs: Any) -> Any:
    """Return a block as a trainable ``torch.nn.Module`` with the same weights.

    The module runs the block's graph by the torch table's kernels, whichever table serves hy, and
    differentiates it by hy's gradients, as often as is asked. Its parameters are the block's, in
    the same memory, under the names of :meth:`Block.save_parameters`; what either of them changes
    the other one has, until the block is cast, moved or initialized again. ``train()`` and
    ``eval()`` choose the mode. It can be compiled, pickled, exported (programs that predict, for
    batches of any size) and transformed by ``torch.func``; where ``torch.compile`` does not get
    through a kernel, that part runs as it is, and where ``vmap`` does not, it runs once for each
    element of the batch.

    Args:
        block: The block; its parameters are initialized.
        inputs: What it is called with, as arrays or tensors. They may be left out where the block
            has one input and none of its shapes are needed to trace it.

    Returns:
        The module, in training mode as modules are. It takes tensors nested as the block's arrays.

    Raises:
        KernelError: PyTorch is not installed; names the extra that brings it.
        TracingError: The block cannot be traced.
        UnknownShapeError: Parameters wait for their shapes, and no inputs tell them.

    Example::

        module = to_torch(net)  # of an initialized block
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    """
    # Fails early, with the name of the extra to install.
    torch_device()
    # The module's class derives from PyTorch's.
    return import_module("hy_gluon.pytorch.module").module_of(block, inputs)


def from_torch(module: Any, prefix: str | None = None) -> TorchBlock:
    """Return a ``torch.nn.Module`` as a block; see :class:`TorchBlock`."""
    return TorchBlock(module, prefix)
