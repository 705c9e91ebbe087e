"""Copies of page-locked memory to CUDA devices, beside what these compute."""

import torch

from hy_kernels.torch._tensor import Tensor

__all__ = ["queued_copy"]

_streams: dict[torch.device, torch.cuda.Stream] = {}
"""For each device one that only copies."""


def queued_copy(tensor: Tensor, device: torch.device) -> Tensor:
    """A contiguous copy on a CUDA device, made while work that was queued there before goes on.

    Work that is queued on the current stream from now on begins when the copy is made.

    Args:
        tensor: In page-locked memory, which torch keeps until then.
        device: Where to.
    """
    stream = _streams.get(device)
    if stream is None:
        stream = _streams.setdefault(device, torch.cuda.Stream(device))
    with torch.cuda.stream(stream):
        made = tensor.to(
            device, copy=True, non_blocking=True, memory_format=torch.contiguous_format
        )
    current = torch.cuda.current_stream(device)
    current.wait_event(stream.record_event())
    made.record_stream(current)  # else the next copy could be made in memory that is still read
    return made
