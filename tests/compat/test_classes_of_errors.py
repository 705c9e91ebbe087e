"""What catches an error of MXNet 1.9.1 catches hy's: each class was seen there."""

import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.contrib import text
from mxnet.gluon import nn, rnn

x = nd.ones((2,))
NAMES: dict[str, Any] = {
    "Counter": Counter,
    "autograd": autograd,
    "gluon": gluon,
    "mx": mx,
    "nd": nd,
    "nn": nn,
    "pair": rnn.BidirectionalCell(rnn.LSTMCell(2), rnn.LSTMCell(2)),
    "rnn": rnn,
    "store": mx.kv.create("local"),
    "text": text,
    "x": x,
}
ASSERTED = """
    nn.Conv2D(2, (1, 1, 1))
    nn.Conv3D(2, 1, layout="odd")
    nn.Conv2DTranspose(2, 1, output_padding=(1, 1, 1))
    nn.MaxPool1D((1, 1))
    nn.GlobalAvgPool2D(layout="odd")
    nn.LeakyReLU(-1)
    nn.Lambda("nosuch")
    nn.HybridLambda("nosuch")
    nn.ReflectionPad2D((1, 2))
    nn.Dense(2, in_units=3)([x])
    gluon.loss.CTCLoss(label_layout="odd")
    gluon.utils.clip_global_norm([], 1.0)
    gluon.Parameter("w", shape=(2,)).set_data(x)
    gluon.Parameter("w", shape=(2,), init="odd").initialize()
    gluon.Trainer([], mx.optimizer.SGD(), {"learning_rate": 1})
    rnn.LSTM(2, layout="odd")
    rnn.LSTMCell(2).unroll(2, nd.ones((1, 3, 2)))
    rnn.LSTMCell(2).unroll(0, nd.ones((1, 2, 2)))
    rnn.ZoneoutCell(pair)
    rnn.DropoutCell("a")
    gluon.contrib.rnn.Conv2DLSTMCell((2, 3, 3), 2, 3, 2)
    mx.metric.create("odd")
    mx.metric.TopKAccuracy(1)
    mx.metric.TopKAccuracy(2).update([x], [nd.ones((2, 2, 2))])
    mx.metric.Perplexity(None).update([nd.ones((3,))], [nd.ones((2, 2)) / 2])
    mx.metric.CrossEntropy().update([nd.ones((3,))], [nd.ones((2, 2)) / 2])
    mx.metric.NegativeLogLikelihood().update([nd.ones((3,))], [nd.ones((2, 2)) / 2])
    mx.optimizer.SGD(param_idx2name=[1])
    mx.lr_scheduler.LRScheduler(warmup_steps="a")
    mx.lr_scheduler.PolyScheduler("a")
    mx.lr_scheduler.CosineScheduler(1.5)
    mx.lr_scheduler.MultiFactorScheduler([])
    mx.init.create("odd")
    mx.init.Mixed([".*"], [])
    mx.init.Load({"a": x})("b", x)
    mx.init.Load({"a": x})("a", nd.ones((3,)))
    store.pull(1)
    store.init([1, 2], [x])
    store.row_sparse_pull(1)
    store.save_optimizer_states("a")
    autograd.backward([x], [x, x])
    autograd.grad([x], [])
    autograd.mark_variables(x, 3)
    mx.sym.FullyConnected(3, num_hidden=2)
    text.vocab.Vocabulary(Counter("aab"), min_freq=0)
    text.vocab.Vocabulary(["a", "b"])
"""


def rows(lines: str) -> list[str]:
    return textwrap.dedent(lines).split("\n")[1:-1]


@pytest.mark.parametrize("call", rows(ASSERTED))
def test_what_mxnet_asserts_is_an_assertion_error(call: str) -> None:
    with pytest.raises(AssertionError, match=r".") as caught:
        eval(call, NAMES)  # noqa: S307  # the rows above
    assert isinstance(caught.value, mx.MXNetError)


@pytest.mark.parametrize(
    "call",
    [
        'mx.Context("odd")',
        'gluon.ParameterDict().get_constant("c")',
        'autograd.mark_variables([x], [x], "odd")',
        'nd.ones((1,)).attach_grad("odd")',
    ],
)
def test_what_mxnet_looks_up_is_a_key_error_without_quotes(call: str) -> None:
    with pytest.raises(KeyError) as caught:
        eval(call, NAMES)  # noqa: S307  # the rows above
    assert isinstance(caught.value, mx.MXNetError)
    assert str(caught.value)[0] not in "'\""


def test_a_summary_of_a_hybridized_block_and_a_step_taken_twice_are_assertion_errors() -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    with pytest.raises(AssertionError, match="must not be hybridized"):
        net.summary(nd.ones((1, 3)))
    weight = gluon.Parameter("w", shape=(3,))
    weight.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    trainer = gluon.Trainer([weight], "sgd", update_on_kvstore=True)
    with pytest.raises(AssertionError, match=r"update\(\) when parameters are updated on kvstore"):
        trainer.update(1)


def test_vectors_that_do_not_fit_are_assertion_errors(tmp_path: Path) -> None:
    path = tmp_path / "e.txt"
    path.write_text("a .1 .2\nb .3 .4\n")
    vectors = text.embedding.CustomEmbedding(str(path), " ")
    with pytest.raises(AssertionError, match="new_vectors"):
        vectors.update_token_vectors("a", nd.ones((2, 2)))
    path.write_text("a .1 .2\nb\n")
    with pytest.raises(AssertionError, match="line 2"):
        text.embedding.CustomEmbedding(str(path), " ")


def test_negative_numbers_of_tokens_count_from_the_end() -> None:
    assert text.vocab.Vocabulary(Counter("aab")).to_tokens([-1, 0]) == ["b", "<unk>"]
