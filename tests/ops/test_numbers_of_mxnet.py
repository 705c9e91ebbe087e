"""Operators at the edge of their definition: MXNet's numbers."""

from typing import Any

import numpy as onp
import pytest

from hy_ndarray import DTypeError, autograd, nd, np

loose: Any = nd


def test_the_distance_of_equal_elements_has_the_gradient_one() -> None:
    a, b = nd.array([[[[1, 2], [3, 4]]]]), nd.array([[[[1, 5], [0, 4]]]])
    for x in (a, b):
        x.attach_grad()
    options = {"kernel_size": 1, "max_displacement": 0, "stride1": 1, "stride2": 1, "pad_size": 0}
    with autograd.record():
        y = loose.Correlation(a, b, is_multiply=False, **options)
    y.backward()
    assert a.grad.asnumpy().ravel().tolist() == [1, -1, 1, 1]
    assert b.grad.asnumpy().ravel().tolist() == [-1, 1, -1, -1]


@pytest.mark.parametrize("dtype", ["float16", "bool"])
@pytest.mark.parametrize("name", ["eig", "eigh", "eigvals", "eigvalsh"])
def test_eigenvalues_of_half_floats_and_booleans_are_refused(name: str, dtype: str) -> None:
    with pytest.raises(DTypeError, match=dtype):
        getattr(np.linalg, name)(np.array(onp.eye(2), dtype=dtype))
