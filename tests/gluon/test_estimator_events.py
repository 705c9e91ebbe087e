"""The events of an estimator, its own handlers, and what it does with a batch."""

from typing import Any

import numpy as np
import pytest

from hy_gluon.contrib.estimator import (
    BatchEnd,
    BatchProcessor,
    Estimator,
    EstimatorError,
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
    TrainBegin,
    ValidationHandler,
)
from hy_gluon.metric import Accuracy
from hy_ndarray import autograd, cpu, nd
from tests.gluon.estimator_case import TWO_EPOCHS, Recorder, estimator, loader, quiet, weight


def test_events_come_in_this_order() -> None:
    recorder = Recorder()
    quiet().fit(loader(8), epochs=2, event_handlers=recorder)
    epoch = ["epoch_begin", *["batch_begin", "batch_end"] * 2, "epoch_end"]
    assert recorder.notes == ["train_begin", *epoch, *epoch, "train_end"]


def test_evaluation_has_no_beginning_and_end_of_training() -> None:
    recorder = Recorder()
    quiet().evaluate(loader(6), event_handlers=[recorder])
    assert recorder.notes == ["epoch_begin", *["batch_begin", "batch_end"] * 2, "epoch_end"]


def test_events_of_batches_tell_what_was_computed() -> None:
    recorder = Recorder()
    quiet().fit(loader(4), epochs=1, event_handlers=[recorder])
    assert recorder.told["train_begin"] == recorder.told["epoch_end"] == {}
    assert list(recorder.told["batch_begin"]) == ["batch"]
    told = recorder.told["batch_end"]
    assert list(told) == ["batch", "pred", "label", "loss"]
    assert [part.shape for part in told["batch"]] == [(4, 3), (4,)]
    shapes = [told[name][0].shape for name in ("pred", "label", "loss")]
    assert shapes == [(4, 2), (4,), (4,)]


def test_handlers_are_called_in_the_order_of_their_priorities() -> None:
    notes: list[str] = []

    class Looking(Recorder):
        """Notes whether parameters were updated and metrics have seen the batch."""

        def batch_end(self, *args: Any, **kwargs: Any) -> bool:
            made: Estimator = args[0]
            updated = bool((weight(made) != before).any())
            measured = made.train_metrics[0].num_inst > 0
            notes.append(f"{self.name}: updated {updated}, measured {measured}")
            return False

    trained = quiet(train_metrics=Accuracy())
    before = weight(trained)
    handlers = [Looking("c"), Looking("d", 7), Looking("b", -1500), Looking("a", -3000)]
    trained.fit(loader(4), epochs=1, event_handlers=handlers)
    assert notes == [
        "a: updated False, measured False",
        "b: updated True, measured False",
        "c: updated True, measured True",
        "d: updated True, measured True",
    ]


def test_a_handler_is_called_only_for_the_moments_it_inherits() -> None:
    class OnlyBegin(TrainBegin):
        def train_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
            notes.append("train_begin")

        def epoch_end(self, estimator: Estimator) -> None:
            notes.append("epoch_end")

    notes: list[str] = []
    quiet().fit(loader(), epochs=1, event_handlers=[OnlyBegin()])
    assert notes == ["train_begin"]


def test_true_at_the_end_of_an_epoch_ends_training_and_all_handlers_hear_of_it() -> None:
    notes: list[str] = []
    handlers = [Recorder("later", 2, notes), Recorder("stops", 1, notes, stop="epoch_end")]
    quiet().fit(loader(4), epochs=3, event_handlers=handlers)
    assert notes[-4:] == [
        "stops epoch_end",
        "later epoch_end",
        "stops train_end",
        "later train_end",
    ]
    assert notes.count("later epoch_end") == 1


def test_true_at_the_end_of_a_batch_ends_the_epoch() -> None:
    recorder = Recorder(stop="batch_end")
    quiet().fit(loader(), epochs=2, event_handlers=[recorder])
    assert recorder.notes.count("batch_end") == 2
    assert recorder.notes.count("epoch_end") == 2


def test_an_error_in_a_handler_ends_training() -> None:
    class Broken(BatchEnd):
        def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> bool:
            raise KeyError("broken")

    recorder = Recorder()
    with pytest.raises(KeyError, match="broken"):
        quiet().fit(loader(), epochs=1, event_handlers=[Broken(), recorder])
    assert "train_end" not in recorder.notes


def test_the_list_of_handlers_stays_as_it_was() -> None:
    given = [Recorder()]
    quiet().fit(loader(4), epochs=1, event_handlers=given)
    assert len(given) == 1


