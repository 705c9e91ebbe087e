"""Transposed convolutions."""

from typing import Any, ClassVar

from hy_gluon.nn._arguments import Init, Sizes
from hy_gluon.nn.conv import _Conv

__all__ = ["Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"]


class _Transposed(_Conv):
    _hy_per_axis: ClassVar[tuple[str, ...]] = ("strides", "padding", "output_padding", "dilation")
    _hy_details = """

    It is the gradient of a convolution to its input.

    Args:
        channels: Channels of the output.
        kernel_size: Size of the window.
        strides: Step of the window in the output.
        padding: How much of the output is cut off on both sides.
        output_padding: How much is added to the output behind.
        dilation: Distance between the elements of the window.
        groups: Into how many independent groups the channels are divided.
        layout: {layouts}; the weight follows it.
        activation: Name of an activation function, or None.
        use_bias: Whether there is a bias.
        weight_initializer: Initializer of the weight, ``[C, channels / groups, *kernel_size]``.
        bias_initializer: Initializer of the bias, ``[channels]``.
        in_channels: Channels ``C`` of the input; 0 for what the first input has.

    Raises:
        LayerError: A size has the wrong length, the layout is another one, or ``groups`` does not
            divide the channels.

    Example:
        >>> layer = {name}(4, kernel_size=3, strides=2)
        >>> layer.initialize()
        >>> layer(nd.ones((1, 3, {each:4}))).shape
        (1, 4, {each:9})
    """

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        layout: str = "NCW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Init = None,
        bias_initializer: Init = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            channels,
            kernel_size,
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            op_name="Deconvolution",
            adj=output_padding,
            **kwargs,
        )
        self.outpad = self._kwargs["adj"]


class Conv1DTranspose(_Transposed, axes=1):
    """Transposed convolution over one axis, such as time."""

    _hy_layouts: ClassVar[tuple[str, ...]] = ("NCW",)


class Conv2DTranspose(_Transposed, axes=2):
    """Transposed convolution over two axes, such as images."""


class Conv3DTranspose(_Transposed, axes=3):
    """Transposed convolution over three axes, such as videos."""
