"""Pooling layers: the maximum or mean of each window, or of all positions."""

from typing import Any, ClassVar

from hy_gluon.nn._arguments import Sizes, check_layout, sizes
from hy_gluon.nn._axes import OverAxes

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


class _Pooling(OverAxes):
    """Base class of all pooling layers; ``pool_type`` is ``"max"`` or ``"avg"``."""

    def __init__(
        self,
        pool_size: Sizes,
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
        check_layout(layout, self._hy_layouts)
        ndim = self._hy_axes or len(layout) - 2
        window = sizes(pool_size, ndim, "pool_size")
        self._kwargs: dict[str, Any] = {
            "kernel": window,
            "stride": window if strides is None else sizes(strides, ndim, "strides"),
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
        """Return ``x`` pooled."""
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


class _MaxPool(_Pooling):
    _hy_per_axis: ClassVar[tuple[str, ...]] = ("pool_size",)
    _hy_details = """

    Args:
        pool_size: Size of the window.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        layout: {layouts}.
        ceil_mode: Round the size of the output up: a window may pass the end.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.

    Example:
        >>> {name}()(nd.ones((1, 3, {each:7}))).shape
        (1, 3, {each:3})
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
        super().__init__(pool_size, strides, padding, ceil_mode, False, "max", layout, **kwargs)


class MaxPool1D(_MaxPool, axes=1):
    """Maximum of each window over one axis."""


class MaxPool2D(_MaxPool, axes=2):
    """Maximum of each window over two axes."""


class MaxPool3D(_MaxPool, axes=3):
    """Maximum of each window over three axes; ``ceil_mode`` is the argument before ``layout``."""

    def __init__(
        self,
        pool_size: Sizes = (2, 2, 2),
        strides: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, layout, ceil_mode, **kwargs)


class _AvgPool(_Pooling):
    _hy_per_axis: ClassVar[tuple[str, ...]] = ("pool_size",)
    _hy_details = """

    Args:
        pool_size: Size of the window.
        strides: Step of the window; ``pool_size`` if None.
        padding: Padding on both sides.
        ceil_mode: Round the size of the output up: a window may pass the end.
        layout: {layouts}.
        count_include_pad: Whether padding counts as zeros of the window.

    Raises:
        LayerError: A size has the wrong length, or the layout does not exist.

    Example:
        >>> {name}()(nd.ones((1, 3, {each:7}))).shape
        (1, 3, {each:3})
    """

    def __init__(
        self,
        pool_size: Sizes = 2,
        strides: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        layout: str = "NCW",
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        counts = count_include_pad
        super().__init__(
            pool_size, strides, padding, ceil_mode, False, "avg", layout, counts, **kwargs
        )


class AvgPool1D(_AvgPool, axes=1):
    """Mean of each window over one axis; ``layout`` is the argument before ``ceil_mode``."""

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
        super().__init__(
            pool_size, strides, padding, ceil_mode, layout, count_include_pad, **kwargs
        )


class AvgPool2D(_AvgPool, axes=2):
    """Mean of each window over two axes."""


class AvgPool3D(_AvgPool, axes=3):
    """Mean of each window over three axes."""


class _GlobalPool(_Pooling):
    _pool_type: ClassVar[str]
    _hy_details = """

    The spatial axes get size 1.

    Args:
        layout: {layouts}.

    Raises:
        LayerError: The layout does not exist.

    Example:
        >>> {name}()(nd.ones((1, 3, {each:7}))).shape
        (1, 3, {each:1})
    """

    def __init__(self, layout: str = "NCW", **kwargs: Any) -> None:
        super().__init__(1, None, 0, True, True, self._pool_type, layout, **kwargs)


class _GlobalMaxPool(_GlobalPool):
    _pool_type = "max"


class GlobalMaxPool1D(_GlobalMaxPool, axes=1):
    """Maximum of all positions of each channel over one axis."""


class GlobalMaxPool2D(_GlobalMaxPool, axes=2):
    """Maximum of all positions of each channel over two axes."""


class GlobalMaxPool3D(_GlobalMaxPool, axes=3):
    """Maximum of all positions of each channel over three axes."""


class _GlobalAvgPool(_GlobalPool):
    _pool_type = "avg"


class GlobalAvgPool1D(_GlobalAvgPool, axes=1):
    """Mean of all positions of each channel over one axis."""


class GlobalAvgPool2D(_GlobalAvgPool, axes=2):
    """Mean of all positions of each channel over two axes."""


class GlobalAvgPool3D(_GlobalAvgPool, axes=3):
    """Mean of all positions of each channel over three axes."""
