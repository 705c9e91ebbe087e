"""Handlers of the estimator: log lines, the end of training, validation, updates."""

import logging
import math
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, metric
from hy_gluon.contrib.estimator import (
    BatchEnd,
    EarlyStoppingHandler,
    Estimator,
    EstimatorError,
    GradientUpdateHandler,
    LoggingHandler,
    StoppingHandler,
    ValidationHandler,
)
from hy_gluon.contrib.estimator.improvement import comparison
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.utils import clip_global_norm
from tests.gluon.estimator_case import (
    Recorder,
    Scripted,
    estimator,
    loader,
    net,
    quiet,
    timeless,
    weight,
)

# --- logging ---------------------------------------------------------------------------------


def test_training_logs_what_mxnet_logs(capsys: pytest.CaptureFixture[str]) -> None:
    estimator().fit(loader(), loader(6), epochs=2)
    assert timeless(capsys.readouterr().out) == [
        "Training begin: using optimizer SGD with current learning rate 0.1000",
        "Train for 2 epochs.",
        "[Epoch 0] Begin, current learning rate: 0.1000",
        "Validation Begin",
        (
            "[Epoch 0] Finished in _, validation accuracy: 1.0000, "
            "validation softmaxcrossentropyloss: 0.4554"
        ),
        (
            "[Epoch 0] Finished in _, training accuracy: 0.8000, "
            "training softmaxcrossentropyloss: 0.5718"
        ),
        "[Epoch 1] Begin, current learning rate: 0.1000",
        "Validation Begin",
        (
            "[Epoch 1] Finished in _, validation accuracy: 1.0000, "
            "validation softmaxcrossentropyloss: 0.2731"
        ),
        (
            "[Epoch 1] Finished in _, training accuracy: 1.0000, "
            "training softmaxcrossentropyloss: 0.4391"
        ),
        (
            "Train finished using total 0s with 2 epochs. training accuracy: 1.0000, "
            "training softmaxcrossentropyloss: 0.4391"
        ),
    ]


def test_every_second_batch_has_a_line_from_the_first_one_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = estimator()
    made.fit(loader(), batches=6, event_handlers=[LoggingHandler(2, made.train_metrics)])
    lines = timeless(capsys.readouterr().out)
    assert lines[1] == "Train for 6 batches."
    assert [line for line in lines if "[Batch" in line] == [
        (
            "[Epoch 0][Batch 0][Samples 4] time/interval: _ training accuracy: 0.7500, "
            "training softmaxcrossentropyloss: 0.6152"
        ),
        (
            "[Epoch 0][Batch 2][Samples 10] time/interval: _ training accuracy: 0.8000, "
            "training softmaxcrossentropyloss: 0.5718"
        ),
        (
            "[Epoch 1][Batch 0][Samples 14] time/interval: _ training accuracy: 1.0000, "
            "training softmaxcrossentropyloss: 0.4753"
        ),
        (
            "[Epoch 1][Batch 2][Samples 20] time/interval: _ training accuracy: 1.0000, "
            "training softmaxcrossentropyloss: 0.4391"
        ),
    ]


def test_evaluation_logs_batches_too(capsys: pytest.CaptureFixture[str]) -> None:
    made = estimator(train_metrics=metric.Accuracy())
    made.evaluate(loader(6), event_handlers=[LoggingHandler(1, made.val_metrics)])
    assert timeless(capsys.readouterr().out) == [
        "Validation Begin",
        "[Epoch 0][Batch 0][Samples 4] time/interval: _ validation accuracy: 0.7500",
        "[Epoch 0][Batch 1][Samples 6] time/interval: _ validation accuracy: 0.6667",
        "[Epoch 0] Finished in _, validation accuracy: 0.6667",
    ]


def test_without_metrics_lines_end_early(capsys: pytest.CaptureFixture[str]) -> None:
    estimator().fit(loader(4), epochs=1, event_handlers=[LoggingHandler(1)])
    assert timeless(capsys.readouterr().out)[2:] == [
        "[Epoch 0] Begin, current learning rate: 0.1000",
        "[Epoch 0][Batch 0][Samples 4] time/interval: _",
        "[Epoch 0] Finished in _",
        "Train finished using total 0s with 1 epochs.",
    ]


def test_the_learning_rate_of_a_schedule_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    dense = net()
    schedule = FactorScheduler(step=2, factor=0.5, base_lr=0.5)
    options = {"learning_rate": 0.5, "lr_scheduler": schedule}
    learned = Trainer(dense.collect_params(), "adam", options)
    estimator(net=dense, trainer=learned).fit(loader(), epochs=3)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Training begin: using optimizer Adam with current learning rate 0.5000"
    assert [line[-6:] for line in lines if "Begin" in line] == ["0.5000", "0.2500", "0.1250"]


