"""``mx.model`` and ``mx.callback``: checkpoints, and the lines that training loops log."""

import doctest
import inspect
import logging
import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_io import FileFormatError
from mxnet import _checkpoint
from mxnet.model import BatchEndParam

PARAMS = {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros((2,))}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def net() -> Any:
    return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What the root logger writes at level info."""
    with caplog.at_level(logging.INFO):
        yield caplog


def files() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


# --- mx.model -------------------------------------------------------------------------------------


def test_what_is_saved_is_loaded(net: Any, log: pytest.LogCaptureFixture) -> None:
    aux = {"bn_moving_mean": mx.nd.full((2,), 3)}
    mx.model.save_checkpoint("net", 3, net, PARAMS, aux)
    assert log.messages == ['Saved checkpoint to "net-0003.params"']
    assert files() == ["net-0003.params", "net-symbol.json"]
    symbol, args, states = mx.model.load_checkpoint("net", 3)
    assert symbol.tojson() == net.tojson()
    assert {name: x.asnumpy().tolist() for name, x in args.items()} == {
        "fc_weight": [[1.0] * 3] * 2,
        "fc_bias": [0.0, 0.0],
    }
    assert states["bn_moving_mean"].asnumpy().tolist() == [3.0, 3.0]
    assert mx.model.load_params("net", 3)[0].keys() == args.keys()


def test_a_checkpoint_is_an_exported_block(net: Any) -> None:
    mx.model.save_checkpoint("net", 0, net, PARAMS, {})
    block = mx.gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0000.params")
    assert block(mx.nd.ones((1, 3))).asnumpy().tolist() == [[3.0, 3.0]]
    block.hybridize()
    block(mx.nd.ones((1, 3)))
    block.export("again", epoch=2)
    _, args, _ = mx.model.load_checkpoint("again", 2)
    np.testing.assert_array_equal(args["fc_weight"].asnumpy(), PARAMS["fc_weight"].asnumpy())


def test_parameters_may_be_saved_without_a_graph(net: Any) -> None:
    mx.model.save_checkpoint("net", 1, None, PARAMS, {})
    assert files() == ["net-0001.params"]
    assert set(mx.model.load_params("net", 1)[0]) == set(PARAMS)
    with pytest.raises(FileNotFoundError, match=r"net-symbol\.json is not there; load_params"):
        mx.model.load_checkpoint("net", 1)
    mx.model.save_checkpoint("net", 1, net, PARAMS, {})
    mx.model.save_checkpoint("net", 2, None, PARAMS, {})  # the graph that is there stays
    assert mx.model.load_checkpoint("net", 2)[0].tojson() == net.tojson()


def test_casts_of_mixed_precision_stay_if_asked(net: Any) -> None:
    cast = mx.sym.relu(mx.sym.amp_cast(net, dtype="float16", name="half"), name="out")
    mx.model.save_checkpoint("without", 0, cast, PARAMS, {})
    mx.model.save_checkpoint("with", 0, cast, PARAMS, {}, remove_amp_cast=False)
    without, kept = (mx.model.load_checkpoint(name, 0)[0] for name in ("without", "with"))
    assert "half_output" not in without.get_internals().list_outputs()
    assert "half_output" in kept.get_internals().list_outputs()


def test_what_is_not_there_or_not_named_is_refused(net: Any) -> None:
    mx.model.save_checkpoint("net", 3, net, PARAMS, {})
    with pytest.raises(FileNotFoundError, match=r"net-0009\.params is not there; epochs of it: 3"):
        mx.model.load_checkpoint("net", 9)
    mx.nd.save("list-0001.params", [mx.nd.ones((1,))])
    with pytest.raises(FileFormatError, match="expected arrays with names"):
        mx.model.load_params("list", 1)


def test_an_empty_file_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    mx.nd.save("none-0001.params", {})
    assert mx.model.load_params("none", 1) == ({}, {})
    assert caplog.messages == ["Params file 'none-0001.params' is empty"]


# --- mx.callback ----------------------------------------------------------------------------------


class Metric:
    """Two values, and how often their local part was reset."""

    def __init__(self) -> None:
        self.resets = 0

    def get_name_value(self) -> list[tuple[str, float]]:
        return [("a", 0.123456789), ("b", 2)]

    def reset_local(self) -> None:
        self.resets += 1


def end_of(nbatch: int, metric: Any = None, epoch: int = 0) -> BatchEndParam:
    return BatchEndParam(epoch=epoch, nbatch=nbatch, eval_metric=metric, locals=None)


def test_a_model_is_saved_every_so_many_epochs(net: Any) -> None:
    callback = mx.callback.do_checkpoint("net", period=2)
    for epoch in range(5):
        callback(epoch, net, PARAMS, {})
    assert files() == ["net-0002.params", "net-0004.params", "net-symbol.json"]
    often = mx.callback.do_checkpoint("often", period=0)
    for epoch in range(2):
        often(epoch, net, PARAMS, {})
    assert files()[-3:] == ["often-0001.params", "often-0002.params", "often-symbol.json"]


def test_a_module_saves_itself() -> None:
    calls = []

    class Module:
        def save_checkpoint(self, *args: Any) -> None:
            calls.append(args)

    callback = mx.callback.module_checkpoint(Module(), "p", 2, save_optimizer_states=True)
    for epoch in range(5):
        callback(epoch)
    callback(1, None, {}, {})
    assert calls == [("p", 2, True), ("p", 4, True), ("p", 2, True)]


def test_the_training_metric_is_logged(log: pytest.LogCaptureFixture) -> None:
    metric = Metric()
    callback = mx.callback.log_train_metric(2, auto_reset=True)
    for i in range(3):
        callback(end_of(i, metric, epoch=1))
    assert log.messages == [
        "Iter[1] Batch[0] Train-a=0.123457",
        "Iter[1] Batch[0] Train-b=2.000000",
        "Iter[1] Batch[2] Train-a=0.123457",
        "Iter[1] Batch[2] Train-b=2.000000",
    ]
    assert metric.resets == 2
    mx.callback.log_train_metric(1)(end_of(0))  # without a metric there is nothing to say
    assert len(log.messages) == 4


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, which the test moves."""
    now = [100.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    return now


def test_the_speed_is_logged_with_the_metric_since_the_last_line(
    log: pytest.LogCaptureFixture, clock: list[float]
) -> None:
    metric, speedometer = Metric(), mx.callback.Speedometer(batch_size=10, frequent=2)
    for i in range(5):
        clock[0] += 0.5
        speedometer(end_of(i, metric))
    assert log.messages == [
        "Epoch[0] Batch [0-2]\tSpeed: 20.00 samples/sec\ta=0.123457\tb=2.000000",
        "Epoch[0] Batch [2-4]\tSpeed: 20.00 samples/sec\ta=0.123457\tb=2.000000",
    ]
    assert metric.resets == 2
    speedometer(end_of(0, metric, epoch=1))  # another epoch: the time begins anew
    clock[0] += 1
    speedometer(end_of(2, epoch=1))
    speedometer(end_of(4, epoch=1))
    assert log.messages[2:] == [
        "Iter[1] Batch [2]\tSpeed: 20.00 samples/sec",
        "Iter[1] Batch [4]\tSpeed: inf samples/sec",
    ]


def test_a_metric_may_go_on_through_the_epoch(
    log: pytest.LogCaptureFixture, clock: list[float]
) -> None:
    metric, speedometer = Metric(), mx.callback.Speedometer(10, 2, auto_reset=False)
    for i in range(5):
        clock[0] += 0.5
        speedometer(end_of(i, metric))
    assert [line.split("\t")[0] for line in log.messages] == [
        "Epoch[0] Batch [0-2]",
        "Epoch[0] Batch [0-4]",
    ]
    assert metric.resets == 0


def test_a_bar_grows(log: pytest.LogCaptureFixture) -> None:
    bar = mx.callback.ProgressBar(total=7, length=8)
    for i in (1, 2, 3, 7):
        bar(end_of(i))
    assert log.messages == [
        "[=-------] 15%\r",
        "[==------] 29%\r",
        "[===-----] 43%\r",
        "[========] 100%\r",
    ]
    with pytest.raises(mx.MXNetError, match="total=0"):
        mx.callback.ProgressBar(total=0)


def test_validation_is_logged(log: pytest.LogCaptureFixture) -> None:
    callback = mx.callback.LogValidationMetricsCallback()
    callback(end_of(9, Metric(), epoch=3))
    callback(end_of(9))
    assert log.messages == ["Epoch[3] Validation-a=0.123457", "Epoch[3] Validation-b=2.000000"]


def test_a_metric_of_gluon_is_logged_and_goes_on(log: pytest.LogCaptureFixture) -> None:
    metric = mx.metric.Accuracy()
    metric.update(mx.nd.array([0, 1]), mx.nd.array([[1, 0], [1, 0]]))
    mx.callback.log_train_metric(1, auto_reset=True)(end_of(0, metric))
    assert log.messages == ["Iter[0] Batch[0] Train-accuracy=0.500000"]
    assert math.isnan(metric.get()[1])
    assert metric.get_global()[1] == 0.5


# --- names ----------------------------------------------------------------------------------------

SIGNATURES = {
    "model.load_checkpoint": "(prefix, epoch)",
    "model.load_params": "(prefix, epoch)",
    "model.save_checkpoint": (
        "(prefix, epoch, symbol, arg_params, aux_params, remove_amp_cast=True)"
    ),
    "callback.do_checkpoint": "(prefix, period=1)",
    "callback.log_train_metric": "(period, auto_reset=False)",
    "callback.module_checkpoint": "(mod, prefix, period=1, save_optimizer_states=False)",
    "callback.save_checkpoint": (
        "(prefix, epoch, symbol, arg_params, aux_params, remove_amp_cast=True)"
    ),
    "callback.ProgressBar": "(total, length=80)",
    "callback.Speedometer": "(batch_size, frequent=50, auto_reset=True)",
    "callback.LogValidationMetricsCallback": "()",
    "model.BatchEndParam": "(epoch, nbatch, eval_metric, locals)",
}


@pytest.mark.parametrize("path", SIGNATURES)
def test_signatures_are_mxnets(path: str) -> None:
    module, _, name = path.partition(".")
    signature = inspect.signature(getattr(getattr(mx, module), name))
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    shown = signature.replace(parameters=plain, return_annotation=signature.empty)
    assert str(shown) == SIGNATURES[path]


@pytest.mark.parametrize("module", [_checkpoint, mx.callback], ids=lambda module: module.__name__)
def test_docstring_examples_run(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert (results.failed, results.attempted > 0) == (0, True)
