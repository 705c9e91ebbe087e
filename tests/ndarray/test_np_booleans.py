"""``True`` and ``False`` as indices: masks of no axis for ``np``, integers for ``nd``."""

from typing import Any

import numpy as onp
import pytest

from hy_ndarray import IndexingError, autograd, nd, np

SHAPES = [(2, 3), (2,), (), (2, 2, 3)]
KEYS: list[Any] = [
    True,
    False,
    onp.bool_(True),
    onp.array(False),
    (True,),
    (0, True),
    (True, 0),
    (..., True),
    (False, ...),
    (None, True),
    (slice(None), True),
    (True, slice(0, 1)),
    (True, slice(None), 0),
    (True, True),
    (True, False),
    (True, [0, 1]),
    ([1, 0], True),
    (slice(None), True, [0]),
    (False, [0]),
    ([True, False], True),
]


def _of_numpy(base: Any, key: Any) -> Any:
    try:
        return base[key]
    except IndexError:
        return None


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_np_reads_writes_and_differentiates_them_as_numpy(key: Any, shape: tuple[int, ...]) -> None:
    base = onp.arange(onp.prod(shape, dtype=int), dtype="float32").reshape(shape)
    expected, x = _of_numpy(base, key), np.array(base)
    if expected is None:
        with pytest.raises(IndexingError):
            x[key]
        with pytest.raises(IndexingError):
            x[key] = 9
        return
    assert x[key].shape == expected.shape
    onp.testing.assert_array_equal(x[key].asnumpy(), expected)
    x.attach_grad()
    with autograd.record():
        y = x[key] * 2
    y.backward()
    slope = onp.zeros_like(base)
    onp.add.at(slope, key, 2)
    assert x.grad is not None
    onp.testing.assert_array_equal(x.grad.asnumpy(), slope)
    for value in (onp.float32(9), onp.arange(expected.size).reshape(expected.shape)):
        changed, theirs = np.array(base), base.copy()
        changed[key], theirs[key] = value, value
        onp.testing.assert_array_equal(changed.asnumpy(), theirs)


def test_a_comparison_of_numbers_is_such_a_mask() -> None:
    x = np.array([1, 2])
    x[x.sum() > 5] = 7
    assert x.tolist() == [1, 2]
    x[x.sum() > 2] = 7
    assert x.tolist() == [7, 7]
    assert x[x[0] == 7].shape == (1, 2)


def test_nd_takes_them_as_integers() -> None:
    x = nd.array([[0, 1], [2, 3]])
    assert x[True].asnumpy().tolist() == [2, 3]  # as MXNet
    assert x[False, True].asnumpy().tolist() == [1]
    x[True] = 9
    assert x.asnumpy().tolist() == [[0, 1], [9, 9]]
