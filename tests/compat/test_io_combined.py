"""``mx.io.ResizeIter`` and ``PrefetchingIter``: other epochs of the batches of other iterators."""

import threading
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.io import DataBatch, DataIter, NDArrayIter, PrefetchingIter, ResizeIter

DATA, LABEL = np.arange(20.0).reshape(10, 2), np.arange(10)
FIRST = [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0), ([8, 9, 0, 1], 2)]


def arrays(**kwargs: Any) -> NDArrayIter:
    return NDArrayIter(DATA, LABEL, batch_size=4, **kwargs)


def epoch(batches: Any) -> list[tuple[list[int], int]]:
    found = [(batch.label[0].asnumpy().astype(int).tolist(), batch.pad) for batch in batches]
    batches.reset()
    return found


def test_an_epoch_is_lengthened_or_shortened() -> None:
    longer = ResizeIter(arrays(), 5)
    assert [epoch(longer), epoch(longer)] == [[*FIRST, *FIRST[:2]]] * 2
    assert longer.provide_data == arrays().provide_data
    assert longer.batch_size == 4
    going_on = ResizeIter(arrays(), 2, reset_internal=False)
    assert [epoch(going_on) for _ in range(3)] == [
        FIRST[:2],
        [FIRST[2], FIRST[0]],
        FIRST[1:],
    ]
    assert next(going_on).pad == going_on.getpad() == 0
    assert going_on.getlabel()[0].asnumpy().tolist() == [0, 1, 2, 3]
    assert going_on.getindex() is None


def test_a_key_of_buckets_is_passed_on() -> None:
    class Buckets(NDArrayIter):
        default_bucket_key = 7

    assert ResizeIter(Buckets(DATA), 3).default_bucket_key == 7
    assert not hasattr(ResizeIter(arrays(), 3), "default_bucket_key")


def test_descriptions_may_be_plain_tuples() -> None:
    class Plain(DataIter):
        count = 0

        @property
        def provide_data(self) -> Any:
            return [("data", (2, 3))]

        @property
        def provide_label(self) -> Any:
            return []

        def iter_next(self) -> bool:
            self.count += 1
            return self.count < 3

        def getdata(self) -> Any:
            return [mx.nd.full((2, 3), self.count)]

        def getlabel(self) -> Any:
            return []

    batches = PrefetchingIter(Plain(2))
    assert batches.batch_size == 2
    assert [int(batch.data[0][0, 0].asscalar()) for batch in batches] == [1, 2]


def test_batches_of_several_iterators_are_joined() -> None:
    joined = PrefetchingIter(
        [arrays(), NDArrayIter({"z": DATA}, {"y": LABEL}, batch_size=4)],
        rename_data=[{"data": "q"}, {"z": "zz"}],
        rename_label=[{"softmax_label": "l"}, {"y": "m"}],
    )
    assert [(desc.name, desc.shape) for desc in joined.provide_data] == [
        ("q", (4, 2)),
        ("zz", (4, 2)),
    ]
    assert [desc.name for desc in joined.provide_label] == ["l", "m"]
    assert [epoch(joined), epoch(joined)] == [FIRST, FIRST]
    batch = next(joined)
    assert [len(batch.data), len(batch.label)] == [2, 2]
    assert batch.provide_data == joined.provide_data
    assert joined.getdata() is batch.data
    assert joined.getlabel() is batch.label
    assert (joined.getpad(), joined.getindex(), joined.batch_size) == (0, None, 4)
    joined.close()


@pytest.mark.parametrize("handle", ["pad", "roll_over"])
def test_the_end_of_an_epoch_is_left_as_it_is(handle: str) -> None:
    alone, ahead = (
        arrays(last_batch_handle=handle),
        PrefetchingIter(arrays(last_batch_handle=handle)),
    )
    assert [epoch(ahead) for _ in range(3)] == [epoch(alone) for _ in range(3)]
    for batches in (alone, ahead):
        list(batches)
        with pytest.raises(StopIteration):
            batches.next()
    ahead.close()


class Failing(DataIter):
    """Raises instead of its second batch."""

    def __init__(self) -> None:
        super().__init__(1)
        self.provide_data = [mx.io.DataDesc("data", (1,))]
        self.provide_label: list[mx.io.DataDesc] = []
        self.count = 0

    def next(self) -> DataBatch:
        self.count += 1
        if self.count == 2:
            raise OSError("the disk is gone")
        return DataBatch([mx.nd.array([self.count])], [], pad=0)


def test_what_a_thread_raises_is_raised_once() -> None:
    batches = PrefetchingIter(Failing())
    assert batches.next().data[0].asscalar() == 1
    with pytest.raises(OSError, match="the disk is gone"):
        batches.next()
    assert batches.next().data[0].asscalar() == 3
    batches.close()


def test_closing_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    batches = PrefetchingIter([arrays(), arrays()])
    first = next(batches)
    assert len(set(threading.enumerate()) - before) == 2
    batches.close()
    assert set(threading.enumerate()) == before
    whole = epoch(PrefetchingIter([arrays(), arrays()]))
    assert len(epoch(batches)) == len(whole) - 1  # goes on behind the first
    assert first.pad == 0
    batches.close()
    batches.close()


def test_iterators_that_do_not_fit_are_refused() -> None:
    with pytest.raises(TypeError, match="at least one iterator"):
        PrefetchingIter([])
    with pytest.raises(TypeError, match="data is missing in rename"):
        PrefetchingIter([arrays()], rename_data=[{"q": "r"}])
    other = NDArrayIter(DATA, LABEL, batch_size=5)
    uneven = PrefetchingIter([arrays(), other])
    with pytest.raises(ValueError, match=r"pads \[2, 0\]|ended before"):
        list(uneven)
    uneven.close()


@pytest.mark.parametrize("batches", [ResizeIter(arrays(), 2), PrefetchingIter(arrays())])
def test_there_is_no_batch_before_the_first(batches: Any) -> None:
    with pytest.raises(mx.MXNetError, match="no batch is current"):
        batches.getdata()


def test_an_error_in_the_thread_that_reads_ahead_is_raised_with_its_iterator() -> None:
    class Broken(NDArrayIter):
        def next(self) -> Any:
            raise KeyError("mine") from ValueError("cause")

    batches = PrefetchingIter([NDArrayIter(np.zeros(4)), Broken(np.zeros(4))])
    with pytest.raises(KeyError, match="mine") as caught:
        next(batches)
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.__notes__ == ["in the thread that reads ahead of iterator 1, Broken"]
    batches.close()
