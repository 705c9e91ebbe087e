"""Attention by sample and head, and its gradients, by the fastest of torch's functions.

A query from which a mask hides all keys gets what separate operators would give: zeros if a mask
multiplies weights or a length is 0; the mean of all values if scores are replaced; nan if ``-inf``
is added, unless ``nothing`` is 0. Torch's functions give zeros or nan, which is corrected here.
"""

from math import inf, nan
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from hy_kernels.torch._precision import to_compute_dtype
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn.attention._fused import (
    Arrays,
    dense,
    efficient,
    efficient_backward,
    flash,
    flash_backward,
    is_efficient,
    is_flash,
)

_aten: Any = torch.ops.aten
# Close to float32's largest, and finite: the softmax of a row of -inf alone would be NaN.
_FAR = 3e38
"""Minus the score that hides a key on CPUs: adding it to any score gives the same number."""


class Attention(NamedTuple):
    """Operands and options of attention, with arrays by sample and head."""

    arrays: Arrays
    """Queries, keys and values, ``[N, heads, L, D]``."""
    scale: float
    kind: str
    """Kind of mask: ``"none"``, ``"length"``, ``"added"``, ``"where"`` or ``"both"``."""
    fill: float = 0.0
    mask_array: Tensor | None = None
    """Mask ``[N, heads, queries, keys]``, whose axes may be 1; lengths have one key."""
    scales_weights: bool = False
    """Whether the mask has other numbers than 0 and 1, and multiplies the weights."""
    causal: bool = False
    """Whether query ``i`` sees no key after ``i``; there is no other mask."""
    nothing: float = nan
    """Result of queries whose scores are all ``-inf`` by an added mask."""

    def result(self) -> tuple[Tensor, Tensor | None]:
        """Return the result ``[N, heads, queries, D]``, and the logsumexp of rows, or None."""
        if self._has_empty():
            return self.arrays[0].new_zeros(self.arrays[0].shape), None
        # A mask with other numbers than 0 and 1 scales the weights too, which no fused attention
        # does.
        if self.scales_weights:
            return _step_by_step(self), None
        # torch's flash attention for CPUs answers the logsumexp of each row, which its backward
        # reads.
        if self.arrays[0].is_cpu:
            return _on_cpu(self)
        if self.kind == "none" and is_flash(self.arrays, self.causal):
            return flash(self.arrays, self.scale, self.causal)
        empty = _empty(self)
        if is_efficient(self.arrays, self.causal):
            arrays, mask = _seen(self, empty)
            y, sums = efficient(arrays, mask, self.scale, self.causal)
            return _correct_masked_queries(self, y, empty), sums
        return _correct_masked_queries(self, _on_any_device(self, empty), empty), None

    def gradients(self, dy: Tensor, y: Tensor, sums: Tensor) -> Arrays:
        """Return the gradients to queries, keys and values.

        Kernels that return no logsumexp of rows are run again, and differentiated by torch's
        autograd.
        """
        if self._has_empty():
            query, key, value = (x.new_zeros(x.shape) for x in self.arrays)
            return query, key, value
        if self.arrays[0].is_cpu and not self.scales_weights:
            return _back_on_cpu(self, dy, y, sums)
        if self.kind == "none" and is_flash(self.arrays, self.causal):
            return flash_backward(dy, self.arrays, y, sums, self.scale, self.causal)
        if not self.scales_weights and is_efficient(self.arrays, self.causal):
            return _back_from_sums(self, dy, y, sums)
        # Recomputed by autograd: it knows the backward of whichever kernel torch chose.
        query, key, value = (x.detach().requires_grad_() for x in self.arrays)
        step = self._replace(arrays=(query, key, value))
        empty = None if self.scales_weights else _empty(self)
        with torch.enable_grad():
            again = _step_by_step(step) if self.scales_weights else _on_any_device(step, empty)
        gradients = torch.autograd.grad(
            again, (query, key, value), _correct_masked_queries(self, dy, empty)
        )
        return gradients[0], gradients[1], gradients[2]

    def _has_empty(self) -> bool:
        """Return whether there are no queries or keys, of which torch's kernels divide by zero."""
        return any(0 in x.shape for x in self.arrays)


def _step_by_step(step: Attention) -> Tensor:
    """Return the result by separate operators."""
    query, key, value = step.arrays
    assert step.mask_array is not None
    scores = to_compute_dtype(torch.matmul(query, key.mT)) * step.scale
    weights = torch.softmax(scores.masked_fill(step.mask_array == 0, step.fill), -1)
    return torch.matmul((weights * step.mask_array).to(value.dtype), value)


def _on_any_device(step: Attention, empty: Tensor | None) -> Tensor:
    """Return the result by ``scaled_dot_product_attention``, which chooses a kernel itself."""
    arrays, mask = _seen(step, empty)
    return functional.scaled_dot_product_attention(
        *arrays, mask, is_causal=step.causal, scale=step.scale
    )


