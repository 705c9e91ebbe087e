"""Non-maximum suppression: greedy selection among overlapping boxes.

Boxes are processed in blocks: within a block the selection is found by iteration, and then its
survivors remove boxes of later blocks. On a CPU the numpy table selects, one pair of boxes after
the other; on other devices that would wait for each pair.
"""

from typing import NamedTuple

import torch

from hy_kernels.boxes import Edges, area
from hy_kernels.numpy.vision._suppression import survivors as survivors_of_arrays
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.runtime._memory import array_of


class Rule(NamedTuple):
    """Condition under which a box removes another."""

    threshold: float
    border: float
    inclusive: bool

    def hits(self, boxes: Edges, start: int, stop: int) -> Tensor:
        """Return ``[B, R, K - start]``: whether box ``start + r`` overlaps box ``start + k``.

        ``r`` runs over the block ``start:stop`` of ``R`` boxes, ``k`` over all boxes from
        ``start``. Boxes overlap if their intersection over union exceeds the threshold, or equals
        it if inclusive.
        """
        # Broadcast pairs of a block and all boxes after it: [B, R, K - start].
        block = [x[:, start:stop, None] for x in boxes]
        rest = [x[:, None, start:] for x in boxes]
        w = torch.minimum(block[2], rest[2]).sub_(torch.maximum(block[0], rest[0]))
        h = torch.minimum(block[3], rest[3]).sub_(torch.maximum(block[1], rest[1]))
        if self.border:
            w.add_(self.border)
            h.add_(self.border)
        shared = w.clamp_(min=0).mul_(h.clamp_(min=0))
        areas = area(boxes, self.border)
        # ``out=h``: the heights are not needed any more, and pairs take megabytes.
        union = torch.add(areas[:, start:stop, None], areas[:, None, start:], out=h).sub_(shared)
        shared.div_(union)
        # NaN of 0 / 0 compares false, but a threshold of 0 or less must accept it as 0.
        if self.threshold <= 0:
            shared.nan_to_num_(0.0)
        return shared >= self.threshold if self.inclusive else shared > self.threshold


def _survivors_of(hits: Tensor, alive: Tensor) -> Tensor:
    """Return ``[B, R]``: the boxes of a block that survive if each removes later overlapping ones.

    A box is kept if no kept box before it overlaps it. Starting with all, this is iterated until
    nothing changes; the answer for a box is right once those of all boxes before it are.
    """
    # Only boxes after each one, in order of score, can be removed by it.
    after = hits.triu(1)
    keep = alive
    while True:
        # Jacobi iteration: a box's answer is final once the answers of all before it are.
        new = alive & ~(after & keep.unsqueeze(2)).any(1)
        if torch.equal(new, keep):
            return keep
        keep = new


def survivors(
    boxes: Edges,
    alive: Tensor,
    threshold: float,
    *,
    classes: Tensor | None = None,
    border: float = 0.0,
    max_boxes: int | None = None,
    inclusive: bool = False,
) -> Tensor:
    """Return the boxes that survive if each, in order, removes later ones that it overlaps.

    Args:
        boxes: Four edges, ``[B, K]`` each, in order of preference.
        alive: ``[B, K]``, a mask of the candidates.
        threshold: Overlap above which a box is removed.
        classes: ``[B, K]``; boxes remove only those of their own class. None: all are of one.
        border: 1 if edges are pixels that belong to the box, else 0.
        max_boxes: Largest number of boxes to keep in each row.
        inclusive: Whether an overlap equal to the threshold also removes a box.

    Returns:
        ``[B, K]``, boolean.
    """
    if not alive.is_cpu:
        return on_any_device(boxes, alive, classes, Rule(threshold, border, inclusive), max_boxes)
    x1, y1, x2, y2 = map(array_of, boxes)
    keep = survivors_of_arrays(
        (x1, y1, x2, y2),
        array_of(alive),
        threshold,
        classes=None if classes is None else array_of(classes),
        border=border,
        max_boxes=max_boxes,
        inclusive=inclusive,
    )
    return torch.from_numpy(keep)


def on_any_device(
    boxes: Edges, alive: Tensor, classes: Tensor | None, rule: Rule, max_boxes: int | None
) -> Tensor:
    """Return :func:`survivors` by torch operators only, for all samples at once."""
    keep = alive.clone()
    total = alive.shape[1]
    x1, y1, x2, y2 = torch.stack(boxes)
    boxes = x1, y1, x2, y2
    # Blocks bound the memory of pairs, and the number of iterations.
    block = COSTS.blocks.boxes
    for start in range(0, total, block):
        stop = min(start + block, total)
        hits = rule.hits(boxes, start, stop)
        if classes is not None:
            hits &= classes[:, start:stop, None] == classes[:, None, start:]
        size = stop - start
        selected = _survivors_of(hits[:, :, :size], keep[:, start:stop])
        keep[:, start:stop] = selected
        # Survivors of the block remove boxes of all later ones at once.
        if stop < total:
            keep[:, stop:] &= ~(hits[:, :, size:] & selected.unsqueeze(2)).any(1)
    # The best max_boxes survivors, without reading counts from the device.
    return keep if max_boxes is None else keep & (keep.cumsum(1) <= max_boxes)
