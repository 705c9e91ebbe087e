"""``mx.model.FeedForward``: the numbers and lines of MXNet 1.9.1, and what is refused."""

import doctest
import logging
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import _feed_forward
from tests.compat.test_module_training import START, TWO, X, Y, batches, net

pytestmark = pytest.mark.filterwarnings("ignore:mxnet.model.FeedForward has been deprecated")


def model(**options: Any) -> Any:
    settings = {"num_epoch": 3, "learning_rate": 0.5, "momentum": 0.9, "numpy_batch_size": 4}
    return mx.model.FeedForward(net(), **{**settings, **options})


def fitted(**options: Any) -> Any:
    found = model(arg_params=START, aux_params={}, **options)
    found.fit(batches())
    return found


def sums(found: Any) -> dict[str, float]:
    return {name: float(array.asnumpy().sum()) for name, array in found.arg_params.items()}


WHOLE = {"fc1_weight": -8.61098, "fc1_bias": -3.57958, "fc2_weight": -0.41302, "fc2_bias": 0}
PART = {"fc1_weight": -6.89163, "fc1_bias": -2.83146, "fc2_weight": -0.41302, "fc2_bias": 0}


@pytest.mark.parametrize("ctx", [None, mx.cpu(), TWO], ids=str)
def test_weights_are_those_of_mxnet(ctx: Any) -> None:
    assert sums(fitted(ctx=ctx)) == pytest.approx(WHOLE, abs=2e-5)


def test_an_iterator_that_was_read_before_begins_anew() -> None:
    found, data = model(arg_params=START, aux_params={}), batches()
    assert len(list(data)) == 3
    found.fit(data)
    assert sums(found) == pytest.approx(WHOLE, abs=2e-5)


def test_parameters_of_no_epochs_are_initialized() -> None:
    found = model(num_epoch=0, initializer=mx.init.One())
    found.fit(batches())
    assert {name: set(a.asnumpy().flat) for name, a in found.arg_params.items()} == {
        "fc1_weight": {1},
        "fc1_bias": {0},
        "fc2_weight": {1},
        "fc2_bias": {0},
    }


def test_epochs_of_so_many_batches(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        found = fitted(epoch_size=2)
    assert sums(found) == pytest.approx(PART, abs=2e-5)
    assert [line for line in caplog.messages if "Time cost" not in line] == [
        "Start training with [cpu(0)]",
        "Epoch[1] Resetting Data Iterator",
    ]


def test_predictions_and_scores() -> None:
    found = fitted()
    outputs = found.predict(X)
    assert isinstance(outputs, np.ndarray)
    np.testing.assert_allclose(outputs[0], [0.578508, 0.143367, 0.278125], atol=1e-5)
    assert found.predict(batches()).shape == (10, 3)
    assert found.predict(batches(), num_batch=1).shape == (4, 3)
    outputs, data, label = found.predict(batches(), return_data=True)
    np.testing.assert_array_equal(data, X)
    np.testing.assert_array_equal(label, Y)
    assert found.score(batches()) == 0.5
    assert found.score(batches(), "ce", num_batch=1) == pytest.approx(0.94387, abs=1e-5)
    assert found.score(X) == pytest.approx(0.916667, abs=1e-6)  # of labels that are all 0


def test_callbacks_and_the_log(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[Any] = []
    with caplog.at_level(logging.INFO):
        model(num_epoch=1, numpy_batch_size=5).fit(
            X,
            Y,
            eval_data=(X.tolist(), Y.tolist()),
            epoch_end_callback=lambda *a: seen.append(("epoch", len(a))),
            batch_end_callback=lambda p: seen.append(("batch", p.nbatch)),
            eval_batch_end_callback=lambda p: seen.append(("eval batch", p.nbatch)),
        )
    assert seen == [("batch", 1), ("batch", 2), ("epoch", 4), ("eval batch", 0), ("eval batch", 1)]
    assert caplog.messages[-1].startswith("Epoch[0] Validation-accuracy=")


def test_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = fitted()
    found.save("ff")
    again = mx.model.FeedForward.load("ff", 3)
    assert again.begin_epoch == 3
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    copied = pickle.loads(pickle.dumps(found))  # noqa: S301  # written a moment before
    np.testing.assert_array_equal(copied.predict(X), found.predict(X))


def test_buckets() -> None:
    def generate(length: int) -> Any:
        x = mx.sym.sum(mx.sym.var("data"), axis=1, keepdims=True)
        x = mx.sym.FullyConnected(x, num_hidden=3, name="fc")
        return mx.sym.SoftmaxOutput(x, name="softmax")

    data = mx.rnn.BucketSentenceIter([[1, 2, 3], [2, 3, 4], [1, 2], [2, 3]], 2, buckets=[2, 3])
    label = [mx.io.DataDesc("softmax_label", (2,))]

    class OneLabel(mx.io.DataIter):
        provide_data, provide_label = data.provide_data, label
        default_bucket_key = 3

        def next(self) -> Any:
            batch = data.next()
            batch.label, batch.provide_label = [mx.nd.zeros(2)], label
            return batch

        def reset(self) -> None:
            data.reset()

    found = mx.model.FeedForward(generate, num_epoch=2, learning_rate=0.1)
    found.fit(OneLabel(2))
    assert set(found.arg_params) == {"fc_weight", "fc_bias"}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda: model().fit(X.tolist(), Y), "X must be DataIter, NDArray or numpy.ndarray"),
        (lambda: model().fit(X), "y must be specified when X is numpy.ndarray"),
        (lambda: model().fit(X, Y[:5]), "The numbers of data points and labels not equal"),
        (lambda: model().fit(X, np.ones((10, 2))), "Label must be 1D or 2D"),
        (lambda: model().fit(X, Y, eval_data=(X,)), r"Eval data must be \(data, label\)"),
        (lambda: model(num_epoch=None).fit(X, Y), "give num_epoch"),
        (lambda: model().predict(X), "there are no parameters yet"),
        (lambda: model().save("x"), "save needs an epoch and parameters"),
        (lambda: model(arg_params={"foo": mx.nd.ones(1)}), 'Find name "foo" that is not in'),
    ],
)
def test_what_is_refused(step: Any, message: str) -> None:
    with pytest.raises(mx.MXNetError, match=message):
        step()


def test_parameters_of_other_nets_can_be_ignored() -> None:
    extra = {**START, "foo": mx.nd.ones(1)}
    assert model(arg_params=extra, aux_params={}, allow_extra_params=True).predict(X).shape == (
        10,
        3,
    )


def test_created_and_fitted_at_once() -> None:
    found = mx.model.FeedForward.create(net(), X, Y.reshape(-1, 1), num_epoch=1, learning_rate=0.1)
    assert set(found.arg_params) == set(START)


def test_the_class_is_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match=r"Please use mxnet\.mod\.Module instead"):
        mx.model.FeedForward(net())


def test_the_example_runs() -> None:
    result = doctest.testmod(_feed_forward)
    assert result.attempted > 0
    assert result.failed == 0
