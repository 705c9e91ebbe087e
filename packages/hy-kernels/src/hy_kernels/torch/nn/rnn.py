"""Recurrent layers: plain, GRU and LSTM, stacked, in one or both directions.

All input projections of a layer are one matrix product before the loop over time; all gates of a
step are one product inside it. What the gradients need is saved in one flat tensor, the reserve.
"""

from collections.abc import Sequence
from typing import Any

import torch

from hy_kernels.record import Params
from hy_kernels.recurrent_stack import Stack, clip_of
from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, stored, target
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.torch.nn.recurrent._cells import backward, forward
from hy_kernels.torch.nn.recurrent._opaque import opaque
from hy_kernels.torch.nn.recurrent._run import Run
from hy_kernels.torch.nn.recurrent._whole import Ends, WholeStack, supports
from hy_kernels.torch.random._draws import Generator, seeded


class _Stack(Stack):
    """A stack of recurrent layers on torch tensors."""

    def runs(self, reserve: Tensor) -> tuple[list[Run], list[Tensor]]:
        """Return a run for each layer and direction, and the dropout masks, kept in ``reserve``."""
        parts, masks = self.parts(reserve)
        return [Run(self.mode, *part, self.invalid, self.clip) for part in parts], masks

    def joined(self, runs: Sequence[Run]) -> Tensor:
        """Return the results of a layer's directions, concatenated; zeros after sequences end."""
        results = [run.results for run in runs]
        joined = results[0] if len(results) == 1 else torch.cat(results, 2)
        return joined if self.invalid is None else joined.masked_fill(self.invalid, 0)


def _stack(
    data: Tensor,
    parameters: Tensor,
    state: Tensor,
    memory: Tensor | None,
    lengths: Tensor | None,
    params: Params,
) -> _Stack:
    """Return the stack of recurrent layers that an operator's inputs and parameters describe."""
    invalid = None
    if lengths is not None:
        steps = torch.arange(len(data), device=data.device)
        invalid = (steps[:, None] >= lengths.reshape(1, -1)).unsqueeze(-1)
    own: tuple[Tensor | None, ...] = data, parameters.contiguous(), state, memory
    # cuDNN adds up wide by itself.
    if not supports(data, params["projection_size"], lengths, clip_of(params)):
        own = tuple([None if x is None else to_compute_dtype(x) for x in own])
    return _Stack.of(params, invalid, *own)


def _fill_mask(mask: Tensor, p: float, is_train: bool, rng: Generator) -> None:
    """Fill a dropout mask with 0 or ``1 / (1 - p)``; in prediction with 1."""
    if is_train:
        drawn = torch.rand(mask.shape, **seeded(rng), device=mask.device)
        # What is left is scaled up, so that prediction needs no factor; with p = 1 nothing is left.
        torch.mul(drawn >= p, 1 / (1 - p) if p < 1 else 0.0, out=mask)
    else:
        mask.fill_(1)


def _like_results(data: Tensor, parameters: Tensor, *states: Any, **params: Any) -> list[Tensor]:
    """Return uninitialized tensors of the shapes and dtypes of the results of :func:`rnn`."""
    state, memory, *_ = *states, None
    stack = _stack(data, parameters, state, memory, None, params)
    ends = [state, memory] if params["state_outputs"] else []
    return [
        data.new_empty((*data.shape[:2], stack.size * stack.directions)),
        *(torch.empty_like(x, dtype=data.dtype) for x in ends if x is not None),
        data.new_empty((stack.reserve_size,), dtype=accumulator(data.dtype)),
    ]


def _like_gradients(_: Tensor, *inputs: Tensor | None, **__: Any) -> list[Tensor]:
    """Return uninitialized tensors of the shapes and dtypes of :func:`rnn_backward`'s results."""
    data, parameters, state, _reserve, memory, *_rest = *inputs, None
    result = data, parameters, state, memory
    keep = torch.contiguous_format
    return [torch.empty_like(x, memory_format=keep) for x in result if x is not None]


