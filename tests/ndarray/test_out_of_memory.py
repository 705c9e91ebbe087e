"""What a device has no memory for is an error of its own kind, and the program goes on."""

import numpy as np
import pytest

from hy_ndarray import KernelError, OutOfMemoryError, kernel_failure, nd

HUGE = (10**7, 10**8)
"""Four petabytes: more than a process can address."""


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(OutOfMemoryError, match=r"^_ones: out of memory: \S.*smaller batches"):
        nd.ones(HUGE)
    x = nd.ones((1, 1))
    with pytest.raises(MemoryError, match=r"^broadcast_to: out of memory on data \(1, 1\)"):
        nd.broadcast_to(x, shape=HUGE) + 1
    np.testing.assert_array_equal((x + 1).asnumpy(), [[2.0]])


def test_libraries_tell_it_in_their_own_ways() -> None:
    class OutOfMemoryError(RuntimeError):  # torch's
        pass

    for error in (
        MemoryError("Unable to allocate 1 TiB"),
        OutOfMemoryError("CUDA out of memory"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 4 bytes"),
    ):
        assert isinstance(kernel_failure("exp", "x (2,)", error), MemoryError)
    other = kernel_failure("exp", "x (2,)", RuntimeError("out of order"))
    assert type(other) is KernelError
