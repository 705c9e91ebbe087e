"""HostLimits: sizes of caches and numbers of cores, by which graphs are planned."""

from hy_kernels.numpy.runtime._pool import num_threads

__all__ = ["HostLimits"]


class HostLimits:
    """Sizes that fit the caches of current CPUs, and the number of threads of the pool.

    Example:
        >>> HostLimits().dtypes
        ('float32', 'float64')
    """

    dtypes = ("float32", "float64")
    """Dtypes computed in place. 16-bit floats are computed in float32, in arrays of the kernels."""

    alignment = 64
    """Bytes: a line of the cache, and the longest vector registers."""

    small_bytes = 1 << 12

    fusion_size = 1 << 22
    """Of fewer elements a last-level cache holds the arrays themselves."""

    fusion_steps = 64
    """Their blocks have to stay in the cache, too."""

    split_bytes = 1 << 26
    """About a last-level cache."""

    split_rows = 16
    """Of fewer samples products would be small."""

    share_bytes = 1 << 23
    """The interpreter starts the steps of all parts one after the other."""

    @property
    def threads(self) -> int:
        """Return the current number of threads, as :func:`num_threads` does."""
        return num_threads()
