"""Scratch memory of a thread's kernels, reused between calls to save page faults."""

import threading
from collections.abc import Sequence
from math import prod

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS


# Threads must not share memory that kernels write.
class _Local(threading.local):
    def __init__(self) -> None:
        self.buffers: dict[str, Tensor] = {}


_local = _Local()


def scratch(name: str, shape: Sequence[int], like: Tensor) -> Tensor:
    """Return an uninitialized contiguous tensor, whose memory the next call with ``name`` reuses.

    Args:
        name: Name of the buffer; buffers in use at the same time need different names.
        shape: Shape of the tensor.
        like: Tensor whose dtype and device to use.
    """
    count = prod(shape)
    size = count * like.element_size()
    # GPUs have torch's caching allocator; on CPUs fresh pages cost a fault for each 4 KiB.
    if not like.is_cpu or size > COSTS.memory.scratch:
        return like.new_empty(tuple(shape))
    keep = _local.buffers.get(name)
    if keep is None or len(keep) < size:
        keep = _local.buffers[name] = torch.empty(size, dtype=torch.uint8)
    return keep[:size].view(like.dtype).view(tuple(shape))
