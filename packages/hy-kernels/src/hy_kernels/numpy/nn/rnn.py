"""Recurrent layers: plain, GRU and LSTM, stacked, in one or both directions.

All input projections of a layer are one matrix product before the loop over time, and all gates of
a step are one product in it. The values that gradients need are saved in a flat array, the reserve.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, quiet, target, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn.recurrent._cells import backward, forward
from hy_kernels.numpy.nn.recurrent._run import Run
from hy_kernels.numpy.runtime._blas import single_thread
from hy_kernels.record import Params
from hy_kernels.recurrent_stack import Stack


class _Stack(Stack):
    """A stack of recurrent layers over numpy arrays."""

    def runs(self, reserve: Array) -> tuple[list[Run], list[Array]]:
        """Return a run for each layer and direction, on views of ``reserve``, and dropout masks."""
        parts, masks = self.parts(reserve)
        return [Run(self.mode, *part, self.invalid, self.clip) for part in parts], masks

    def concatenated(self, runs: Sequence[Run]) -> Array:
        """Return the concatenated results of a layer's directions, zero after a sequence's end."""
        results = [run.results for run in runs]
        joined = results[0] if len(results) == 1 else np.concatenate(results, axis=2)
        if self.invalid is None:
            return joined
        return np.where(self.invalid, joined.dtype.type(0), joined)


def _stack(
    data: Array,
    parameters: Array,
    state: Array,
    memory: Array | None,
    lengths: Array | None,
    params: Params,
) -> _Stack:
    """Return the stack of recurrent layers that an operator's inputs and parameters describe."""
    invalid = None
    if lengths is not None:
        invalid = np.asarray(np.arange(len(data))[:, None, None] >= lengths.reshape(1, -1, 1))
    own = [None if x is None else to_compute_dtype(x) for x in (data, parameters, state, memory)]
    return _Stack.of(params, invalid, *own)


@kernel(out="apart", threads=0)
@single_thread
@quiet
def rnn(
    data: Array,
    parameters: Array,
    state: Array,
    state_cell: Array | None = None,
    sequence_length: Array | None = None,
    *,
    state_outputs: bool,
    is_train: bool,
    rng: np.random.Generator,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Array, ...]:
    """Return the last layer's results, the final states if ``state_outputs``, and the reserve."""
    p = params["p"]
    stack = _stack(data, parameters, state, state_cell, sequence_length, params)
    last = 1 + (2 if stack.memory is not None else 1) * state_outputs
    reserve = target(out, (stack.reserve_size,), stack.data.dtype, last)
    runs, masks = stack.runs(reserve)
    shown = out if state_outputs else None
    ends = target(shown, stack.state.shape, stack.state.dtype, 1)
    memories = None
    if stack.memory is not None:
        memories = target(shown, stack.memory.shape, stack.memory.dtype, 2)
    x = stack.data
    for layer in range(stack.layers):
        first = layer * stack.directions
        for k in range(first, first + stack.directions):
            ends[k], memory = forward(runs[k], x)
            if memories is not None:
                memories[k] = memory
        x = stack.concatenated(runs[first : first + stack.directions])
        if stack.dropout and layer + 1 < stack.layers:
            # Saved in the reserve, because the gradient multiplies by the same mask.
            mask = masks[layer]
            scale = 1 / (1 - p) if p < 1 else 0
            mask[...] = (rng.random(mask.shape, np.float32) >= p) * scale if is_train else 1
            x = x * mask
    y = target(out, x.shape, data.dtype)
    y[...] = x  # a copy, because ``x`` may be a view of the reserve
    outputs = [y]
    if state_outputs:
        outputs.append(to_storage_dtype(ends, data.dtype))
        if memories is not None:
            outputs.append(to_storage_dtype(memories, data.dtype))
    return *outputs, reserve


@kernel(out="apart", threads=0)
@single_thread
@quiet
def rnn_backward(
    dy: Array,
    data: Array,
    parameters: Array,
    state: Array,
    reserve: Array,
    state_cell: Array | None = None,
    sequence_length: Array | None = None,
    dstate: Array | None = None,
    dstate_cell: Array | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Array, ...]:
    """Return the gradients to data, parameters, initial state and, for an LSTM, initial memory."""
    stack = _stack(data, parameters, state, state_cell, sequence_length, params)
    runs, masks = stack.runs(reserve)
    dparameters = target(out, stack.parameters.shape, stack.parameters.dtype, 1)
    dweights = stack.weights(dparameters)
    if dstate is None:
        ends = zeroed(out, stack.state.shape, stack.state.dtype, 2)
    else:
        ends = copied(to_compute_dtype(dstate), out, 2)
    memories = None
    if stack.memory is not None:
        memories = zeroed(out, stack.memory.shape, stack.memory.dtype, 3)
        if dstate_cell is not None:
            memories += to_compute_dtype(dstate_cell)
    d = to_compute_dtype(dy)
    size = stack.size
    for layer in range(stack.layers - 1, -1, -1):
        first = layer * stack.directions
        x = stack.data
        if layer:
            x = stack.concatenated(runs[first - stack.directions : first])
            x = x * masks[layer - 1] if stack.dropout else x
        if stack.invalid is not None:
            d = np.where(stack.invalid, d.dtype.type(0), d)
        dx, own = None, None if layer else out
        for i in range(stack.directions):
            k = first + i
            end = ends[k], None if memories is None else memories[k]
            part = d[..., i * size : (i + 1) * size]
            dx = backward(runs[k], x, part, end, dweights[k], dx, own)
        assert dx is not None
        d = dx * masks[layer - 1] if layer and stack.dropout else dx
    gradients = [to_storage_dtype(d, data.dtype), to_storage_dtype(dparameters, parameters.dtype)]
    gradients.append(to_storage_dtype(ends, state.dtype))
    if memories is not None:
        gradients.append(to_storage_dtype(memories, data.dtype))
    return tuple(gradients)
