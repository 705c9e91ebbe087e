"""TritonLimits: sizes by which graphs on a GPU are planned."""

from hy_kernels.torch.runtime._limits import TensorLimits


class TritonLimits(TensorLimits):
    """Planning limits for GPUs: fuse everything, since each launch saved is a gain.

    Example:
        >>> TritonLimits().fusion_size
        1
    """

    fusion_size = 1
