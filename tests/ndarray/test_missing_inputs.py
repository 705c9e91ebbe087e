"""A call without an array that it must have is refused, whichever kernel would take None."""

import pytest

from hy_ndarray import ArgumentError, nd

X = nd.array([1.0, 2.0])


@pytest.mark.parametrize("name", ["broadcast_equal", "broadcast_not_equal", "broadcast_logical_or"])
def test_operators_of_two_arrays_take_no_less(name: str) -> None:
    function = getattr(nd, name)
    both = function(X, X).asnumpy().tolist()
    for _ in range(2):
        assert function(X, rhs=X).asnumpy().tolist() == both
        with pytest.raises(ArgumentError, match="input rhs is missing"):
            function(X)
        with pytest.raises(ArgumentError, match="input rhs is missing"):
            function(X, name="unused")
