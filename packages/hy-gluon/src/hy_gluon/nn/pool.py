"""Pooling: the maximum or mean of each window, or of all positions."""

from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.nn._arguments import Sizes, check_layout, sizes

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
]

_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class _Pooling(HybridBlock):
    """What all pooling layers share.

    Args:
        pool_size: Size of the window; its length is the number of spatial axes.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        ceil_mode: Round the size of the output up: a window may pass the end.
        global_pool: Take all positions as one window.
        pool_type: ``"max"`` or ``"avg"``.
        layout: Order of the axes, such as ``"NCHW"``.
        count_include_pad: Whether the mean counts padding.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.
    """

    def __init__(
        self,
        pool_size: tuple[int, ...],
        strides: Sizes | None,
        padding: Sizes,
        ceil_mode: bool,
        global_pool: bool,
        pool_type: str,
        layout: str,
        count_include_pad: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        ndim = len(pool_size)
        check_layout(layout, _LAYOUTS[ndim])
        self._kwargs: dict[str, Any] = {
            "kernel": pool_size,
            "stride": pool_size if strides is None else sizes(strides, ndim, "strides"),
            "pad": sizes(padding, ndim, "padding"),
            "global_pool": global_pool,
            "pool_type": pool_type,
            "layout": layout,
            "pooling_convention": "full" if ceil_mode else "valid",
        }
        if count_include_pad is not None:
            self._kwargs["count_include_pad"] = count_include_pad

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Pool ``x``."""
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        kwargs = self._kwargs
        ceil_mode = kwargs["pooling_convention"] == "full"
        return (
            f"{type(self).__name__}(size={kwargs['kernel']}, stride={kwargs['stride']}, "
            f"padding={kwargs['pad']}, ceil_mode={ceil_mode}, "
            f"global_pool={kwargs['global_pool']}, pool_type={kwargs['pool_type']}, "
            f"layout={kwargs['layout']})"
        )


class MaxPool1D(_Pooling):
    """Maximum of each window over one axis.

    Args:
        pool_size: Size of the window.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        layout: ``"NCW"`` or ``"NWC"``.
        ceil_mode: Round the size of the output up: a window may pass the end.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.

    Example:
        >>> MaxPool1D()(nd.ones((1, 3, 7))).shape
        (1, 3, 3)
    """

    def __init__(
        self,
        pool_size: Sizes = 2,
        strides: Sizes | None = None,
        padding: Sizes = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        window = sizes(pool_size, 1, "pool_size")
        super().__init__(window, strides, padding, ceil_mode, False, "max", layout, **kwargs)


class MaxPool2D(_Pooling):
    """Maximum of each window over two axes.

    Args:
        pool_size: Size of the window.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        layout: ``"NCHW"`` or ``"NHWC"``.
        ceil_mode: Round the size of the output up: a window may pass the end.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.

    Example:
        >>> MaxPool2D()(nd.ones((1, 3, 7, 7))).shape
        (1, 3, 3, 3)
    """

    def __init__(
        self,
        pool_size: Sizes = (2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        layout: str = "NCHW",
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        window = sizes(pool_size, 2, "pool_size")
        super().__init__(window, strides, padding, ceil_mode, False, "max", layout, **kwargs)


class MaxPool3D(_Pooling):
    """Maximum of each window over three axes.

    Args:
        pool_size: Size of the window.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        ceil_mode: Round the size of the output up: a window may pass the end.
        layout: ``"NCDHW"`` or ``"NDHWC"``.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.

    Example:
        >>> MaxPool3D()(nd.ones((1, 3, 7, 7, 7))).shape
        (1, 3, 3, 3, 3)
    """

    def __init__(
        self,
        pool_size: Sizes = (2, 2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: Any,
    ) -> None:
        window = sizes(pool_size, 3, "pool_size")
        super().__init__(window, strides, padding, ceil_mode, False, "max", layout, **kwargs)


class AvgPool1D(_Pooling):
    """Mean of each window over one axis.

    Args:
        pool_size: Size of the window.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        layout: ``"NCW"`` or ``"NWC"``.
        ceil_mode: Round the size of the output up: a window may pass the end.
        count_include_pad: Whether padding counts as zeros of the window.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.

    Example:
        >>> AvgPool1D()(nd.ones((1, 3, 7))).shape
        (1, 3, 3)
    """

    def __init__(
        self,
        pool_size: Sizes = 2,
        strides: Sizes | None = None,
        padding: Sizes = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        window = sizes(pool_size, 1, "pool_size")
        super().__init__(
            window,
            strides,
            padding,
            ceil_mode,
            False,
            "avg",
            layout,
            count_include_pad,
            **kwargs,
        )


class AvgPool2D(_Pooling):
    """Mean of each window over two axes.

    Args:
        pool_size: Size of the window.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        ceil_mode: Round the size of the output up: a window may pass the end.
        layout: ``"NCHW"`` or ``"NHWC"``.
        count_include_pad: Whether padding counts as zeros of the window.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.

    Example:
        >>> AvgPool2D()(nd.ones((1, 3, 7, 7))).shape
        (1, 3, 3, 3)
    """

    def __init__(
        self,
        pool_size: Sizes = (2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        layout: str = "NCHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        window = sizes(pool_size, 2, "pool_size")
        super().__init__(
            window,
            strides,
            padding,
            ceil_mode,
            False,
            "avg",
            layout,
            count_include_pad,
            **kwargs,
        )


class AvgPool3D(_Pooling):
    """Mean of each window over three axes.

    Args:
        pool_size: Size of the window.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        ceil_mode: Round the size of the output up: a window may pass the end.
        layout: ``"NCDHW"`` or ``"NDHWC"``.
        count_include_pad: Whether padding counts as zeros of the window.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.

    Example:
        >>> AvgPool3D()(nd.ones((1, 3, 7, 7, 7))).shape
        (1, 3, 3, 3, 3)
    """

    def __init__(
        self,
        pool_size: Sizes = (2, 2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        window = sizes(pool_size, 3, "pool_size")
        super().__init__(
            window,
            strides,
            padding,
            ceil_mode,
            False,
            "avg",
            layout,
            count_include_pad,
            **kwargs,
        )


class GlobalMaxPool1D(_Pooling):
    """Maximum of all positions of each channel; the spatial axis gets size 1.

    Args:
        layout: ``"NCW"`` or ``"NWC"``.

    Raises:
        LayerError: The layout does not exist.

    Example:
        >>> GlobalMaxPool1D()(nd.ones((1, 3, 7))).shape
        (1, 3, 1)
    """

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__((1,), None, 0, True, True, "max", layout, **kwargs)


class GlobalMaxPool2D(_Pooling):
    """Maximum of all positions of each channel; the spatial axes get size 1.

    Args:
        layout: ``"NCHW"`` or ``"NHWC"``.

    Raises:
        LayerError: The layout does not exist.

    Example:
        >>> GlobalMaxPool2D()(nd.ones((1, 3, 7, 7))).shape
        (1, 3, 1, 1)
    """

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__((1, 1), None, 0, True, True, "max", layout, **kwargs)


class GlobalMaxPool3D(_Pooling):
    """Maximum of all positions of each channel; the spatial axes get size 1.

    Args:
        layout: ``"NCDHW"`` or ``"NDHWC"``.

    Raises:
        LayerError: The layout does not exist.

    Example:
        >>> GlobalMaxPool3D()(nd.ones((1, 3, 7, 7, 7))).shape
        (1, 3, 1, 1, 1)
    """

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__((1, 1, 1), None, 0, True, True, "max", layout, **kwargs)


class GlobalAvgPool1D(_Pooling):
    """Mean of all positions of each channel; the spatial axis gets size 1.

    Args:
        layout: ``"NCW"`` or ``"NWC"``.

    Raises:
        LayerError: The layout does not exist.

    Example:
        >>> GlobalAvgPool1D()(nd.ones((1, 3, 7))).shape
        (1, 3, 1)
    """

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__((1,), None, 0, True, True, "avg", layout, **kwargs)


class GlobalAvgPool2D(_Pooling):
    """Mean of all positions of each channel; the spatial axes get size 1.

    Args:
        layout: ``"NCHW"`` or ``"NHWC"``.

    Raises:
        LayerError: The layout does not exist.

    Example:
        >>> GlobalAvgPool2D()(nd.ones((1, 3, 7, 7))).shape
        (1, 3, 1, 1)
    """

    def __init__(self, layout: str = "NCHW", **kwargs: Any) -> None:
        super().__init__((1, 1), None, 0, True, True, "avg", layout, **kwargs)


class GlobalAvgPool3D(_Pooling):
    """Mean of all positions of each channel; the spatial axes get size 1.

    Args:
        layout: ``"NCDHW"`` or ``"NDHWC"``.

    Raises:
        LayerError: The layout does not exist.

    Example:
        >>> GlobalAvgPool3D()(nd.ones((1, 3, 7, 7, 7))).shape
        (1, 3, 1, 1, 1)
    """

    def __init__(self, layout: str = "NCDHW", **kwargs: Any) -> None:
        super().__init__((1, 1, 1), None, 0, True, True, "avg", layout, **kwargs)
