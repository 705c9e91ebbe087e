"""Datasets, samplers, and how items become batches."""

import pickle
from typing import Any

import numpy as np
import pytest

from hy_gluon.contrib.data import IntervalSampler
from hy_gluon.data import (
    ArrayDataset,
    BatchSampler,
    DataError,
    Dataset,
    FilterSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SimpleDataset,
)
from hy_gluon.data.dataloader import default_batchify_fn, default_mp_batchify_fn
from hy_gluon.data.shared_batch import pack
from hy_ndarray import NDArray, ShapeError, nd


def items(dataset: Any) -> list[Any]:
    return [dataset[i] for i in range(len(dataset))]


# --- datasets ---------------------------------------------------------------------------------


def test_the_base_class_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="Dataset must define __getitem__"):
        Dataset()[0]
    with pytest.raises(NotImplementedError, match="Dataset must define __len__"):
        len(Dataset())


def test_datasets_are_chosen_from() -> None:
    numbers = SimpleDataset(list(range(10, 17)))
    assert items(numbers.filter(lambda x: x % 2)) == [11, 13, 15]
    assert [items(numbers.shard(3, i)) for i in range(3)] == [[10, 11, 12], [13, 14], [15, 16]]
    assert items(numbers.take(2)) == [10, 11]
    assert items(numbers.take(None)) == items(numbers.take(99)) == items(numbers)
    assert items(numbers.sample(SequentialSampler(2, 3))) == [13, 14]
    assert list(numbers.take(3).shard(2, 1)) == [12]


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda d: d.shard(3, 3), "index=3 must be at least 0 and below num_shards=3"),
        (lambda d: d.shard(0, 0), "index=0 must be at least 0 and below num_shards=0"),
        (lambda d: d.take(-1), "count -1 is negative"),
        (lambda d: d.sample([1, 2]), "takes a Sampler, not a list"),
        (lambda _: ArrayDataset(), "at least one array"),
        (lambda _: ArrayDataset([1, 2], [1]), "array 0 has 2 items, array 1 has 1"),
    ],
)
def test_what_cannot_be_chosen_is_named(use: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        use(SimpleDataset([1, 2, 3]))
    assert isinstance(caught.value, ValueError)


def test_transforms_are_lazy_and_take_tuples_apart() -> None:
    calls: list[Any] = []

    def add(x: Any, y: Any) -> Any:
        calls.append(x)
        return x + y

    pairs = ArrayDataset([1, 2, 3], [10, 20, 30])
    lazy = pairs.transform(add)
    assert (lazy[1], calls) == (22, [2])
    assert items(pairs.transform(add, lazy=False)) == [11, 22, 33]
    assert items(pairs.transform_first(str)) == [("1", 10), ("2", 20), ("3", 30)]
    assert items(SimpleDataset([1, 2]).transform_first(str, lazy=False)) == ["1", "2"]
    assert items(SimpleDataset([[1, 2]]).transform(len)) == [2]


def test_a_transformed_dataset_can_be_sent_to_a_process() -> None:
    dataset = SimpleDataset([(1, 2)]).transform_first(str)
    assert pickle.loads(pickle.dumps(dataset))[0] == ("1", 2)  # noqa: S301  # made here


def test_arrays_of_any_kind_make_a_dataset() -> None:
    dataset = ArrayDataset(nd.array([[1, 2], [3, 4]]), nd.array([5, 6]), np.array([7, 8]), "ab")
    image, label, number, letter = dataset[1]
    assert isinstance(image, NDArray)
    assert image.asnumpy().tolist() == [3, 4]
    assert (float(label), int(number), letter) == (6, 8, "b")
    assert isinstance(label, np.float32)
    assert ArrayDataset([1, 2])[1] == 2


# --- samplers ---------------------------------------------------------------------------------


def test_samplers_give_numbers() -> None:
    assert list(SequentialSampler(3, 2)) == [2, 3, 4]
    assert list(FilterSampler(lambda item: item % 3 == 0, range(7))) == [0, 3, 6]
    assert len(FilterSampler(lambda item: item % 3 == 0, range(7))) == 3
    assert list(IntervalSampler(7, 3)) == [0, 3, 6, 1, 4, 2, 5]
    assert len(IntervalSampler(7, 3)) == 7
    with pytest.raises(DataError, match="interval 9 must be from 1 to 7"):
        IntervalSampler(7, 9)
    for use in (len, iter):
        with pytest.raises(NotImplementedError):
            use(Sampler())


def test_random_orders_are_numpys() -> None:
    np.random.seed(3)  # noqa: NPY002  # the generator that users seed
    order = list(RandomSampler(9))
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.permutation(9)  # noqa: NPY002
    assert order == expected.tolist()
    assert list(RandomSampler(9)) != order
    assert len(RandomSampler(9)) == 9


@pytest.mark.parametrize(
    ("last", "first_round", "second_round"),
    [
        ("keep", [[0, 1], [2, 3], [4]], [[0, 1], [2, 3], [4]]),
        ("discard", [[0, 1], [2, 3]], [[0, 1], [2, 3]]),
        ("rollover", [[0, 1], [2, 3]], [[4, 0], [1, 2], [3, 4]]),
    ],
)
def test_the_rest_is_kept_discarded_or_rolled_over(
    last: str, first_round: Any, second_round: Any
) -> None:
    batches = BatchSampler(SequentialSampler(5), 2, last)
    for expected in (first_round, second_round):
        assert len(batches) == len(expected)
        assert list(batches) == expected


def test_batch_sampler_names_wrong_arguments() -> None:
    with pytest.raises(DataError, match="'keep', 'discard' or 'rollover', not 'drop'"):
        BatchSampler(SequentialSampler(5), 2, "drop")
    with pytest.raises(DataError, match="at least 1, not 0"):
        BatchSampler(SequentialSampler(5), 0)


# --- batches ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("batch", "dtype"),
    [
        ([1, 2], "int64"),
        ([1.0, 2.0], "float64"),
        ([np.float32(1), np.float32(2)], "float32"),
        ([True, False], "bool"),
        ([np.zeros(2, "uint8")] * 3, "uint8"),
        ([nd.zeros((2,), dtype="float16")] * 3, "float16"),
        ([[1, 2], [3, 4]], "int64"),
    ],
)
def test_batches_keep_the_dtype(batch: Any, dtype: str) -> None:
    stacked = default_batchify_fn(batch)
    assert (np.dtype(stacked.dtype).name, len(stacked)) == (dtype, len(batch))