def test_each_estimator_has_a_logger_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = estimator(), estimator()
    assert first.logger is not second.logger
    first.logger.setLevel(logging.ERROR)
    second.fit(loader(4), epochs=1)
    assert capsys.readouterr().out.count("Train for 1 epochs.") == 1


@pytest.mark.parametrize("interval", ["batch", None, 1.5, 0, -1])
def test_other_log_intervals_are_refused(interval: Any) -> None:
    with pytest.raises(EstimatorError, match="log_interval must be 'epoch' or an int above 0"):
        LoggingHandler(interval)


# --- the end of training ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "batches"),
    [({"max_epoch": 2}, 6), ({"max_epoch": 9}, 9), ({"max_batch": 2}, 2), ({"max_batch": 5}, 5)],
    ids=str,
)
def test_a_stopping_handler_ends_training_before_fit_does(
    limits: dict[str, int], batches: int
) -> None:
    recorder = Recorder()
    stopping = StoppingHandler(**limits)
    quiet().fit(loader(), epochs=3, event_handlers=[recorder, stopping])
    assert recorder.notes.count("batch_end") == batches
    assert stopping.stop_training == (limits != {"max_epoch": 9}) or stopping.current_epoch == 3


def test_a_stopping_handler_can_be_used_again() -> None:
    stopping = StoppingHandler(max_epoch=2)
    for _ in range(2):
        recorder = Recorder()
        quiet().fit(loader(), epochs=5, event_handlers=[recorder, stopping])
        assert recorder.notes.count("epoch_end") == 2


NAN = math.nan


@pytest.mark.parametrize(
    ("values", "options", "epochs", "best"),
    [
        ([1, 2, 3, 3, 3, 4], {"mode": "max"}, 4, 3),
        ([1, 2, 3, 3, 3, 4], {"mode": "max", "patience": 1}, 4, 3),
        ([1, 2, 3, 3, 3, 4], {"mode": "max", "patience": 2}, 5, 3),
        ([1, 2, 3, 3, 3, 4], {"mode": "max", "patience": 3}, 8, 4),
        ([5, 4, 4.5, 3, 2], {"mode": "min"}, 3, 4),
        ([5, 4, 4.5, 3, 2], {"mode": "min", "patience": 2}, 7, 2),
        ([5, 4.9, 4.8, 4.7], {"mode": "min", "min_delta": 0.5}, 2, 5),
        ([5, 4.9, 4.8, 4.7], {"mode": "min", "min_delta": 0.5, "patience": 2}, 3, 5),
        ([1, 1.4, 1.6, 1.7], {"mode": "max", "min_delta": 0.5, "patience": 1}, 2, 1),
        ([1, 2, 3], {"mode": "max", "baseline": 2.5}, 1, 2.5),
        ([1, 2, 3], {"mode": "max", "baseline": 2.5, "patience": 3}, 6, 3),
        ([3, 2, 1], {"mode": "max", "patience": -1}, 2, 3),
    ],
)
def test_training_stops_early_where_mxnet_stops(
    values: list[float],
    options: dict[str, Any],
    epochs: int,
    best: float,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monitor = Scripted(values)
    handler = EarlyStoppingHandler(monitor, **options)
    estimator().fit(loader(4), epochs=8, event_handlers=[monitor, handler])
    assert monitor.page + 1 == epochs
    assert handler.best == best
    assert handler.stop_training == (epochs < 8)
    said = "early stopping due to scripted not improving"
    expected = [f"[Epoch {epochs - 1}] EarlyStoppingHandler: {said}"] if epochs < 8 else []
    assert [line for line in capsys.readouterr().out.splitlines() if said in line] == expected


@pytest.mark.parametrize(("values", "epochs"), [([NAN, 1, 2], 4), ([1, NAN, 2], 4)])
def test_epochs_without_a_value_do_not_count(values: list[float], epochs: int) -> None:
    monitor = Scripted(values)
    handler = EarlyStoppingHandler(monitor, mode="max")
    with pytest.warns(RuntimeWarning, match="EarlyStoppingHandler: scripted has no value"):
        quiet().fit(loader(4), epochs=8, event_handlers=[monitor, handler])
    assert monitor.page + 1 == epochs


def test_early_stopping_begins_anew_with_each_fit() -> None:
    handler = EarlyStoppingHandler(first := Scripted([2, 1]), mode="max")
    quiet().fit(loader(4), epochs=8, event_handlers=[first, handler])
    handler.monitor = second = Scripted([1, 2, 1])
    quiet().fit(loader(4), epochs=8, event_handlers=[second, handler])
    assert (first.page, second.page, handler.best) == (1, 2, 2)


def test_early_stopping_watches_metrics_of_validation() -> None:
    made = quiet()
    handler = EarlyStoppingHandler(made.val_metrics[0])
    made.fit(loader(), loader(6), epochs=9, event_handlers=[handler])
    assert handler.stopped_epoch == 1  # right from the first epoch on, so the second is no better
    assert handler.best == 1.0


@pytest.mark.parametrize("monitor", ["accuracy", None, metric.CompositeEvalMetric(["acc"])])
def test_only_a_single_metric_can_be_watched(monitor: Any) -> None:
    with pytest.raises(EstimatorError, match="EarlyStoppingHandler: monitor must be a single"):
        EarlyStoppingHandler(monitor)


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("acc", "greater"),
        ("top_k_accuracy", "greater"),
        ("f1", "greater"),
        ("mcc", "greater"),
        ("pcc", "greater"),
        ("pearsonr", "greater"),
        ("loss", "less"),
        ("mae", "less"),
        ("mse", "less"),
        ("rmse", "less"),
        ("ce", "less"),
        ("nll_loss", "less"),
        ("perplexity", "less"),
    ],
)
def test_it_is_known_which_values_of_a_metric_are_better(name: str, better: str) -> None:
    options: dict[str, dict[str, Any]] = {
        "perplexity": {"ignore_label": None},
        "top_k_accuracy": {"top_k": 2},
    }
    made = metric.create(name, **options.get(name, {}))
    assert comparison(made, "auto").__name__ == better
    assert comparison(made, "min").__name__ == "less"
    assert comparison(made, "max").__name__ == "greater"