def _back_from_sums(step: Attention, dy: Tensor, y: Tensor, sums: Tensor) -> Arrays:
    """Return the gradients by torch's memory-efficient kernel, from the saved logsumexp."""
    empty = _empty(step)
    arrays, mask = _seen(step, empty)
    dy = _correct_masked_queries(step, dy, empty)
    if empty is not None and step.kind == "added" and step.nothing != 0:
        y = y.masked_fill(empty, 0)  # nan times a gradient of 0 is nan
    dq, dk, dv = efficient_backward(dy, arrays, mask, y, sums, step.scale, step.causal)
    if empty is not None and step.kind == "where":  # whose scores no query has made
        dq.masked_fill_(empty, 0)
    return dq, dk, dv


def _seen(step: Attention, empty: Tensor | None) -> tuple[Arrays, Tensor | None]:
    """Return the arrays and a mask under which queries that see no key see all keys instead."""
    query, key, value = step.arrays
    mask_array, kind, mask = step.mask_array, step.kind, None
    if mask_array is not None and empty is not None:
        if kind == "added":
            mask = mask_array.masked_fill(empty, 0)
        else:
            mask = empty | (
                _key_positions(step) < mask_array if kind == "length" else mask_array != 0
            )
        # All scores of a query of zeros are equal, so it gets the mean of the values.
        query = query.masked_fill(empty, 0) if kind == "where" else query
    return (query, key, value), mask


def _key_positions(step: Attention) -> Tensor:
    key = step.arrays[1]
    return torch.arange(key.shape[2], device=key.device)


def _empty(step: Attention) -> Tensor | None:
    """Return a mask of the queries that see no key."""
    mask_array = step.mask_array
    if mask_array is None:
        return None
    if step.kind == "length":
        return mask_array <= 0
    if step.kind == "added":
        return mask_array.amax(-1, keepdim=True) == -inf
    return ~mask_array.any(-1, keepdim=True)


def _correct_masked_queries(step: Attention, x: Tensor, empty: Tensor | None) -> Tensor:
    """Return a result or gradient corrected for queries that see no key."""
    if empty is None or step.kind == "where":
        return x
    return x.masked_fill(empty, step.nothing if step.kind == "added" else 0.0)


def _on_cpu(step: Attention) -> tuple[Tensor, Tensor]:
    """Return the result by torch's CPU kernel, and the logsumexp of rows."""
    y, sums = _aten._scaled_dot_product_flash_attention_for_cpu(
        *map(dense, step.arrays), is_causal=step.causal, attn_mask=_bias(step), scale=step.scale
    )
    return _correct_masked_queries(step, y, _empty_on_cpu(step, sums)), sums


def _back_on_cpu(step: Attention, dy: Tensor, y: Tensor, sums: Tensor) -> Arrays:
    query, key, value = step.arrays
    empty = _empty_on_cpu(step, sums)
    dy = _correct_masked_queries(step, dy, empty)
    if empty is not None and step.kind == "where":  # whose shares are 1 beside such sums
        query, dy = query.masked_fill(empty, 0), torch.where(empty, dy / key.shape[2], dy)
    arrays = map(dense, (dy, query, key, value, y, sums))
    dq, dk, dv = _aten._scaled_dot_product_flash_attention_for_cpu_backward(
        *arrays, 0.0, step.causal, attn_mask=_bias(step), scale=step.scale
    )
    if empty is not None and step.kind == "where":  # whose scores no query has made
        dq.masked_fill_(empty, 0)
    return dq, dk, dv


def _empty_on_cpu(step: Attention, sums: Tensor) -> Tensor | None:
    """Return a mask of the queries that see no key, from the logsumexp of rows where possible.

    None for an added mask if the step's ``nothing`` is 0: torch's kernel gives such queries zeros.
    """
    if step.kind in ("where", "both"):
        # The logsumexp of a row is that far below 0 only if all its keys are hidden.
        return sums.unsqueeze(-1) < -_FAR / 2
    return None if step.kind == "added" and step.nothing == 0 else _empty(step)


def _bias(step: Attention) -> Tensor | None:
    """Return the mask as a bias that is added to the scores."""
    if step.mask_array is None:
        return None
    mask_array = dense(step.mask_array)
    if step.kind == "added" and step.nothing == 0:
        return mask_array
    if step.kind == "added":
        empty = _empty(step)
        assert empty is not None
        return mask_array.masked_fill(empty, 0)
    if step.kind != "length":
        return torch.where(mask_array != 0, 0.0, -_FAR)
    # Lengths are mostly the same for all queries of a sample; then one row broadcasts.
    first = mask_array[:, :, :1]
    return torch.where(
        _key_positions(step) < (first if bool((mask_array == first).all()) else mask_array),
        0.0,
        -_FAR,
    )
