"""Private functions and classes of MXNet's recurrent cells."""

from collections.abc import Sequence
from typing import Any

from hy_gluon import rnn
from hy_gluon.contrib.rnn import conv_rnn_cell

__all__ = ["_BaseConvRNNCell", "_ConvGRUCell", "_ConvLSTMCell", "_ConvRNNCell"]


def _get_conv_out_size(
    dimensions: Sequence[int],
    kernels: Sequence[int],
    paddings: Sequence[int],
    dilations: Sequence[int],
) -> tuple[int, ...]:
    """Return the output sizes of a convolution of stride 1, 0 for unknown ones."""
    sizes = zip(dimensions, kernels, paddings, dilations, strict=True)
    return tuple(n and (n + 2 * p - d * (k - 1) - 1) + 1 for n, k, p, d in sizes)


def _with_dims(cell: type[Any], alias: str) -> type[Any]:
    """Return a base class of convolutional cells with the argument ``dims``, the number of axes."""

    class Cell(cell):  # type: ignore[misc]  # a class as a value
        def __init__(
            self,
            input_shape: Any,
            hidden_channels: int,
            i2h_kernel: Any,
            h2h_kernel: Any,
            i2h_pad: Any,
            i2h_dilate: Any,
            h2h_dilate: Any,
            i2h_weight_initializer: Any,
            h2h_weight_initializer: Any,
            i2h_bias_initializer: Any,
            h2h_bias_initializer: Any,
            dims: int,
            conv_layout: str,
            activation: Any,
            prefix: str | None = None,
            params: Any = None,
        ) -> None:
            # Past the block's `__setattr__`, which needs `__init__` to have run; the base class
            # reads it there.
            object.__setattr__(self, "_hy_axes", dims)
            super().__init__(
                input_shape,
                hidden_channels,
                i2h_kernel,
                h2h_kernel,
                i2h_pad,
                i2h_dilate,
                h2h_dilate,
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
                conv_layout,
                activation,
                prefix,
                params,
            )

    Cell.__name__ = Cell.__qualname__ = alias
    Cell.__module__ = conv_rnn_cell.__name__
    Cell.__doc__ = f"A cell with convolutions over ``dims`` axes; see :class:`{cell.__name__}`."
    return Cell


_BaseConvRNNCell = _with_dims(rnn.Conv1DRNNCell.__mro__[2], "_BaseConvRNNCell")
_ConvRNNCell = _with_dims(rnn.Conv1DRNNCell.__mro__[1], "_ConvRNNCell")
_ConvLSTMCell = _with_dims(rnn.Conv1DLSTMCell.__mro__[1], "_ConvLSTMCell")
_ConvGRUCell = _with_dims(rnn.Conv1DGRUCell.__mro__[1], "_ConvGRUCell")
