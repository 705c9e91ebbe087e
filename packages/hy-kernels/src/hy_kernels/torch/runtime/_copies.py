"""Copies of page-locked memory to CUDA devices, concurrent with computation."""

import torch

from hy_kernels.torch._constants import keep
from hy_kernels.torch._tensor import Tensor

_streams: dict[torch.device, torch.cuda.Stream] = {}
"""Copy stream of each device."""


def queued_copy(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a contiguous copy on a CUDA device, made concurrently with work queued before.

    Work that is queued on the current stream afterwards waits for the copy. During a capture of
    that stream the copy becomes part of the graph, in order.

    Args:
        tensor: Source in page-locked memory, which torch keeps until the copy is made.
        device: The target device.
    """
    with torch.cuda.device(device):  # torch answers for the current device only
        is_capturing = torch.cuda.is_current_stream_capturing()
    if is_capturing:  # which may wait for no work outside of the graph
        keep(tensor)  # the graph reads it again each time it runs
        return _begun(tensor, device)
    stream = _streams.get(device)
    if stream is None:
        stream = _streams.setdefault(device, torch.cuda.Stream(device))
    with torch.cuda.stream(stream):
        result = _begun(tensor, device)
    current = torch.cuda.current_stream(device)
    current.wait_event(stream.record_event())
    result.record_stream(current)  # else the next copy could be made in memory that is still read
    return result


def _begun(tensor: Tensor, device: torch.device) -> Tensor:
    """Queue a copy on the current stream, and return it, contiguous."""
    return tensor.to(device, copy=True, non_blocking=True, memory_format=torch.contiguous_format)