def test_handlers_see_how_far_training_is() -> None:
    seen: list[tuple[Any, ...]] = []

    class Looking(Recorder):
        def batch_end(self, *args: Any, **kwargs: Any) -> bool:
            made: Estimator = args[0]
            seen.append((made.current_epoch, made.batches_per_epoch, made.max_epoch))
            return False

    trained = quiet()
    validation = ValidationHandler(
        loader(10, 10), trained.evaluate, event_handlers=[Looking("evaluation")]
    )
    trained.fit(loader(8), epochs=2, event_handlers=[Looking(), validation])
    assert seen == [(0, 2, 2), (0, 2, 2), (0, 1, 2), (1, 2, 2), (1, 2, 2), (1, 1, 2)]


@pytest.mark.parametrize("place", ["update", "metrics", "logging", "validation"])
def test_a_given_handler_takes_the_place_of_the_estimators_own(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    class NoUpdate(GradientUpdateHandler):
        def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> bool:
            return False

    trained = estimator(train_metrics=Accuracy())
    before = weight(trained)
    evaluated: list[Any] = []
    handler = {
        "update": NoUpdate(),
        "metrics": MetricHandler([]),
        "logging": LoggingHandler(),
        "validation": ValidationHandler(loader(4), lambda **kwargs: evaluated.append(kwargs)),
    }[place]
    trained.fit(loader(4), loader(6), epochs=1, event_handlers=[handler])
    log = capsys.readouterr().out
    assert bool((weight(trained) == before).all()) == (place == "update")
    assert bool(np.isnan(trained.train_metrics[0].get()[1])) == (place == "metrics")
    assert ("training accuracy" not in log) == (place == "logging")
    assert ("Validation Begin" not in log) == (place == "validation")
    assert len(evaluated) == (place == "validation")


# --- batches ---------------------------------------------------------------------------------


def test_a_batch_processor_can_do_it_another_way() -> None:
    class Doubled(BatchProcessor):
        def fit_batch(self, estimator: Estimator, train_batch: Any, batch_axis: int = 0) -> Any:
            fitted.append(batch_axis)
            batch = train_batch["x"], train_batch["label"]
            return super().fit_batch(estimator, batch, batch_axis)

        def evaluate_batch(self, estimator: Estimator, val_batch: Any, batch_axis: int = 0) -> Any:
            return super().evaluate_batch(estimator, (-val_batch[0], val_batch[1]), batch_axis)

    fitted: list[int] = []
    trained = quiet(batch_processor=Doubled(), train_metrics=Accuracy())
    handler = LoggingHandler(1, trained.train_metrics)
    batches = [{"x": x, "label": label} for x, label in loader()]
    trained.fit(batches, loader(), epochs=1, event_handlers=[handler])
    assert fitted == [0, 0, 0]
    assert handler.processed_samples == 10
    assert trained.val_metrics[0].get() == ("validation accuracy", 0.0)


def test_a_batch_processor_of_a_program_splits_batches_as_mxnets_does() -> None:
    class Twice(BatchProcessor):
        def fit_batch(self, estimator: Estimator, train_batch: Any, batch_axis: int = 0) -> Any:
            data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
            with autograd.record():
                pred = [estimator.net(x) for x in data]
                loss = [estimator.loss(*pair) * 2 for pair in zip(pred, label, strict=True)]
            autograd.backward(loss)
            parts.append(len(data))
            return data, label, pred, loss

    parts: list[int] = []
    quiet(batch_processor=Twice(), ctx=[cpu(0), cpu(1)]).fit(loader(), epochs=1)
    assert parts == [2, 2, 2]


def test_a_batch_processor_gives_lists_with_an_array_for_each_context() -> None:
    made = quiet(ctx=[cpu(0), cpu(1)])
    batch = next(iter(loader()))
    for process in (made.batch_processor.fit_batch, made.batch_processor.evaluate_batch):
        shapes = [[array.shape for array in part] for part in process(made, batch)]
        assert shapes == [[(2, 3)] * 2, [(2,)] * 2, [(2, 2)] * 2, [(2,)] * 2]


@pytest.mark.parametrize(
    ("batch", "form"),
    [
        (nd.ones((2, 3)), "a NDArray"),
        ([nd.ones((2, 3))], "a list of NDArray"),
        (([nd.ones(2), nd.ones(2)], nd.ones(2)), "a tuple of list, NDArray"),
        ((), "a tuple of nothing"),
        ("ab", "a str"),
    ],
)
def test_a_batch_of_another_form_is_refused(batch: Any, form: str) -> None:
    with pytest.raises(EstimatorError, match=f"data and labels, both arrays, not {form}; for batc"):
        quiet().fit([batch], epochs=1)


def test_what_a_batch_has_behind_its_labels_is_not_looked_at() -> None:
    trained = quiet()
    trained.fit([(x, label, "more") for x, label in loader()], epochs=2)
    np.testing.assert_allclose(weight(trained), TWO_EPOCHS, atol=2e-6)
