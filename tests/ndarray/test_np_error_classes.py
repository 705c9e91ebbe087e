"""Functions of ``np`` raise what MXNet's raise, so that programs catch it."""

from collections.abc import Callable
from typing import Any

import pytest

from hy_ndarray import HyError, nd, np

VECTOR, MATRIX, NONE = np.ones(2), np.ones((2, 2)), np.array(1.0)

ERRORS: tuple[tuple[Callable[[], Any], type[Exception]], ...] = (
    (lambda: int(VECTOR), TypeError),
    (lambda: float(VECTOR), TypeError),
    (lambda: complex(VECTOR), TypeError),
    (lambda: float(nd.ones(2)), TypeError),
    (VECTOR.item, ValueError),
    (lambda: range(VECTOR), TypeError),  # floats are no indices
    (lambda: np.vsplit(VECTOR, 2), ValueError),
    (lambda: np.vsplit(NONE, 1), ValueError),
    (lambda: np.hsplit(NONE, 1), ValueError),
    (lambda: np.dsplit(MATRIX, 1), ValueError),
    (lambda: np.split(NONE, 1), IndexError),
    (lambda: np.split(MATRIX, 2, axis=5), IndexError),
    (lambda: np.array_split(MATRIX, 2, axis=5), RuntimeError),
    (lambda: np.quantile(VECTOR, 1.5), ValueError),
    (lambda: np.percentile(VECTOR, -1), ValueError),
    (lambda: np.bincount(VECTOR), RuntimeError),
    (lambda: NONE[np.array(True)], TypeError),
    (lambda: NONE[np.array(0)], TypeError),
    (lambda: NONE[0], IndexError),
    (lambda: np.array(nd.ones(2)), ValueError),
    (lambda: np.array(nd.sparse.zeros("csr", (2, 2)), dtype="int32"), ValueError),
    (lambda: np.bincount(VECTOR.astype("bool")), RuntimeError),
)


@pytest.mark.parametrize(("call", "kind"), ERRORS)
def test_errors_have_the_classes_of_mxnets(call: Callable[[], Any], kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, HyError)


def test_a_matrix_is_split_into_rows() -> None:
    assert [part.shape for part in np.vsplit(np.ones((4, 2)), 2)] == [(2, 2)] * 2
