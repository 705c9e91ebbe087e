"""Checkpoints of modules: graph, parameters and what the optimizer keeps."""

import base64
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tests.compat.test_module_training import MOMENTUM, TWO, batches, sums, trained

CONTEXTS = pytest.mark.parametrize("context", [mx.cpu(), TWO], ids=str)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def files() -> list[str]:
    return sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))


@CONTEXTS
@pytest.mark.parametrize("optimizer", ["sgd", "nag"])
def test_training_goes_on_where_it_was(context: Any, optimizer: str) -> None:
    options: Any = {"optimizer": optimizer, "optimizer_params": MOMENTUM}
    whole = trained(context, num_epoch=4, **options)
    trained(context, num_epoch=2, **options).save_checkpoint("q", 2, save_optimizer_states=True)
    assert files() == ["q-0002.params", "q-0002.states", "q-symbol.json"]
    again = mx.mod.Module.load("q", 2, load_optimizer_states=True, context=context)
    with pytest.warns(UserWarning, match="Parameters already initialized"):
        again.fit(batches(), begin_epoch=2, num_epoch=4, **options)
    assert sums(again) == pytest.approx(sums(whole), abs=1e-5)


def test_a_module_of_a_checkpoint_predicts() -> None:
    module = trained()
    module.save_checkpoint("q", 3)
    again = mx.mod.Module.load("q", 3)
    again.bind([("data", (4, 5))], [("softmax_label", (4,))], for_training=False)
    expected = module.predict(batches()).asnumpy()
    np.testing.assert_array_equal(again.predict(batches()).asnumpy(), expected)


def test_callbacks_that_save(caplog: pytest.LogCaptureFixture) -> None:
    module = trained(num_epoch=1)
    callbacks = [
        mx.callback.do_checkpoint("a", period=2),
        mx.callback.module_checkpoint(module, "b", period=2, save_optimizer_states=True),
    ]
    with caplog.at_level(logging.INFO), pytest.warns(UserWarning, match="already initialized"):
        module.fit(batches(), num_epoch=4, epoch_end_callback=callbacks)
    assert files() == [
        *("a-0002.params", "a-0004.params", "a-symbol.json"),
        *("b-0002.params", "b-0002.states", "b-0004.params", "b-0004.states", "b-symbol.json"),
    ]
    assert 'Saved optimizer state to "b-0004.states"' in caplog.messages


def test_states_that_cannot_be_written_leave_the_old_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    module = trained()
    module.save_optimizer_states("s")
    before = Path("s").read_bytes()

    def fails() -> bytes:
        raise OSError("no space left")

    monkeypatch.setattr(module._updater, "get_states", fails)
    with pytest.raises(OSError, match="no space left"):
        module.save_optimizer_states("s")
    assert Path("s").read_bytes() == before
    assert files() == ["s"]


def test_damaged_states_change_nothing() -> None:
    module = trained()
    momentum = module._updater.states[0].asnumpy().copy()
    Path("s").write_bytes(b"\x00damaged")
    with pytest.raises(mx.MXNetError):
        module.load_optimizer_states("s")
    np.testing.assert_array_equal(module._updater.states[0].asnumpy(), momentum)


def test_parameters_alone() -> None:
    module = trained()
    module.save_params("x.params")
    before = sums(module)
    module.forward_backward(next(batches()))
    module.update()
    module.load_params("x.params")
    assert sums(module) == before
    mx.nd.save("bad.params", {"foo": mx.nd.ones(1)})
    with pytest.raises(mx.MXNetError, match=r"Invalid param file bad\.params: 'foo'"):
        module.load_params("bad.params")
    mx.nd.save("list.params", [mx.nd.ones(1)])
    with pytest.raises(mx.MXNetError, match="holds arrays without names"):
        module.load_params("list.params")


def test_optimizer_states_that_are_not_there() -> None:
    trained().save_checkpoint("q", 3)
    again = mx.mod.Module.load("q", 3, load_optimizer_states=True)
    again.bind([("data", (4, 5))], [("softmax_label", (4,))])
    for _ in range(2):  # not forgotten after the first time
        with pytest.raises(FileNotFoundError, match=r"q-0003\.states"):
            again.init_optimizer()
    assert not again.optimizer_initialized


BY_MXNET = base64.b64decode(
    "gASVjAAAAAAAAAB9lEsAjBVteG5ldC5uZGFycmF5Lm5kYXJyYXmUjAdOREFycmF5lJOUToWUUpR9lIwGaGFuZGxllIwI"
    "YnVpbHRpbnOUjAlieXRlYXJyYXmUk5RDMMn6k/kAAAAAAgAAAAEAAAAAAAAAAgAAAAAAAAABAAAAAAAAAAAAAACuR2G/"
    "61H4vpSFlFKUc2JzLg=="
)


def test_states_that_mxnet_wrote() -> None:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    net = mx.sym.LinearRegressionOutput(x, mx.sym.var("label"))
    module = mx.mod.Module(net, label_names=["label"])
    module.bind([("data", (2, 2))], [("label", (2,))])
    module.init_params(arg_params={"fc_weight": mx.nd.array([[-0.58, 0.115]])})
    module.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    Path("s").write_bytes(BY_MXNET)
    module.load_optimizer_states("s")
    data = mx.nd.array([[1, 2], [3, 1]])
    module.forward_backward(mx.io.DataBatch([data], [mx.nd.array([1, 0])]))
    module.update()
    found = module.get_params()[0]["fc_weight"].asnumpy()
    np.testing.assert_allclose(found, [[-1.06075, -0.10525]], rtol=1e-6)
