"""Suppression: the choice of the best among boxes that overlap.

Boxes are taken block by block: within one the choice is found by iteration, and what is kept
removes boxes of the blocks behind. On a CPU those are taken out at once, sample by sample, where
there are many; elsewhere that would have to be waited for.
"""

from typing import NamedTuple

import torch

from hy_kernels.torch._boxes import Edges, area
from hy_kernels.torch._tensor import Tensor

__all__ = ["Rule", "anywhere", "on_cpu", "survivors"]

_BLOCK = 256  # boxes compared with all others at a time
_BLOCK_ON_CPU = 128
_MANY = 512  # boxes of a sample, from which on CPUs it costs less to go sample by sample


class Rule(NamedTuple):
    """When a box removes another."""

    threshold: float
    border: float
    inclusive: bool

    def hits(self, boxes: Edges, start: int, stop: int) -> Tensor:
        """``[B, R, K - start]``: which of those from ``start`` on each box of the block hits."""
        block = [x[:, start:stop, None] for x in boxes]
        rest = [x[:, None, start:] for x in boxes]
        w = torch.minimum(block[2], rest[2]).sub_(torch.maximum(block[0], rest[0]))
        h = torch.minimum(block[3], rest[3]).sub_(torch.maximum(block[1], rest[1]))
        if self.border:
            w.add_(self.border)
            h.add_(self.border)
        shared = w.clamp_(min=0).mul_(h.clamp_(min=0))
        areas = area(boxes, self.border)
        union = torch.add(areas[:, start:stop, None], areas[:, None, start:], out=h).sub_(shared)
        shared.div_(union)
        if self.threshold <= 0:  # boxes without any area share nothing
            shared.nan_to_num_(0.0)
        return shared >= self.threshold if self.inclusive else shared > self.threshold


def _chosen(hits: Tensor, alive: Tensor) -> Tensor:
    """``[B, R]``: which of a block are kept, if each removes those behind it that it hits.

    What no kept box in front hits is kept: asked again and again, beginning with all, the answer
    for a box is right as soon as those of all boxes in front of it are.
    """
    behind = hits.triu(1)
    kept = alive
    while True:
        new = alive & ~(behind & kept.unsqueeze(2)).any(1)
        if torch.equal(new, kept):
            return kept
        kept = new


def survivors(
    boxes: Edges,
    alive: Tensor,
    threshold: float,
    *,
    classes: Tensor | None = None,
    border: float = 0.0,
    most: int | None = None,
    inclusive: bool = False,
) -> Tensor:
    """Which boxes are kept if, from the first on, each removes those behind it that it overlaps.

    Args:
        boxes: ``[B, K]`` each, in order of preference.
        alive: ``[B, K]``: the candidates.
        threshold: Overlap above which a box is removed.
        classes: ``[B, K]``; boxes remove only those of their own class. None: all are of one.
        border: 1 where edges are pixels that belong to the box, else 0.
        most: How many to keep at most in each row.
        inclusive: Remove boxes whose overlap is just the threshold, too.

    Returns:
        ``[B, K]``, boolean.
    """
    rule = Rule(threshold, border, inclusive)
    batch, count = alive.shape
    single = batch == 1 or count >= _MANY or most is not None
    choose = on_cpu if alive.is_cpu and single else anywhere
    return choose(boxes, alive, classes, rule, most)


def anywhere(
    boxes: Edges, alive: Tensor, classes: Tensor | None, rule: Rule, most: int | None
) -> Tensor:
    """:func:`survivors` of all samples together."""
    kept = alive.clone()
    total, block = alive.shape[1], _BLOCK_ON_CPU if alive.is_cpu else _BLOCK
    x1, y1, x2, y2 = torch.stack(boxes)
    boxes = x1, y1, x2, y2
    for start in range(0, total, block):
        stop = min(start + block, total)
        hits = rule.hits(boxes, start, stop)
        if classes is not None:
            hits &= classes[:, start:stop, None] == classes[:, None, start:]
        size = stop - start
        chosen = _chosen(hits[:, :, :size], kept[:, start:stop])
        kept[:, start:stop] = chosen
        if stop < total:
            kept[:, stop:] &= ~(hits[:, :, size:] & chosen.unsqueeze(2)).any(1)
    return kept if most is None else kept & (kept.cumsum(1) <= most)


def on_cpu(
    boxes: Edges, alive: Tensor, classes: Tensor | None, rule: Rule, most: int | None
) -> Tensor:
    """:func:`survivors` of one sample after the other."""
    corners = torch.stack(boxes)
    kept = torch.zeros_like(alive)
    for row, candidates in enumerate(alive):
        place = candidates.nonzero().squeeze(1)
        kinds = None if classes is None else classes[row, place]
        found = _of_one(corners[:, row, place], place, kinds, rule, most)
        kept[row, found] = True
    return kept


def _of_one(
    boxes: Tensor, place: Tensor, classes: Tensor | None, rule: Rule, most: int | None
) -> Tensor:
    """Which places of boxes ``[4, K]`` are kept."""
    kept = [place[:0]]
    left = len(place) if most is None else most
    while len(place) and left:
        size = min(len(place), _BLOCK_ON_CPU)
        x1, y1, x2, y2 = boxes.unsqueeze(1)
        hits = rule.hits((x1, y1, x2, y2), 0, size)[0]
        if classes is not None:
            hits &= classes[:size, None] == classes
        chosen = _chosen(hits[None, :, :size], torch.ones((1, size), dtype=torch.bool))[0]
        kept.append(place[:size][chosen][:left])
        left -= len(kept[-1])
        rest = (~hits[chosen, size:].any(0)).nonzero().squeeze(1) + size
        place, boxes = place[rest], boxes[:, rest]
        classes = None if classes is None else classes[rest]
    return torch.cat(kept)