def test_parts_of_items_are_batched_separately() -> None:
    image, (low, high) = default_batchify_fn([(np.ones(2), (1, 2)), (np.zeros(2), (3, 4))])
    assert image.asnumpy().tolist() == [[1, 1], [0, 0]]
    assert (low.asnumpy().tolist(), high.asnumpy().tolist()) == ([1, 3], [2, 4])
    named = default_batchify_fn([{"x": 1, "y": 2}, {"x": 3, "y": 4}])
    assert {key: part.asnumpy().tolist() for key, part in named.items()} == {
        "x": [1, 3],
        "y": [2, 4],
    }
    listed = default_mp_batchify_fn([[np.ones(2), 1], [np.zeros(2), 2]])
    assert [part.shape for part in listed] == [(2, 2), (2,)]


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        ([], DataError, "a batch of no items"),
        (["a", "b"], DataError, "items of type str; .*batchify_fn"),
        ([object()], DataError, "type object"),
        ([np.ones(2), np.ones(3)], ShapeError, r"\(2,\) and \(3,\); .*pads"),
        ([nd.ones((2,)), nd.ones((3,))], ShapeError, r"\(2,\) and \(3,\)"),
        ([[1, 2], [3]], ShapeError, "cannot be stacked"),
    ],
)
def test_what_makes_no_batch_is_named(batch: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        default_batchify_fn(batch)


@pytest.mark.parametrize(
    "batch",
    [
        nd.array(np.arange(20000), dtype="float64"),
        [nd.empty((0, 3)), nd.ones((1,), dtype="bfloat16"), np.arange(100000)],
        {"x": "text", "y": [nd.ones((3, 50, 50)).T, None]},
    ],
)
def test_shared_batches_come_back(batch: Any) -> None:
    def same(a: Any, b: Any) -> bool:
        if isinstance(a, NDArray):
            return isinstance(b, NDArray) and same(a.asnumpy(), b.asnumpy())
        if isinstance(a, np.ndarray):
            return bool(a.dtype == b.dtype and np.array_equal(a, b))
        if isinstance(a, dict):
            return all(same(a[key], b[key]) for key in a)
        return all(map(same, a, b)) if isinstance(a, list) else bool(a == b)

    assert same(batch, pack(batch).unpack())
