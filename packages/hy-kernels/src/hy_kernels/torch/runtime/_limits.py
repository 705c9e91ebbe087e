"""TensorLimits: sizes by which graphs on torch tensors are planned."""

import sys


class TensorLimits:
    """Planning limits for torch, which runs each operator on whole batches with its own threads.

    Example:
        >>> TensorLimits().threads
        1
    """

    # torch shares one operator among threads; running two of them at once would only contend.
    threads = 1
    """A kernel uses the whole device."""

    dtypes: tuple[str, ...] = ("float32", "float64", "float16", "bfloat16")
    """Of 16-bit floats some layers make results of their own all the same: in float32 first."""

    # torch's allocators align to 64 bytes on CPUs (512 on GPUs).
    alignment = 64
    """Bytes: what torch's allocators give."""

    small_bytes = 1 << 12

    fusion_size = 1 << 22
    """As the numpy table: of fewer elements a last-level cache holds the arrays themselves."""

    fusion_steps = 64

    split_bytes = sys.maxsize
    """Batches stay whole."""

    split_rows = 1
    share_bytes = sys.maxsize
