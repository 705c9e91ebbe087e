"""HostLimits: sizes by which graphs are planned for the CPU."""

from hy_kernels.numpy.runtime._pool import num_threads


class HostLimits:
    """Sizes that suit the caches of current CPUs, and the number of threads of the pool.

    Example:
        >>> HostLimits().dtypes
        ('float32', 'float64')
    """

    dtypes = ("float32", "float64")
    """Dtypes that kernels compute in directly; they convert 16-bit floats to float32 arrays."""

    alignment = 64
    """Bytes of a cache line, and of the widest vector registers."""

    small_bytes = 1 << 12

    fusion_size = 1 << 22
    """Elements from which fusion pays off: smaller arrays fit in the last-level cache."""

    fusion_steps = 64
    """Steps of a fused group at most, so that their blocks fit in the cache."""

    split_bytes = 1 << 26
    """About the size of a last-level cache."""

    split_rows = 16
    """Samples of a part at least: with fewer, matrix products would be small."""

    share_bytes = 1 << 23
    """Bytes of values from which a batch is shared among threads: the interpreter starts the steps
    of all parts one after the other."""

    @property
    def threads(self) -> int:
        """Return the current number of threads of the pool, see :func:`num_threads`."""
        return num_threads()
