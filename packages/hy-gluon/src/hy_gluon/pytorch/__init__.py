"""Conversion between blocks and PyTorch modules; torch is imported on first use."""

from importlib import import_module
from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.pytorch.block import TorchBlock as TorchBlock
from hy_gluon.pytorch.tensors import torch_device

__all__ = ["TorchBlock", "from_torch", "to_torch"]


def to_torch(block: HybridBlock, *inputs: Any) -> Any:
    """Return a block as a trainable ``torch.nn.Module`` with the same weights.

    The module runs the block's graph with the kernels of the torch table, whichever table hy uses,
    and differentiates it by hy's gradients, to any order. It shares the memory of the block's
    parameters, under the names of :meth:`Block.save_parameters`; changes on either side are visible
    on the other until the block is cast, moved or initialized again. ``train()`` and ``eval()`` set
    the mode. The module can be compiled, pickled, exported (for prediction, with any batch size)
    and transformed by ``torch.func``. A kernel that ``torch.compile`` cannot trace runs uncompiled,
    and one that ``vmap`` cannot map runs once per element of the batch.

    Args:
        block: The block, with initialized parameters.
        inputs: Example arguments, as arrays or tensors. They may be omitted if the block has one
            input and can be traced without its shape.

    Returns:
        The module, in training mode. It takes tensors nested like the block's arguments.

    Raises:
        KernelError: PyTorch is not installed; names the extra to install.
        TracingError: The block cannot be traced.
        UnknownShapeError: Parameters have deferred shapes, and no inputs are given to infer them.

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
