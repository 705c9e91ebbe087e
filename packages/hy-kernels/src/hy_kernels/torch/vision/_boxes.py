"""Boxes: intersection over union, and greedy matching.

Boxes are four tensors of one shape: the edges ``x1, y1, x2, y2``.
"""

from math import inf

import torch

from hy_kernels.boxes import Edges, area
from hy_kernels.torch._tensor import Tensor


def overlap(a: Edges, b: Edges, border: float = 0.0) -> Tensor:
    """Return intersection over union, 0 where boxes do not intersect; shapes are broadcast.

    Args:
        a: Boxes.
        b: Boxes.
        border: 1 where edges are pixels that belong to the box, else 0.
    """
    w = torch.minimum(a[2], b[2]) - torch.maximum(a[0], b[0]) + border
    h = torch.minimum(a[3], b[3]) - torch.maximum(a[1], b[1]) + border
    # Boxes that only touch share nothing; with ``border`` 1, edges are pixels that belong to the
    # box.
    overlaps = (w > 0) & (h > 0)
    common = w * h
    union = area(a, border) + area(b, border) - common
    # 0 / 0 of boxes without any area is discarded here.
    return torch.where(overlaps, common / union, 0)


def pairs(scores: Tensor, limit: int) -> tuple[Tensor, Tensor]:
    """Return a greedy matching of rows and columns: repeatedly the best remaining pair.

    Args:
        scores: ``[B, N, M]``, floating; overwritten. Pairs of score -inf are not matched.
        limit: Largest number of pairs.

    Returns:
        ``[B, N]``, the column of each row; ``[B, M]``, the row of each column; -1 for none.
    """
    count, rows, columns = scores.shape
    of_row = torch.full((count, rows), -1, device=scores.device)
    of_column = torch.full((count, columns), -1, device=scores.device)
    if not scores.numel():
        return of_row, of_column
    entries = torch.arange(count, device=scores.device)
    # Greedy, one pair a round, as MXNet: Hungarian matching would give other pairs.
    for _ in range(min(rows, columns, limit)):
        value, best = scores.view(count, -1).max(1)
        i = torch.div(best, columns, rounding_mode="floor")
        j = best.remainder(columns)
        result = value > -inf
        # Reading a flag from a GPU would wait for all that is queued; the rounds that are left do
        # nothing.
        if scores.device.type == "cpu" and not bool(result.any()):
            break
        of_row[entries, i] = torch.where(result, j, of_row[entries, i])
        of_column[entries, j] = torch.where(result, i, of_column[entries, j])
        scores[entries, i] = -inf
        scores[entries, :, j] = -inf
    return of_row, of_column


def rows_at(rows: Tensor, index: Tensor) -> Tensor:
    """Return the rows of ``rows [B, N, W]`` at ``index [B, K]``, ``[B, K, W]``."""
    return rows.gather(1, index.unsqueeze(-1).expand(*index.shape, rows.shape[-1]))
