"""``mx.io.NDArrayIter``: the batches, orders and pads that MXNet 1.9.1 gives."""

import doctest
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import mxnet.io.ndarray_iter
from mxnet.io import NDArrayIter

DATA, LABEL = np.arange(20.0).reshape(10, 2), np.arange(10)


def epochs(batches: NDArrayIter, count: int = 3) -> list[list[tuple[list[int], int]]]:
    """The labels and pads of the batches of some epochs; data must be of the same samples."""
    found = []
    for _ in range(count):
        epoch: list[tuple[list[int], int]] = []
        for batch in batches:
            (data,), (label,) = batch.data, batch.label
            assert (data[:, 0] == 2 * label).asnumpy().all()
            assert batch.index is None
            epoch.append((label.asnumpy().astype(int).tolist(), batch.pad or 0))
        found.append(epoch)
        batches.reset()
    return found


FIRST = [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0)]
PADDED = [*FIRST, ([8, 9, 0, 1], 2)]
ROLLED = [([8, 9, 0, 1], 2), ([2, 3, 4, 5], 0), ([6, 7, 8, 9], 0)]


@pytest.mark.parametrize(
    ("handle", "size", "expected"),
    [
        ("pad", 4, [PADDED, PADDED, PADDED]),
        ("discard", 4, [FIRST, FIRST, FIRST]),
        ("roll_over", 4, [FIRST, ROLLED, FIRST]),
        (
            "roll_over",
            3,
            [
                [([0, 1, 2], 0), ([3, 4, 5], 0), ([6, 7, 8], 0)],
                [([9, 0, 1], 1), ([2, 3, 4], 0), ([5, 6, 7], 0)],
                [([8, 9, 0], 2), ([1, 2, 3], 0), ([4, 5, 6], 0), ([7, 8, 9], 0)],
            ],
        ),
        ("pad", 11, [[([*range(10), 0], 1)]] * 3),
        ("pad", 25, [[([*range(10), *range(10), *range(5)], 15)]] * 3),
        ("discard", 11, [[], [], []]),
        ("roll_over", 11, [[], [([*range(10), 0], 10)], []]),
        ("roll_over", 25, [[], [([*range(10), *range(10), *range(5)], 10)], []]),
    ],
)
def test_the_last_samples_are_padded_discarded_or_rolled_over(
    handle: str, size: int, expected: list[Any]
) -> None:
    batches = NDArrayIter(DATA, LABEL, batch_size=size, last_batch_handle=handle)
    found = epochs(batches)
    assert found[:2] == expected[:2]
    if (handle, size) != ("roll_over", 11):  # there 9 new samples are left
        assert found[2] == expected[2]


def test_every_epoch_has_another_order_drawn_from_numpy() -> None:
    np.random.seed(3)  # noqa: NPY002
    batches = NDArrayIter(DATA, LABEL, batch_size=5, shuffle=True)
    assert batches.idx.tolist() == [5, 4, 1, 2, 9, 6, 7, 0, 3, 8]
    assert [[label for label, _ in epoch] for epoch in epochs(batches)] == [
        [[5, 4, 1, 2, 9], [6, 7, 0, 3, 8]],
        [[1, 2, 4, 9, 3], [8, 6, 0, 5, 7]],
        [[4, 7, 1, 3, 6], [5, 0, 2, 8, 9]],
    ]


def test_samples_that_roll_over_a_shuffle_are_kept() -> None:
    np.random.seed(5)  # noqa: NPY002
    batches = NDArrayIter(DATA, LABEL, batch_size=4, shuffle=True, last_batch_handle="roll_over")
    order = batches.idx.tolist()
    first, second = epochs(batches, 2)
    assert [label for label, _ in first] == [order[:4], order[4:8]]
    assert second[0][0][:2] == order[8:]
    rest = second[0][0][2:] + second[1][0] + second[2][0]
    assert sorted(rest) == list(range(10))
    assert [pad for _, pad in second] == [2, 0, 0]


