"""Transposed: geometry of a transposed convolution."""

from typing import Any, NamedTuple

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._window import to_first
from hy_kernels.windows import filled, geometry_by_axis

Size = tuple[int, ...]


class Transposed(NamedTuple):
    """Geometry of a transposed convolution.

    ``adj`` is the number of elements of the result beyond the last window, along each axis.
    """

    stride: Size
    dilate: Size
    pad: Size
    adj: Size

    @classmethod
    def of(
        cls,
        data: Tensor,
        weight: Tensor,
        *,
        stride: Size,
        dilate: Size,
        pad: Size,
        adj: Size,
        target_shape: Size,
        layout: str | None,
        **_: Any,
    ) -> "Transposed":
        """Return the geometry for an operator's parameters; ``target_shape`` is that in space."""
        size, kernel = (to_first(each, layout).shape[2:] for each in (data, weight))
        rank = len(kernel)
        steps, gaps, edges = geometry_by_axis(rank, stride, dilate, pad)
        if not any(target_shape):
            return cls(stride=steps, dilate=gaps, pad=edges, adj=filled(adj, 0, rank))
        spans = [
            s * (n - 1) + d * (k - 1) + 1 - w
            for n, k, s, d, w in zip(size, kernel, steps, gaps, target_shape, strict=True)
        ]
        # The result may be one longer than the windows reach (adj 1), not more.
        if min(spans) < -1:
            raise ValueError(
                f"target_shape {target_shape} is larger than what {tuple(size)} covers"
            )
        # MXNet's target_shape: what is too long is cut off on both sides, an odd rest by adj.
        pads = tuple((span + 1) // 2 for span in spans)
        extra = tuple(2 * p - span for p, span in zip(pads, spans, strict=True))
        return cls(stride=steps, dilate=gaps, pad=pads, adj=extra)
