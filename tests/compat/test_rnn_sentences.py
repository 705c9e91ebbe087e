"""``mx.rnn``: sentences as numbers and as batches, and checkpoints, as MXNet 1.9.1 makes them."""

import doctest
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import mxnet.rnn.io
import mxnet.rnn.rnn

UNKNOWN: Any = {"unknown_token": "?"}
TEXT = [["a", "b"], ["b", "c", "d"]]
SENTENCES = [[i + 1 for i in range(n)] for n in (3, 3, 4, 5, 5, 5, 5, 9, 2, 3, 3, 3, 6)]


def test_a_new_vocabulary() -> None:
    encoded, vocab = mx.rnn.encode_sentences(TEXT)
    assert encoded == [[0, 1], [1, 2, 3]]
    assert vocab == {"\n": -1, "a": 0, "b": 1, "c": 2, "d": 3}
    encoded, vocab = mx.rnn.encode_sentences(TEXT, start_label=1, invalid_label=0)
    assert encoded == [[1, 2], [2, 3, 4]]
    assert vocab["\n"] == 0
    assert mx.rnn.encode_sentences(TEXT, invalid_label=1)[1] == {
        "\n": 1, "a": 0, "b": 2, "c": 3, "d": 4,
    }  # fmt: skip


def test_words_that_the_vocabulary_lacks() -> None:
    with pytest.raises(mx.MXNetError, match="Unknown token 'c'"):
        mx.rnn.encode_sentences(TEXT, vocab={"a": 0, "b": 1})
    given = {"a": 0, "b": 1, "?": 7}
    assert mx.rnn.encode_sentences(TEXT, given, **UNKNOWN)[0] == [[0, 1], [1, 7, 7]]
    encoded, vocab = mx.rnn.encode_sentences(TEXT, {"a": 0, "b": 1}, **UNKNOWN)
    assert encoded == [[0, 1], [1, 2, 2]]
    assert vocab == {"a": 0, "b": 1, "?": 2}


def test_the_unknown_word_takes_a_number_that_no_word_has_and_stays_in_the_vocabulary() -> None:
    vocab = {"a": 1, "b": 2}
    encoded, returned = mx.rnn.encode_sentences(TEXT, vocab, **UNKNOWN)
    assert encoded == [[1, 2], [2, 0, 0]]
    assert returned is vocab
    assert vocab == {"a": 1, "b": 2, "?": 0}
    assert mx.rnn.encode_sentences(TEXT, {"a": 1, "b": 2}, start_label=1, **UNKNOWN)[1]["?"] == 3
    free: Any = {"invalid_label": 0, **UNKNOWN}
    assert mx.rnn.encode_sentences(TEXT, {"a": 1, "b": 2}, **free)[1]["?"] == 3


def batches(**options: Any) -> Any:
    np.random.seed(0)  # noqa: NPY002
    random.seed(0)
    return mx.rnn.BucketSentenceIter(SENTENCES, 2, **options)


def test_batches_come_in_the_order_of_mxnet(caplog: pytest.LogCaptureFixture) -> None:
    data = batches(buckets=[5, 3], invalid_label=0)
    assert caplog.messages == ["discarded 2 sentences longer than the largest bucket."]
    assert data.idx == [(0, 4), (0, 2), (0, 0), (1, 2), (1, 0)]
    found = list(data)
    assert [batch.bucket_key for batch in found] == [3, 3, 3, 5, 5]
    assert found[2].data[0].asnumpy().tolist() == [[1, 2, 3], [1, 2, 0]]
    assert found[2].label[0].asnumpy().tolist() == [[2, 3, 0], [2, 0, 0]]
    assert found[3].data[0].asnumpy().tolist() == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 0]]
    assert [d.shape for d in (data.provide_data[0], found[0].provide_data[0])] == [(2, 5), (2, 3)]
    data.reset()
    assert [batch.bucket_key for batch in data] == [3, 3, 3, 5, 5]


def test_time_first() -> None:
    data = batches(buckets=[3, 5], layout="TN", dtype="int32", data_name="d", label_name="l")
    batch = next(data)
    assert batch.data[0].asnumpy().tolist() == [[1, 1], [2, 2], [3, 3]]
    assert batch.data[0].dtype == np.int32
    assert (batch.provide_data[0].name, batch.provide_data[0].shape) == ("d", (3, 2))
    assert data.provide_label[0].layout == "TN"


def test_buckets_that_fill_a_batch() -> None:
    assert batches().buckets == [3, 5]


def test_what_makes_no_batches() -> None:
    with pytest.raises(mx.MXNetError, match=r"Invalid layout 'XX': Must by NT"):
        batches(layout="XX")
    with pytest.raises(mx.MXNetError, match="no length has enough sentences for a batch of 9"):
        mx.rnn.BucketSentenceIter(SENTENCES, 9)


def test_checkpoints_hold_gates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cell = mx.rnn.FusedRNNCell(2, 1, "lstm", prefix="f_")
    net, _ = cell.unroll(2, mx.sym.var("data"), layout="TNC", merge_outputs=True)
    args = {"f_parameters": mx.nd.arange(56)}
    callback = mx.rnn.do_rnn_checkpoint([cell], "q", 2)
    for epoch in range(4):
        callback(epoch, net, args, {})
    assert sorted(path.name for path in tmp_path.glob("q*")) == [
        "q-0002.params",
        "q-0004.params",
        "q-symbol.json",
    ]
    assert "f_l0_i2h_i_weight" in mx.model.load_params("q", 4)[0]
    _, loaded, _ = mx.rnn.load_rnn_checkpoint(cell, "q", 4)
    np.testing.assert_array_equal(loaded["f_parameters"].asnumpy(), np.arange(56))
    _, loaded, _ = mx.rnn.load_rnn_checkpoint(cell.unfuse(), "q", 4)
    assert loaded["f_l0_i2h_weight"].shape == (8, 3)


def test_unrolling_by_the_old_function() -> None:
    with pytest.warns(UserWarning, match="rnn_unroll is deprecated"):
        outputs, _ = mx.rnn.rnn_unroll(mx.rnn.RNNCell(2), 2, input_prefix="ab_")
    assert {"ab_t0_data", "ab_t1_data"} <= set(outputs[1].list_arguments())


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for module in (mxnet.rnn.io, mxnet.rnn.rnn):
        result = doctest.testmod(module)
        assert result.attempted > 0
        assert result.failed == 0