def test_a_reset_before_the_end_forgets_nothing_and_keeps_nothing() -> None:
    batches = NDArrayIter(DATA, LABEL, batch_size=4, last_batch_handle="roll_over")
    batches.next()
    batches.reset()
    assert epochs(batches, 2) == [FIRST, ROLLED]


def test_a_hard_reset_forgets_what_would_roll_over() -> None:
    batches = NDArrayIter(DATA, LABEL, batch_size=4, last_batch_handle="roll_over")
    assert [batch.pad for batch in batches] == [0, 0]
    batches.hard_reset()
    assert epochs(batches, 1) == [FIRST]


@pytest.mark.parametrize("handle", ["pad", "discard", "roll_over"])
def test_the_steps_of_a_batch_can_be_called_singly(handle: str) -> None:
    batches = NDArrayIter(DATA, LABEL, batch_size=4, last_batch_handle=handle)
    found = []
    while batches.iter_next():
        label = batches.getlabel()[0].asnumpy().tolist()
        assert len(batches.getdata()[0]) == len(label)
        found.append((label, batches.getpad(), batches.cursor))
    last = ([8, 9, 0, 1], 2, 8) if handle == "pad" else ([8, 9], 0, 8)
    assert found == [([0, 1, 2, 3], 0, 0), ([4, 5, 6, 7], 0, 4), last]


def test_there_is_no_batch_before_the_first_step_and_after_the_last() -> None:
    batches = NDArrayIter(DATA, batch_size=5)
    with pytest.raises(mx.MXNetError, match="no batch is current"):
        batches.getdata()
    assert len(list(batches)) == 2
    with pytest.raises(StopIteration):
        batches.next()
    with pytest.raises(mx.MXNetError, match="no batch is current"):
        batches.getlabel()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (DATA, ["data"]),
        ([DATA], ["data"]),
        ([DATA, DATA], ["_0_data", "_1_data"]),
        ({"b": DATA, "a": DATA}, ["a", "b"]),
        ({"a": [[1, 2], [3, 4]]}, ["a"]),
        (mx.nd.array(DATA), ["data"]),
    ],
)
def test_arrays_have_names(data: Any, expected: list[str]) -> None:
    batches = NDArrayIter(data, batch_size=2)
    assert [(desc.name, desc.shape) for desc in batches.provide_data] == [
        (name, (2, 2)) for name in expected
    ]
    assert [name for name, _ in batches.data] == expected
    assert batches.provide_label == []
    assert next(batches).label == []


def test_numpy_arrays_become_float32_and_ndarrays_keep_their_dtype() -> None:
    data = {
        "a": DATA.astype("float16"),
        "b": DATA.astype("uint8"),
        "c": mx.nd.array(DATA, dtype="int32"),
    }
    batches = NDArrayIter(data, batch_size=2)
    expected = [np.float32, np.float32, np.int32]
    assert [desc.dtype for desc in batches.provide_data] == expected
    assert [array.dtype for array in next(batches).data] == expected


def test_a_batch_is_a_copy() -> None:
    source = mx.nd.arange(10)
    next(NDArrayIter(source, batch_size=5)).data[0][:] = -1
    assert source.asnumpy().tolist() == list(range(10))


def test_samples_can_be_another_axis() -> None:
    batches = NDArrayIter(np.arange(40).reshape(2, 10, 2), batch_size=4, layout="TNC")
    assert repr(batches.provide_data[0]).endswith("(2, 4, 2),<class 'numpy.float32'>,TNC]")
    found = [batch.data[0][0, :, 0].asnumpy().tolist() for batch in batches]
    assert found == [[0, 2, 4, 6], [8, 10, 12, 14], [16, 18, 0, 2]]


