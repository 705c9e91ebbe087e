"""TritonLimits: by which graphs on a GPU are planned."""

from hy_kernels.torch.runtime._limits import TensorLimits

__all__ = ["TritonLimits"]


class TritonLimits(TensorLimits):
    """Limits of a GPU: every launch saved pays, and 16-bit floats are usual.

    Example:
        >>> TritonLimits().fusion_size
        1
    """

    fusion_size = 1
