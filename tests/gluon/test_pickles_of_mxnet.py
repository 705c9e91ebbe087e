"""What MXNet 1.9.1 pickled: arrays, contexts, and blocks that have no parameters."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_io import FileFormatError
from hy_ndarray import ArgumentError

PICKLED = Path(__file__).parent / "data" / "pickled"


@pytest.fixture
def pickled() -> Any:
    """A context, and blocks with what they were given and what they gave."""
    return pickle.loads((PICKLED / "blocks.pickle").read_bytes())  # noqa: S301  # our own file


@pytest.fixture
def arrays() -> Any:
    """Pickles by name."""
    return pickle.loads((PICKLED / "arrays.pickle").read_bytes())  # noqa: S301  # our own file


def test_pickled_blocks_compute_what_they_did(pickled: Any) -> None:
    for block, data, label, wanted in pickled["rows"]:
        given = [mx.nd.array(x) for x in (data, label) if x is not None]
        for _ in range(2):
            np.testing.assert_allclose(block(*given).asnumpy(), wanted, rtol=1e-5)
            block.hybridize()


def test_pickled_blocks_go_on_counting_names(pickled: Any) -> None:
    net = pickled["rows"][-1][0]
    assert [child.prefix for child in net] == ["net_relu0_", "net_flatten0_"]
    with net.name_scope():
        assert mx.gluon.nn.Activation("relu").prefix == "net_relu1_"


def test_pickled_blocks_are_pickled_again(pickled: Any) -> None:
    block, data, label, wanted = pickled["rows"][0]
    again = pickle.loads(pickle.dumps(block))  # noqa: S301  # from the line itself
    found = again(mx.nd.array(data), mx.nd.array(label)).asnumpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


ARRAYS = {
    "small": ([[1, 2], [3, 4]], "int8", "default"),
    "half": ([1.5], "float16", "default"),
    "csr": ([[0, 1], [2, 0]], "float32", "csr"),
    "rows": ([[0, 0], [2, 1]], "float32", "row_sparse"),
    "np": ([[1, 2, 3]], "int64", "default"),
    "scalar": (3.5, "float32", "default"),
    "empty": (np.zeros((0, 3)), "float32", "default"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_pickled_arrays_are_what_they_were(name: str, arrays: dict[str, bytes]) -> None:
    values, dtype, storage = ARRAYS[name]
    array = pickle.loads(arrays[name])  # noqa: S301  # our own file
    assert (np.dtype(array.dtype), array.stype) == (dtype, storage)
    assert isinstance(array, mx.np.ndarray) == (name in {"np", "scalar", "empty"})
    again = pickle.loads(pickle.dumps(array))  # noqa: S301  # from the line itself
    for one in (array, again):
        np.testing.assert_array_equal(one.asnumpy(), values)


def test_a_pickled_array_without_values_is_refused(arrays: dict[str, bytes]) -> None:
    with pytest.raises(ArgumentError, match="cannot unpickle the NDArray: it holds no values"):
        pickle.loads(arrays["none"])  # noqa: S301  # our own file


def test_a_damaged_pickled_array_is_refused(arrays: dict[str, bytes]) -> None:
    damaged = arrays["half"].replace(b"\xc9\xfa\x93\xf9", b"\xc9\xfa\x93\x00")
    assert damaged != arrays["half"]
    with pytest.raises(FileFormatError, match="array 0"):
        pickle.loads(damaged)  # noqa: S301  # our own file, damaged


def test_a_pickled_context_is_the_one_there_is(pickled: Any) -> None:
    ctx = pickled["ctx"]
    assert isinstance(ctx, mx.Context)
    assert (str(ctx), ctx.device_typeid) == ("cpu(1)", 1)
    assert ctx == mx.cpu(1) == ctx != mx.cpu(0)
    assert {mx.cpu(1): "found"}[ctx] == {ctx: "found"}[mx.cpu(1)] == "found"
    assert mx.nd.zeros(2, ctx=ctx).context is mx.Context(ctx) is mx.cpu(1)
    assert pickle.loads(pickle.dumps(ctx)) is mx.cpu(1)  # noqa: S301  # from the line itself
    with pytest.raises(TypeError, match="device_type"):
        mx.Context()  # type: ignore[call-arg]  # what pickles do without __init__
