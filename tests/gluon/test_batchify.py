"""gluon.data.batchify: what MXNet 2.0.0b1 gives for the same items."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_gluon.data import DataLoader, SimpleDataset
from hy_gluon.data.batchify import Append, AsList, Group, Pad, Stack
from hy_ndarray import HyError, NDArray, nd, np, npx

INT8 = onp.ones((2, 2), "int8")
BATCHES: dict[str, tuple[Callable[[], Any], str, Any]] = {
    "lists": (lambda: Pad()([[1, 2, 3], [4]]), "int64", [[1, 2, 3], [4, 0, 0]]),
    "value": (lambda: Pad(val=-1)([[1, 2, 3], [4]]), "int64", [[1, 2, 3], [4, -1, -1]]),
    "wrapped": (lambda: Pad(val=-1, dtype="uint8")([[1, 2], [3]]), "uint8", [[1, 2], [3, 255]]),
    "fraction": (lambda: Pad(val=1.5)([[1, 2], [3]]), "int64", [[1, 2], [3, 1]]),
    "floats": (lambda: Pad()([[1.5], [2, 3]]), "float64", [[1.5, 0], [2, 3]]),
    "first dtype": (
        lambda: Pad()([onp.array([1, 2], "int32"), onp.array([1.5])]),
        "int32",
        [[1, 2], [1, 0]],
    ),
    "rounded": (lambda: Pad(round_to=4)([[1, 2, 3], [4]]), "int64", [[1, 2, 3, 0], [4, 0, 0, 0]]),
    "two axes": (lambda: Pad()([INT8, INT8[:1]]), "int8", [[[1, 1]] * 2, [[1, 1], [0, 0]]]),
    "arrays": (lambda: Pad()([nd.array([1, 2]), nd.array([3])]), "float32", [[1, 2], [3, 0]]),
    "scalars": (lambda: Pad()([onp.array(1), onp.array(2)]), "int64", [1, 2]),
    "numbers": (lambda: Stack()([1, 2.5]), "float64", [1, 2.5]),
    "truths": (lambda: Stack()([True, False]), "bool", [True, False]),
    "stacked": (lambda: Stack()([INT8[0], INT8[0]]), "int8", [[1, 1], [1, 1]]),
    "second part": (lambda: Stack()([[1, 2], [3, 4]])[1], "int64", [2, 4]),
    "appended": (lambda: Append()([[1, 2], [3]])[0], "float32", [[1, 2]]),
    "last axis": (lambda: Append(batch_axis=-1)([[1, 2], [3]])[0], "float32", [[1], [2]]),
    "as it is": (lambda: Append(expand=False)([[1, 2], [3]])[1], "float32", [3]),
    "grouped": (
        lambda: Group(Stack(), Pad())([(1, [1, 2]), (2, [3])])[1],
        "int64",
        [[1, 2], [3, 0]],
    ),
}


@pytest.mark.parametrize("row", BATCHES)
def test_a_batch_is_that_of_mxnet_2(row: str) -> None:
    make, dtype, values = BATCHES[row]
    batch = make()
    assert (onp.dtype(batch.dtype).name, batch.asnumpy().tolist()) == (dtype, values)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pad()([1, 2]),
        lambda: Pad()([(1, 2), (3,)]),
        lambda: Pad()([]),
        lambda: Pad()([[1], [[2]]]),
        lambda: Pad()([["a"]]),
        lambda: Pad(round_to=0),
        lambda: Stack()([]),
        lambda: Stack()(["a", "b"]),
        lambda: Group(Stack(), Stack())([(1, 2, 3)]),
        lambda: Group(Stack(), Stack())([1, 2]),
        lambda: Group(Stack(), 3),  # type: ignore[arg-type]  # what is tested
        lambda: Group([Stack()], Stack()),
    ],
)
def test_items_that_make_no_batch_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(HyError):
        make()


def test_a_loader_makes_batches_by_them_in_workers() -> None:
    data = SimpleDataset([([1, 2], "a"), ([3], "b"), ([4, 5, 6], "c")])
    loader = DataLoader(data, 2, batchify_fn=Group(Pad(), AsList()), num_workers=1)
    batches = [(x.asnumpy().tolist(), y) for x, y in loader]
    assert batches == [([[1, 2], [3, 0]], ["a", "b"]), ([[4, 5, 6]], ["c"])]


def test_shared_memory_is_a_context() -> None:
    for make in (Stack(True), Pad(use_shared_mem=True), Append(use_shared_mem=True)):
        batch: Any = make([onp.ones(2), onp.ones(2)])
        first = batch[0] if isinstance(batch, list) else batch
        assert first.context.device_type == "cpu_shared"


def test_batches_are_arrays_of_np_where_it_is_on() -> None:
    assert type(Pad()([[1]])) is NDArray
    npx.set_np()
    try:
        assert type(Pad()([[1]])) is np.ndarray
    finally:
        npx.reset_np()
