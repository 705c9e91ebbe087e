"""Inside a hybridized block, a key selects what it selects from an array, and as exactly."""

from collections.abc import Iterator
from typing import Any

import pytest

from hy_gluon import HybridBlock
from hy_ndarray import IndexingError, nd, np as mx_np, npx

KEYS: dict[str, Any] = {
    "an index": 1,
    "a negative index": -1,
    "a slice with a step": slice(None, None, 2),
    "a slice backwards": (slice(None), slice(None, None, -2)),
    "an element": (1, 2, 3),
    "a new axis": None,
    "a new axis at the end": (..., None),
    "the last axis": (..., 0),
    "both ends": (0, ..., 1),
    "all together": (1, slice(None), None, slice(None, None, 2)),
    "a new axis between": (slice(1, None), None, 0),
    "rows": [1, 0, 1],
}


class Part(HybridBlock):
    def __init__(self, key: Any) -> None:
        super().__init__()
        self.key = key

    def forward(self, x: Any) -> Any:
        return (x * 2)[self.key]


@pytest.fixture(params=[False, True], ids=["nd", "np"])
def numpy(request: pytest.FixtureRequest) -> Iterator[bool]:
    if request.param:
        npx.set_np()
    yield request.param
    npx.reset_np()


@pytest.mark.parametrize("name", KEYS)
def test_a_traced_part_is_that_of_the_array(name: str, numpy: bool) -> None:
    x = mx_np.arange(24).reshape(2, 3, 4) if numpy else nd.arange(24).reshape((2, 3, 4))
    block = Part(KEYS[name])
    expected = block(x)
    block.hybridize()
    found = block(x)
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    assert found.asnumpy().tolist() == expected.asnumpy().tolist()


@pytest.mark.parametrize("key", [2, -3, (0, 5), (..., 7)])
def test_an_index_out_of_bounds_is_named_as_for_arrays(key: Any, numpy: bool) -> None:
    x = mx_np.ones((2, 3)) if numpy else nd.ones((2, 3))
    block = Part(key)
    with pytest.raises(IndexingError, match="is out of bounds for axis") as eager:
        block(x)
    block.hybridize()
    with pytest.raises(IndexingError) as traced:
        block(x)
    assert str(traced.value).splitlines()[0] == str(eager.value).splitlines()[0]
