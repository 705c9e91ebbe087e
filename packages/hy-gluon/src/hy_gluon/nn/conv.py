"""Convolution layers, and padding by reflection."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Never

from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock
from hy_gluon.nn._arguments import Init, Sizes, check_layout, sizes, window_repr
from hy_gluon.nn._axes import OverAxes
from hy_gluon.nn.activation import activation_of
from hy_gluon.parameter import ParameterDict
from hy_symbol import sym

__all__ = [
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "ReflectionPad2D",
]


def _infer_weight_shape(
    op_name: str, data_shape: Sequence[int], kwargs: Mapping[str, Any]
) -> list[tuple[int, ...]]:
    """Return the shapes of a convolution's data, weight and (optional) bias.

    Args:
        op_name: ``"Convolution"`` or ``"Deconvolution"``.
        data_shape: Sizes of ``data``; 0 for unknown ones.
        kwargs: Parameters of the operator.
    """
    data = sym.var("data", shape=tuple(data_shape))
    shapes, _, _ = getattr(sym, op_name)(data, **kwargs).infer_shape_partial()
    assert shapes is not None
    return list(shapes)


class _Conv(OverAxes):
    """Base class of all convolutions; ``op_name`` is the operator, ``adj`` its parameter."""

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
        layout: str,
        in_channels: int = 0,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Init = None,
        bias_initializer: Init = "zeros",
        op_name: str = "Convolution",
        adj: Sizes | None = None,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        **unknown: Never,
    ) -> None:
        super().__init__(prefix=prefix, params=params, **unknown)
        check_layout(layout, self._hy_layouts)
        ndim = self._hy_axes or len(layout) - 2
        self._hy_check_channels(channels, in_channels, groups)
        with self.name_scope():
            self._channels = channels
            self._in_channels = in_channels
            self._kwargs: dict[str, Any] = {
                "kernel": sizes(kernel_size, ndim, "kernel_size"),
                "stride": sizes(strides, ndim, "strides"),
                "dilate": sizes(dilation, ndim, "dilation"),
                "pad": sizes(padding, ndim, "padding"),
                "num_filter": channels,
                "num_group": groups,
                "no_bias": not use_bias,
                "layout": layout,
            }
            if adj is not None:
                self._kwargs["adj"] = sizes(adj, ndim, "output_padding")
            self._op_name = op_name
            self.weight = self.params.get(
                "weight",
                shape=self._hy_weight_shape(),
                init=weight_initializer,
                allow_deferred_init=True,
            )
            self.bias = (
                self.params.get(
                    "bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True
                )
                if use_bias
                else None
            )
            self.act = activation_of(activation)

    def _alias(self) -> str:
        return "conv"

    def _hy_check_channels(self, channels: int, in_channels: int, groups: int) -> None:
        name = type(self).__name__
        if not all(isinstance(n, Integral) for n in (channels, in_channels, groups)):
            raise LayerError(
                f"{name}: channels={channels!r}, in_channels={in_channels!r} and groups={groups!r} "
                "must be integers"
            )
        if channels < 1 or groups < 1:
            raise LayerError(f"{name}: channels={channels}, groups={groups} must be at least 1")
        if channels % groups or in_channels % groups:
            raise LayerError(
                f"{name}: groups={groups} must divide channels={channels} "
                f"and in_channels={in_channels}"
            )

    def _hy_weight_shape(self) -> tuple[int, ...]:
        """Return the sizes of the weight, with 0 for unknown ones."""
        groups, kernel = self._kwargs["num_group"], self._kwargs["kernel"]
        rows, columns = self._channels, self._in_channels
        # A transposed convolution has the weight of the convolution whose gradient it is: input
        # first.
        if self._op_name == "Deconvolution":
            rows, columns = columns, rows
        columns //= groups
        channels_first = self._kwargs["layout"][1] == "C"
        return (rows, columns, *kernel) if channels_first else (rows, *kernel, columns)

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return the layer's output for ``x``."""
        y = getattr(F, self._op_name)(x, weight, bias, name="fwd", **self._kwargs)
        return y if self.act is None else self.act(y)

    def __repr__(self) -> str:
        shape = self.weight.shape
        assert shape is not None
        return window_repr(self, shape, self._kwargs, use_bias=self.bias is not None, act=self.act)


class _Convolution(_Conv):
    _hy_per_axis: ClassVar[tuple[str, ...]] = ("strides", "padding", "dilation")
    _hy_details = """

    Args:
        channels: Channels of the output.
        kernel_size: Size of the window.
        strides: Step of the window.
        padding: Zeros on both sides.
        dilation: Distance between the elements of the window.
        groups: Into how many independent groups the channels are divided.
        layout: {layouts}; the weight follows it.
        activation: Name of an activation function, or None.
        use_bias: Whether there is a bias.
        weight_initializer: Initializer of the weight, ``[channels, C / groups, *kernel_size]``.
        bias_initializer: Initializer of the bias, ``[channels]``.
        in_channels: Channels ``C`` of the input; 0 for what the first input has.

    Raises:
        LayerError: A size has the wrong length, the layout is another one, or ``groups`` does not
            divide the channels.

    Example:
        >>> layer = {name}(4, kernel_size=3)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, {each:8}))).shape
        (2, 4, {each:6})
    """

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: Sizes = 0,
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
            **kwargs,
        )


class Conv1D(_Convolution, axes=1):
    """Convolution over one axis, such as time."""

    _hy_layouts: ClassVar[tuple[str, ...]] = ("NCW",)


class Conv2D(_Convolution, axes=2):
    """Convolution over two axes, such as images."""


class Conv3D(_Convolution, axes=3):
    """Convolution over three axes, such as videos."""


class ReflectionPad2D(HybridBlock):
    """Padding of images by reflection at the borders, without repeating the border pixels.

    Args:
        padding: Pixels on all four sides, or ``pad_width`` of the operator: two numbers (before and
            after) for each of the four axes.

    Raises:
        LayerError: ``padding`` is neither an int nor eight ints.

    Example:
        >>> ReflectionPad2D(1)(nd.array([[[[1, 2], [3, 4]]]])).asnumpy()[0, 0]
        array([[4., 3., 4., 3.],
               [2., 1., 2., 1.],
               [4., 3., 4., 3.],
               [2., 1., 2., 1.]], dtype=float32)
    """

    def __init__(self, padding: Sizes = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if isinstance(padding, int):
            padding = (0, 0, 0, 0, padding, padding, padding, padding)
        self._padding = sizes(padding, 8, "padding")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``x`` padded."""
        return F.pad(x, mode="reflect", pad_width=self._padding)
