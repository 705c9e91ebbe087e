"""Stacks of recurrent layers by cuDNN: one call for all layers and steps.

A loop launches eight kernels a step. With dropout between layers each layer is a call of its own,
so that the masks are those of the loop.

The gradients need cuDNN's workspace, whose layout only cuDNN knows. It is kept in the reserve if it
fits; its size is cached by shape once such a layer has run, so that the device need not be asked.
Otherwise the gradients run the layers again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import torch

from hy_kernels.recurrent_stack import Clip, Stack, Weights
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.runtime._cudnn import has_cudnn

_aten: Any = torch.ops.aten
_MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
"""Numbers of the modes in torch's operators."""
_WEIGHTS = 4
"""Weight tensors per layer and direction."""

Ends: TypeAlias = tuple[Tensor, Tensor | None]
"""States, and the memories of an LSTM."""

_saved_sizes: dict[tuple[object, ...], int] = {}
"""Bytes of cuDNN's workspace for the gradients, by shape and layers."""


def supports(data: Tensor, projection: int | None, lengths: Tensor | None, clip: Clip) -> bool:
    """Return whether cuDNN supports these layers; forward and backward must agree."""
    return projection is None and lengths is None and clip[:2] == (None, None) and has_cudnn(data)


class _Ran(NamedTuple):
    """Results of one call of cuDNN, and what its gradient needs."""

    y: Tensor
    ends: Ends
    flat: Tensor
    """The weights in cuDNN's order."""
    saved: Tensor


