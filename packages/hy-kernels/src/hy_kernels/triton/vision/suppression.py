"""Non-maximum suppression: boxes sorted by torch, compared and selected in two launches.

The host never waits. Overlaps are computed in float32, float64 for float64, so that the same boxes
survive as in the torch table. Bytes moved by the two launches: an eighth of the square of the
number of boxes, written and read.
"""

from typing import Any

import torch

from hy_kernels.boxes import Edges
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.torch.vision.detection import suppressed
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import next_power, warps_for
from hy_kernels.triton.device import suppression as device
from hy_kernels.triton.runtime._launch import launch, runs_on

_ROWS = 32
_WORDS = 2  # words of hits in a program
_ALIGN = 4  # divides the words of a box, so that rows of hits are aligned for vector loads
_MAX_BOXES = 1 << 14
"""Largest number of boxes of a sample; the bits of more would not fit a program."""


def survivors(
    boxes: Edges, result: Tensor, threshold: float, *, classes: Tensor | None = None
) -> Tensor:
    """Return the boxes that survive if each, in order, removes later ones that it overlaps.

    Args:
        boxes: Four edges, ``[B, K]`` each, in order of preference.
        result: ``[B, 1]``: the number of candidates, which are the first boxes of each row.
        threshold: Overlap above which a box is removed.
        classes: ``[B, K]``; boxes remove only those of their own class. None: all are of one.

    Returns:
        ``[B, K]``, boolean.
    """
    corners = torch.stack(boxes, -1)
    batch, count, _ = corners.shape
    words = -(-count // (32 * _ALIGN)) * _ALIGN
    keep = torch.empty((batch, count), dtype=torch.bool, device=corners.device)
    hits = torch.empty((batch, count, words), dtype=torch.int32, device=corners.device)
    launch(
        device.suppression_hits,
        (-(-count // _ROWS), -(-words // _WORDS), batch),
        *(corners, corners if classes is None else classes.contiguous(), hits),
        *(count, words),
        THRESHOLD=float(threshold),
        HAS_CLASS=classes is not None,
        ROWS=_ROWS,
        WORDS=_WORDS,
    )
    launch(
        device.suppression_scan,
        (batch,),
        # How many are candidates is read by the scan itself: the host does not wait for it.
        *(hits, result.reshape(batch).to(torch.int64), keep, count, words),
        warps=warps_for(32 * next_power(words)),
        ALIGN=_ALIGN,
        WORDS=next_power(words),
    )
    return keep


def _supports(data: Tensor, *, coord_start: int, score_index: int, id_index: int, **_: Any) -> bool:
    if data.ndim < 2 or not data.numel() or not data.dtype.is_floating_point:
        return False
    count, width = data.shape[-2:]
    fits = coord_start + 4 <= width and max(score_index, id_index) < width
    return fits and min(coord_start, score_index) >= 0 and count <= _MAX_BOXES and runs_on(data)


@overlay(supports=_supports)
def box_nms(data: Tensor, *, out: OutBuffers = None, **params: Any) -> tuple[Tensor, Tensor]:
    """Return the surviving rows, best first, then -1; and the index of each in ``data``."""
    return suppressed(data, survivors, waits=False, out=out, **params)