class StoredDataset:
    """An array in a file, which like h5py reads slices and growing lists of places only."""

    def __init__(self, values: Any) -> None:
        self._values = values
        self.shape, self.dtype = values.shape, values.dtype
        self.read = 0

    def __getitem__(self, places: Any) -> Any:
        assert isinstance(places, tuple)
        assert (np.diff(places[-1]) > 0).all()
        part = self._values[places]
        self.read += len(part)
        return part


@pytest.mark.parametrize("handle", ["pad", "discard", "roll_over"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_stored_arrays_are_read_batch_by_batch(handle: str, shuffle: bool) -> None:
    stored = StoredDataset(DATA.astype("float64"))
    np.random.seed(1)  # noqa: NPY002
    batches = NDArrayIter(stored, LABEL, 4, shuffle, handle)
    assert stored.read == 0
    next(batches)
    assert stored.read == 4
    assert batches.provide_data[0].dtype == next(batches).data[0].dtype == np.float32
    batches.hard_reset()
    found = epochs(batches, 3)  # data and labels agree
    assert len({str(epoch) for epoch in found}) == (
        3 if shuffle else 2 if handle == "roll_over" else 1
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"data": None}, TypeError, "at least one array is needed"),
        ({"data": []}, TypeError, "at least one array is needed"),
        ({"data": "abc"}, TypeError, "must be an NDArray, a numpy array, an h5py.Dataset"),
        ({"data": (DATA, DATA)}, TypeError, "not tuple"),
        ({"data": {"a": "x"}}, TypeError, "a must be an NDArray.* not str"),
        ({"data": [1, 2]}, TypeError, "a single number"),
        ({"data": DATA, "label": LABEL[1:]}, ValueError, "fewer samples than the first"),
        (
            {"data": DATA, "last_batch_handle": "keep"},
            TypeError,
            "last_batch_handle must be one of",
        ),
        ({"data": DATA, "layout": "CHW"}, TypeError, "layout='CHW' must have an axis N"),
        ({"data": DATA, "label": LABEL, "layout": "TNC"}, ValueError, "softmax_label has shape"),
        ({"data": DATA, "batch_size": 0}, TypeError, "batch_size must be at least 1"),
    ],
)
def test_what_cannot_be_batched_is_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        NDArrayIter(**arguments)


def test_the_example_runs() -> None:
    assert doctest.testmod(mxnet.io.ndarray_iter).attempted > 0
    assert doctest.testmod(mxnet.io.ndarray_iter).failed == 0


def test_samples_behind_those_of_the_first_array_are_left_out() -> None:
    batches = mx.io.NDArrayIter(np.arange(5.0), {"label": np.arange(8.0)}, batch_size=2)
    found = [batch.label[0].asnumpy().tolist() for batch in batches]
    assert found == [[0, 1], [2, 3], [4, 0]]


@pytest.mark.parametrize("handle", ["pad", "roll_over"])
def test_csr_matrices_are_read_in_whole_batches(handle: str) -> None:
    matrix = mx.nd.array([[0, 1], [2, 0], [0, 3]]).tostype("csr")
    for data, label in ((matrix, None), (mx.nd.ones((3, 1)), matrix)):
        with pytest.raises(NotImplementedError, match="last_batch_handle='discard'"):
            mx.io.NDArrayIter(data, label, batch_size=2, last_batch_handle=handle)
    batches = mx.io.NDArrayIter(matrix, batch_size=2, last_batch_handle="discard")
    assert [batch.data[0].asnumpy().tolist() for batch in batches] == [[[0, 1], [2, 0]]]


def test_the_list_of_arrays_can_be_replaced() -> None:
    batches = mx.io.NDArrayIter(np.arange(4.0), np.arange(4.0), 2)
    assert [
        array is own
        for array, (_, own) in zip(batches.data_list, [*batches.data, *batches.label], strict=True)
    ] == [True, True]
    batches.data_list = batches.data_list[:1]
    assert (len(batches.data_list), batches.num_source) == (1, 2)
    assert batches.next().label[0].asnumpy().tolist() == [0, 1]