def test_of_other_metrics_it_is_guessed_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="larger values of scripted are taken for better ones"):
        handler = EarlyStoppingHandler(Scripted([1]))
    assert handler.monitor_op is np.greater


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(EstimatorError, match="mode must be 'auto', 'min' or 'max', not 'Max'"):
        EarlyStoppingHandler(metric.Accuracy(), mode="Max")


# --- validation and updates ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("periods", "times"),
    [
        ({}, 4),
        ({"epoch_period": 2}, 2),
        ({"epoch_period": None, "batch_period": 5}, 2),
        ({"epoch_period": 3, "batch_period": 4}, 4),
        ({"epoch_period": None}, 0),
    ],
    ids=str,
)
def test_validation_has_periods(periods: dict[str, Any], times: int) -> None:
    calls: list[dict[str, Any]] = []
    data = loader(6)
    handler = ValidationHandler(data, lambda **kwargs: calls.append(kwargs), **periods)
    quiet().fit(loader(), epochs=4, event_handlers=[handler])
    assert calls == [{"val_data": data, "batch_axis": 0, "event_handlers": None}] * times


def test_validation_can_have_handlers_of_its_own() -> None:
    made = quiet()
    recorder = Recorder()
    handler = ValidationHandler(loader(4), made.evaluate, event_handlers=recorder)
    made.fit(loader(), epochs=2, event_handlers=[handler])
    assert recorder.notes == ["epoch_begin", "batch_begin", "batch_end", "epoch_end"] * 2


def test_an_update_can_be_done_another_way() -> None:
    class Clipped(GradientUpdateHandler):
        def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> bool | None:
            learned = estimator.net.collect_params().values()
            norms.append(clip_global_norm([one.grad() for one in learned], max_norm=1.0))
            return super().batch_end(estimator, *args, **kwargs)

    norms: list[float] = []
    made = quiet()
    before = weight(made)
    made.fit(loader(4), epochs=1, event_handlers=[Clipped()])
    assert norms[0] > 1
    bias = made.net.collect_params()[f"{made.net.prefix}bias"].data().asnumpy()
    length = float(np.hypot(np.linalg.norm(weight(made) - before), np.linalg.norm(bias)))
    assert length == pytest.approx(0.1 * 1.0 / 4, rel=1e-4)


def test_default_handlers_are_in_the_order_of_priority() -> None:
    class Own(BatchEnd):
        """Of priority 0."""

    trained = quiet()
    trained.max_epoch, trained.max_batch = 1, None
    names = [type(h).__name__ for h in trained._prepare_default_handlers(loader(), [Own()])]
    assert names == [
        *("GradientUpdateHandler", "MetricHandler", "ValidationHandler"),
        *("Own", "StoppingHandler", "LoggingHandler"),
    ]
    kinds = trained._categorize_handlers([Own(), StoppingHandler(1)])
    assert [len(found) for found in kinds] == [1, 0, 0, 2, 1, 0]
