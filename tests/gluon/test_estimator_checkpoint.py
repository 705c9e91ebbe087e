"""CheckpointHandler: which files it writes, which it keeps, and how training goes on from them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import SymbolBlock
from hy_gluon.contrib.estimator import CheckpointHandler, Estimator, EstimatorError, LoggingHandler
from hy_gluon.optimizer import StatesError
from hy_io import load_ndarrays
from hy_ndarray import cpu, nd
from tests.gluon.estimator_case import (
    Recorder,
    Scripted,
    estimator,
    loader,
    quiet,
    timeless,
    weight,
)


def names(folder: Path, ending: str = ".params") -> list[str]:
    """The names of the files without their ending, in the order of the numbers in them."""
    found = [path.stem for path in folder.iterdir() if path.suffix == ending]
    return sorted(found, key=lambda name: (len(name), name))


def train(folder: Path, *handlers: Any, **options: Any) -> tuple[Estimator, CheckpointHandler]:
    """Train with 3 batches in an epoch; what begins with ``fit_`` is for ``fit``."""
    fit = {key.removeprefix("fit_"): options.pop(key) for key in list(options) if "fit_" in key}
    handler = CheckpointHandler(folder, **options)
    made = quiet()
    made.fit(loader(), event_handlers=[*handlers, handler], **fit)
    return made, handler


# --- saving ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["epoch0batch3", "epoch1batch6", "epoch2batch9", "epoch3batch12"]),
        ({"epoch_period": 2}, ["epoch1batch6", "epoch3batch12"]),
        ({"max_checkpoints": 2}, ["epoch2batch9", "epoch3batch12"]),
        ({"epoch_period": None}, None),
        (
            {"epoch_period": None, "batch_period": 2},
            ["epoch1batch3", "epoch1batch5", "epoch2batch7", "epoch3batch9", "epoch3batch11"],
        ),
        (
            {"batch_period": 2},
            ["epoch2batch7", "epoch2batch9", "epoch3batch9", "epoch3batch11", "epoch3batch12"],
        ),
    ],
    ids=str,
)
def test_files_have_the_names_that_mxnet_gives_them(
    options: dict[str, Any], expected: list[str] | None, tmp_path: Path
) -> None:
    folder = tmp_path / "made" / "here"
    _, handler = train(folder, fit_epochs=4, **options)
    if expected is None:
        assert not folder.exists()
        return
    assert handler.saved_checkpoints == [f"model-{name}" for name in expected]
    for ending in (".params", ".states"):
        assert sorted(names(folder, ending)) == sorted(handler.saved_checkpoints)
    assert len(list(folder.iterdir())) == 2 * len(expected)


def test_a_checkpoint_holds_parameters_and_trainer_states(tmp_path: Path) -> None:
    made, _ = train(tmp_path, fit_epochs=1, model_prefix="digits")
    saved = load_ndarrays(tmp_path / "digits-epoch0batch3.params")
    assert isinstance(saved, dict)
    assert sorted(saved) == ["bias", "weight"]
    np.testing.assert_array_equal(saved["weight"], weight(made))
    again = quiet()
    again.net.load_parameters(str(tmp_path / "digits-epoch0batch3.params"))
    again.trainer.load_states(str(tmp_path / "digits-epoch0batch3.states"))
    for trained in (made, again):
        trained.fit(loader(), epochs=1)
    np.testing.assert_array_equal(weight(again), weight(made))


def test_the_graph_of_a_hybridized_net_is_saved_too(tmp_path: Path) -> None:
    made = quiet(hybrid=True)
    made.fit(loader(), epochs=2, event_handlers=[CheckpointHandler(tmp_path)])
    saved = load_ndarrays(tmp_path / "model-epoch1batch6.params")
    assert isinstance(saved, dict)
    again = SymbolBlock.imports(str(tmp_path / "model-symbol.json"), ["data"])
    again.initialize()
    for name, parameter in again.collect_params().items():
        parameter.set_data(nd.array(saved[name.rpartition("_")[2]]))
    x = nd.array([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(again(x).asnumpy(), made.net(x).asnumpy())


def test_without_a_graph_the_log_says_so_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    estimator().fit(loader(), epochs=3, event_handlers=[CheckpointHandler(tmp_path)])
    told = [line for line in capsys.readouterr().out.splitlines() if "symbol.json" in line]
    assert told == [
        (
            f"CheckpointHandler: {tmp_path}/model-symbol.json is not saved, because the net has no "
            "graph; hybridize a HybridBlock before training to have one"
        )
    ]


def test_a_failed_save_leaves_the_files_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(tmp_path, fit_epochs=2)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(*args: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", full)
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match="no space left"):
        train(tmp_path, fit_epochs=1)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_parameters_without_states_are_never_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise StatesError("cannot be written")

    monkeypatch.setattr("hy_gluon.Trainer.save_states", broken)
    with pytest.raises(StatesError):
        train(tmp_path, fit_epochs=1)
    assert names(tmp_path) == []


# --- the best --------------------------------------------------------------------------------


def best_of(folder: Path, values: list[float], **options: Any) -> tuple[list[str], Any]:
    """Train as many epochs as there are values; the log, and the weights of the best."""
    monitor = Scripted(values, "score")
    made = estimator()
    handler = CheckpointHandler(
        folder, monitor=monitor, verbose=1, save_best=True, mode="max", **options
    )
    made.fit(loader(), epochs=len(values), event_handlers=[monitor, handler])
    saved = load_ndarrays(folder / "model-best.params")
    assert isinstance(saved, dict)
    return handler.saved_checkpoints, saved["weight"]


def test_the_best_checkpoint_is_kept_besides_the_newest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, best = best_of(tmp_path, [1, 3, 2], max_checkpoints=1)
    assert kept == ["model-epoch2batch9"]
    assert names(tmp_path) == ["model-best", "model-epoch2batch9"]
    expected = quiet()
    expected.fit(loader(), epochs=2)
    np.testing.assert_array_equal(best, weight(expected))
    assert json.loads((tmp_path / "model-best.json").read_text()) == {
        "monitor": "score",
        "value": 3.0,
    }
    told = [line for line in capsys.readouterr().out.splitlines() if "] CheckpointHandler" in line]
    where = f"at {tmp_path} with prefix: model"
    assert told == [
        f"[Epoch 0] CheckpointHandler: trained total 3 batches, saving model {where}-epoch0batch3",
        (
            "[Epoch 0] CheckpointHandler: score improved from -inf to 1.00000, "
            f"updating best model {where}-best"
        ),
        f"[Epoch 1] CheckpointHandler: trained total 6 batches, saving model {where}-epoch1batch6",
        (
            "[Epoch 1] CheckpointHandler: score improved from 1.00000 to 3.00000, "
            f"updating best model {where}-best"
        ),
        f"[Epoch 2] CheckpointHandler: trained total 9 batches, saving model {where}-epoch2batch9",
        (
            "[Epoch 2] CheckpointHandler: score did not improve from 3.00000, "
            "skipping updating best model"
        ),
    ]


def test_a_loss_is_best_when_it_is_small(tmp_path: Path) -> None:
    made = quiet()
    handler = CheckpointHandler(tmp_path, monitor=made.val_metrics[1], save_best=True)
    made.fit(loader(), loader(6), epochs=2, event_handlers=[handler])
    assert handler.best == pytest.approx(0.2731198, abs=2e-6)


def test_the_best_needs_a_value(tmp_path: Path) -> None:
    made = quiet()
    handler = CheckpointHandler(tmp_path, monitor=made.val_metrics[0], save_best=True)
    with pytest.warns(RuntimeWarning, match="CheckpointHandler: validation accuracy has no value"):
        made.fit(loader(), epochs=1, event_handlers=[handler])
    assert names(tmp_path) == ["model-epoch0batch3"]


# --- going on --------------------------------------------------------------------------------


@pytest.mark.parametrize("hybrid", [False, True])
def test_resumed_training_ends_where_uninterrupted_training_does(
    hybrid: bool, tmp_path: Path
) -> None:
    expected = quiet()
    expected.fit(loader(), epochs=4)
    train(tmp_path, fit_epochs=2)
    resumed = quiet(hybrid=hybrid)
    handler = CheckpointHandler(tmp_path, resume_from_checkpoint=True)
    recorder = Recorder()
    resumed.fit(loader(), epochs=4, event_handlers=[handler, recorder])
    np.testing.assert_allclose(weight(resumed), weight(expected), atol=1e-7)
    assert recorder.notes.count("epoch_end") == 2
    assert (handler.trained_epoch, handler.trained_batch) == (1, 6)
    assert (resumed.trained_epochs, resumed.trained_batches, resumed.current_epoch) == (2, 6, 4)
    assert sorted(handler.saved_checkpoints) == [
        "model-epoch0batch3",
        "model-epoch1batch6",
        "model-epoch2batch9",
        "model-epoch3batch12",
    ]


def test_resuming_restores_the_trainer(tmp_path: Path) -> None:
    made = quiet()
    made.trainer.set_learning_rate(0.03)
    made.fit(loader(), epochs=1, event_handlers=[CheckpointHandler(tmp_path)])
    resumed, _ = train(tmp_path, fit_epochs=2, resume_from_checkpoint=True)
    assert resumed.trainer.learning_rate == 0.03
    assert resumed.trainer.optimizer.num_update == 6


def test_resuming_works_on_several_contexts(tmp_path: Path) -> None:
    contexts = [cpu(0), cpu(1)]
    expected = quiet(ctx=contexts)
    expected.fit(loader(8), epochs=3)
    quiet(ctx=contexts).fit(loader(8), epochs=1, event_handlers=[CheckpointHandler(tmp_path)])
    resumed = quiet(ctx=contexts)
    handler = CheckpointHandler(tmp_path, resume_from_checkpoint=True)
    resumed.fit(loader(8), epochs=3, event_handlers=[handler])
    np.testing.assert_allclose(weight(resumed), weight(expected), atol=1e-7)


def test_a_number_of_batches_can_be_resumed(tmp_path: Path) -> None:
    options = {"epoch_period": None, "batch_period": 2}
    train(tmp_path, fit_batches=5, **options)
    assert names(tmp_path) == ["model-epoch0batch1", "model-epoch1batch3"]
    recorder = Recorder()
    _, handler = train(tmp_path, recorder, fit_batches=12, resume_from_checkpoint=True, **options)
    assert recorder.notes.count("batch_end") == 8  # four were in the checkpoint
    assert handler.saved_checkpoints == [
        "model-epoch1batch3",
        "model-epoch2batch5",
        "model-epoch3batch7",
        "model-epoch3batch9",
        "model-epoch4batch11",
    ]


def test_resumed_training_tells_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(tmp_path, fit_epochs=2)
    made = estimator(train_metrics=[])
    handlers = [
        CheckpointHandler(tmp_path, resume_from_checkpoint=True),
        LoggingHandler(),
    ]
    made.fit(loader(4), epochs=3, event_handlers=handlers)
    lines = [line for line in timeless(capsys.readouterr().out) if "symbol" not in line]
    assert lines == [
        (
            "CheckpointHandler: Checkpoint resumed from epoch 1 batch 6, "
            "continue to train for 1 epochs"
        ),
        "Training begin: using optimizer SGD with current learning rate 0.1000",
        "Train for 1 epochs.",
        "[Epoch 2] Begin, current learning rate: 0.1000",
        "[Epoch 2] Finished in _",
        "Train finished using total 0s with 1 epochs.",
    ]


def test_without_a_checkpoint_training_begins_at_the_beginning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = estimator()
    handler = CheckpointHandler(tmp_path / "none yet", resume_from_checkpoint=True)
    made.fit(loader(), epochs=2, event_handlers=[handler])
    assert handler.saved_checkpoints == ["model-epoch0batch3", "model-epoch1batch6"]
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "CheckpointHandler: No checkpoint found, training from scratch for 2 epochs"


def test_the_newest_checkpoint_of_the_prefix_counts(tmp_path: Path) -> None:
    train(tmp_path, fit_epochs=1)
    for name in ("model-epoch7batch3", "model-epoch3batch20", "other-epoch9batch9", "model-x"):
        for ending in ("params", "states"):
            source = tmp_path / f"model-epoch0batch3.{ending}"
            (tmp_path / f"{name}.{ending}").write_bytes(source.read_bytes())
    _, handler = train(tmp_path, fit_epochs=9, resume_from_checkpoint=True)
    assert (handler.trained_epoch, handler.trained_batch) == (7, 3)


def test_the_best_of_earlier_training_is_remembered(tmp_path: Path) -> None:
    _, best = best_of(tmp_path, [5])
    _, same = best_of(tmp_path, [4, 4], resume_from_checkpoint=True)
    np.testing.assert_array_equal(same, best)
    _, better = best_of(tmp_path, [6, 6, 6], resume_from_checkpoint=True)
    assert (better != best).all()
    (tmp_path / "model-best.json").write_text("{")
    with pytest.raises(EstimatorError, match=r"model-best.json is damaged; delete it"):
        best_of(tmp_path, [1, 1, 1, 1], resume_from_checkpoint=True)


def test_a_finished_training_is_not_resumed(tmp_path: Path) -> None:
    train(tmp_path, fit_epochs=2)
    with pytest.raises(EstimatorError, match=r"epoch1batch6 in .* all of the 2 epochs already"):
        train(tmp_path, fit_epochs=2, resume_from_checkpoint=True)


def test_a_checkpoint_without_states_is_refused(tmp_path: Path) -> None:
    train(tmp_path, fit_epochs=1)
    (tmp_path / "model-epoch0batch3.states").unlink()
    with pytest.raises(EstimatorError, match=r"has parameters but no trainer states"):
        train(tmp_path, fit_epochs=2, resume_from_checkpoint=True)


@pytest.mark.parametrize(
    "options",
    [
        {"fit_batches": 4},
        {"fit_epochs": 4, "batch_period": 2},
        {"fit_epochs": 4, "epoch_period": None, "batch_period": 2},
        {"fit_batches": 4, "batch_period": 2},
    ],
    ids=str,
)
def test_fit_and_checkpoints_must_count_the_same_to_resume(
    options: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(EstimatorError, match="fit and CheckpointHandler must count the same"):
        train(tmp_path, resume_from_checkpoint=True, **options)


# --- what it is made from --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"save_best": True}, "monitor must be a single metric"),
        ({"save_best": True, "monitor": "acc"}, "not 'acc'"),
        ({"epoch_period": 0}, "epoch_period must be 1 or more or None, not 0"),
        ({"batch_period": -1}, "batch_period must be 1 or more or None, not -1"),
        ({"epoch_period": "x"}, "epoch_period must be 1 or more or None, not 'x'"),
        ({"max_checkpoints": 0}, "max_checkpoints must be 1 or more, not 0"),
        ({"max_checkpoints": None}, "max_checkpoints must be 1 or more, not None"),
    ],
)
def test_wrong_arguments_are_refused_at_once(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(EstimatorError, match=message):
        CheckpointHandler(tmp_path, **options)