@kernel(out="apart")
@opaque(
    "Tensor data, Tensor parameters, Tensor state, Tensor? state_cell=None, "
    "Tensor? sequence_length=None",
    _like_results,
    draws=True,
)
@with_integer_fallback()
def rnn(
    data: Tensor,
    parameters: Tensor,
    state: Tensor,
    state_cell: Tensor | None = None,
    sequence_length: Tensor | None = None,
    *,
    state_outputs: bool,
    is_train: bool,
    rng: Generator,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Tensor, ...]:
    """Return the last layer's results, the last states if requested, and the reserve."""
    p = params["p"]
    stack = _stack(data, parameters, state, state_cell, sequence_length, params)
    last = 1 + (2 if stack.memory is not None else 1) * state_outputs
    reserve = target(out, (stack.reserve_size,), accumulator(data.dtype), data.device, last)
    if supports(data, stack.projection, sequence_length, stack.clip):
        whole = WholeStack(stack, reserve, stack.parts(reserve)[1])
        for mask in whole.masks:
            _fill_mask(mask, p, is_train, rng)
        y, last_states = whole.forward()
        results = (y, *(last_states if state_outputs else ()))
        return *[stored(x, out, k) for k, x in enumerate(results) if x is not None], reserve
    runs, masks = stack.runs(reserve)
    ends, memories = torch.empty_like(stack.state), None
    if stack.memory is not None:
        memories = torch.empty_like(stack.memory)
    x = stack.data
    for layer in range(stack.layers):
        first = layer * stack.directions
        for k in range(first, first + stack.directions):
            ends[k], memory = forward(runs[k], x, is_train=is_train)
            if memories is not None and memory is not None:
                memories[k] = memory
        x = stack.joined(runs[first : first + stack.directions])
        if stack.dropout and layer + 1 < stack.layers:
            _fill_mask(masks[layer], p, is_train, rng)
            x = x * masks[layer]
    outputs = [copied(x, out, dtype=data.dtype)]  # x may be part of the reserve
    if state_outputs:
        outputs.append(to_storage_dtype(ends, data.dtype, out, 1))
        if memories is not None:
            outputs.append(to_storage_dtype(memories, data.dtype, out, 2))
    return *outputs, reserve


@kernel(out="apart")
@opaque(
    "Tensor dy, Tensor data, Tensor parameters, Tensor state, Tensor reserve, "
    "Tensor? state_cell=None, Tensor? sequence_length=None, Tensor? dstate=None, "
    "Tensor? dstate_cell=None",
    _like_gradients,
)
@with_integer_fallback()
def rnn_backward(
    dy: Tensor,
    data: Tensor,
    parameters: Tensor,
    state: Tensor,
    reserve: Tensor,
    state_cell: Tensor | None = None,
    sequence_length: Tensor | None = None,
    dstate: Tensor | None = None,
    dstate_cell: Tensor | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Tensor, ...]:
    """Return the gradients to data, parameters, state, and the memory of an LSTM."""
    stack = _stack(data, parameters, state, state_cell, sequence_length, params)
    if supports(data, stack.projection, sequence_length, stack.clip):
        reserve = reserve.contiguous()
        whole = WholeStack(stack, reserve, stack.parts(reserve)[1])
        return _whole_gradients(whole, stack, dy, (dstate, dstate_cell), out)
    runs, masks = stack.runs(reserve.contiguous())
    shape, dtype = stack.parameters.shape, stack.parameters.dtype
    dparameters = target(out, shape, dtype, data.device, 1)
    dweights = stack.weights(dparameters)
    ends = _or_zeros(dstate, stack.state)
    memories = None if stack.memory is None else _or_zeros(dstate_cell, stack.memory)
    d = to_compute_dtype(dy)
    size = stack.size
    for layer in range(stack.layers - 1, -1, -1):
        first = layer * stack.directions
        x = stack.data
        if layer:
            # The inputs of a layer are the results below it, which lie in the reserve: nothing is
            # saved twice.
            x = stack.joined(runs[first - stack.directions : first])
            x = x * masks[layer - 1] if stack.dropout else x
        if stack.invalid is not None:
            # Results after the ends were zeros, whatever the states there.
            d = d.masked_fill(stack.invalid, 0)
        parts = []
        for i in range(stack.directions):
            k = first + i
            end = ends[k], None if memories is None else memories[k]
            part = d[..., i * size : (i + 1) * size]
            parts.append(backward(runs[k], x, part, end, dweights[k]))
        d = parts[0] if len(parts) == 1 else parts[0].add_(parts[1])
        d = d.mul_(masks[layer - 1]) if layer and stack.dropout else d
    gradients = [
        to_storage_dtype(d, data.dtype, out),
        to_storage_dtype(dparameters, parameters.dtype, out, 1),
    ]
    gradients.append(to_storage_dtype(ends, state.dtype, out, 2))
    if memories is not None:
        gradients.append(to_storage_dtype(memories, data.dtype, out, 3))
    return tuple(gradients)


def _whole_gradients(
    whole: WholeStack,
    stack: _Stack,
    dy: Tensor,
    ends: tuple[Tensor | None, Tensor | None],
    out: OutBuffers,
) -> tuple[Tensor, ...]:
    """Return the gradients of :func:`rnn_backward` by cuDNN."""
    parameters, memory = stack.parameters, stack.memory
    dparameters = target(out, parameters.shape, parameters.dtype, parameters.device, 1)
    heads: Ends = (
        _or_zeros(ends[0], stack.state),
        None if memory is None else _or_zeros(ends[1], memory),
    )
    dx, (dh, dc) = whole.backward(dy, heads, dparameters)
    gradients = [stored(dx, out), dparameters, stored(dh, out, 2)]
    return (*gradients, *([] if dc is None else [stored(dc, out, 3)]))


def _or_zeros(gradient: Tensor | None, like: Tensor) -> Tensor:
    """Return the gradient of a state, or zeros if there is none."""
    if gradient is None:
        return torch.zeros_like(like, memory_format=torch.contiguous_format)
    return gradient.to(like.dtype, copy=True, memory_format=torch.contiguous_format)