@dataclass(frozen=True, slots=True)
class _Layers:
    """Consecutive layers that one call of cuDNN computes."""

    stack: Stack
    first: int
    count: int
    reserve: Tensor
    """The part of the reserve for these layers, uint8."""

    @property
    def rows(self) -> slice:
        """Rows of the stack's states that belong to these layers."""
        directions = self.stack.directions
        return slice(self.first * directions, (self.first + self.count) * directions)

    @property
    def settings(self) -> tuple[Any, ...]:
        """Arguments of torch's operators: mode, sizes, no dropout, training, directions."""
        stack = self.stack
        sizes = stack.hidden, 0, self.count
        return _MODES[stack.mode], *sizes, False, 0.0, True, stack.directions == 2, [], None

    def weights(self, parameters: Tensor) -> list[Tensor]:
        """Return these layers' weights and biases in ``parameters``, in torch's order."""
        parts: list[Weights] = self.stack.weights(parameters)[self.rows]
        return [x for w in parts for x in (w.inputs, w.hidden, w.input_bias, w.hidden_bias)]

    def _flat_weights(self, weights: Sequence[Tensor], inputs: int) -> Tensor:
        """Return a copy of the weights in cuDNN's order; the tensors become views of it."""
        stack = self.stack
        sizes = _MODES[stack.mode], stack.hidden, 0, self.count
        flat: Tensor = _aten._cudnn_rnn_flatten_weight(
            weights, _WEIGHTS, inputs, *sizes, False, stack.directions == 2
        )
        return flat

    def states(self) -> Ends:
        """Return these layers' states and memories before the first step."""
        memory = self.stack.memory
        own = None if memory is None else memory[self.rows].contiguous()
        return self.stack.state[self.rows].contiguous(), own

    def run(self, x: Tensor) -> _Ran:
        """Run the layers on ``x [T, N, I]``."""
        stack, weights = self.stack, self.weights(self.stack.parameters)
        flat = self._flat_weights(weights, x.shape[2])
        y, h, c, saved, _ = _aten._cudnn_rnn(
            x, weights, _WEIGHTS, flat, *self.states(), *self.settings
        )
        return _Ran(y, (h, None if stack.memory is None else c), flat, saved)

    def _key(self, x: Tensor) -> tuple[object, ...]:
        stack = self.stack
        return x.shape, x.dtype, x.device, stack.mode, stack.hidden, stack.directions, self.count

    def forward(self, x: Tensor) -> tuple[Tensor, Ends]:
        """Return results and last states; save what gradients need in the reserve if it fits."""
        ran = self.run(x)
        _saved_sizes[self._key(x)] = ran.saved.numel()
        if (saved_slices := self._saved_slices(x)) is not None:
            for reserve, value in zip(saved_slices, (ran.y, ran.saved), strict=True):
                reserve.copy_(value)
        return ran.y, ran.ends

    def results(self, x: Tensor) -> Tensor:
        """Return the results that :meth:`forward` saved, or else compute them again."""
        saved_slices = self._saved_slices(x)
        return self.run(x).y if saved_slices is None else saved_slices[0]

    def _saved_slices(self, x: Tensor) -> tuple[Tensor, Tensor] | None:
        """Return slices of the reserve for results and cuDNN's workspace; None if too small."""
        shape = (*x.shape[:2], self.stack.hidden * self.stack.directions)
        size = shape[0] * shape[1] * shape[2] * x.element_size()
        begin = -(-size // 16) * 16  # as far as allocators align
        saved_size = _saved_sizes.get(self._key(x))
        if saved_size is None or begin + saved_size > len(self.reserve):
            return None
        return self.reserve[:size].view(x.dtype).view(shape), self.reserve[
            begin : begin + saved_size
        ]

    def backward(
        self, x: Tensor, dy: Tensor, ends: Ends, dparameters: Tensor
    ) -> tuple[Tensor, Ends]:
        """Return the gradients to ``x`` and the first states; write those of the weights."""
        weights, saved_slices = self.weights(self.stack.parameters), self._saved_slices(x)
        if saved_slices is None:
            ran = self.run(x)
            y, flat, saved = ran.y, ran.flat, ran.saved
        else:
            y, saved = saved_slices
            # Only results and workspace are kept; the weights, parameters, are copied again.
            flat = self._flat_weights(weights, x.shape[2])
        h, c = self.states()
        mask = [True, True, c is not None, True]
        operands = x, weights, _WEIGHTS, flat, h, c, y, dy.contiguous(), *ends
        dx, dh, dc, dweights = _aten._cudnn_rnn_backward(*operands, *self.settings, saved, mask)
        for target, value in zip(self.weights(dparameters), dweights, strict=True):
            target.copy_(value)
        return dx, (dh, None if c is None else dc)


class WholeStack:
    """A stack of layers that runs in as few calls of cuDNN as possible.

    Args:
        stack: The layers, with arrays of the dtype that they compute in.
        reserve: Memory for what the gradients need, float32; the masks are at its end.
        masks: Dropout masks between layers, slices of the reserve.
    """

    def __init__(self, stack: Stack, reserve: Tensor, masks: Sequence[Tensor]) -> None:
        self._stack = stack
        self.masks = masks
        self._reserve = reserve[: reserve.numel() - sum(mask.numel() for mask in masks)]

    def _calls(self) -> Iterator[_Layers]:
        """Yield all layers as one call, or with dropout masks between them each as its own call."""
        stack, reserve = self._stack, self._reserve.view(torch.uint8)
        if not self.masks:
            yield _Layers(stack=stack, first=0, count=stack.layers, reserve=reserve)
            return
        # Multiples of 16 bytes, so that each part can be viewed in any dtype.
        size = len(reserve) // stack.layers // 16 * 16
        for k in range(stack.layers):
            yield _Layers(stack=stack, first=k, count=1, reserve=reserve[k * size : (k + 1) * size])

    def forward(self) -> tuple[Tensor, Ends]:
        """Return the results of the last layer, and the last states."""
        x, ends = self._stack.data.contiguous(), []
        for layers in self._calls():
            x, end = layers.forward(x)
            ends.append(end)
            x = self._masked(x, layers.first)
        return x, _joined(ends)

    def _masked(self, x: Tensor, layer: int) -> Tensor:
        if not self.masks or layer + 1 == self._stack.layers:
            return x
        return x * self.masks[layer].to(x.dtype)

    def backward(self, dy: Tensor, ends: Ends, dparameters: Tensor) -> tuple[Tensor, Ends]:
        """Return the gradients to the data and the first states; write those of the parameters."""
        calls = list(self._calls())
        inputs = [self._stack.data.contiguous()]
        for layers in calls[:-1]:
            inputs.append(self._masked(layers.results(inputs[-1]), layers.first))
        gradients: list[Ends] = []
        for layers, x in reversed(list(zip(calls, inputs, strict=True))):
            # The mask that the results of these layers were multiplied by.
            dy = self._masked(dy, layers.first)
            own: Ends = ends[0][layers.rows], None if ends[1] is None else ends[1][layers.rows]
            dy, end = layers.backward(x, dy, own, dparameters)
            gradients.append(end)
        return dy, _joined(gradients[::-1])


def _joined(ends: Sequence[Ends]) -> Ends:
    """Return the states of all layers, concatenated."""
    if len(ends) == 1:
        return ends[0]
    memories = [c for _, c in ends if c is not None]
    return torch.cat([h for h, _ in ends]), torch.cat(memories) if memories else None
