"""Progress bars and TensorBoard: what they show, and what happens without their packages."""

import io
import logging
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tensorboardX.proto.event_pb2 import Event

from hy_gluon.contrib.estimator import (
    CheckpointHandler,
    Estimator,
    EstimatorError,
    LoggingHandler,
    ProgressBarHandler,
    TensorBoardHandler,
    ValidationHandler,
)
from hy_gluon.metric import Accuracy, TopKAccuracy
from tests.gluon.estimator_case import Recorder, estimator, loader, quiet, timeless


def accurate(**kwargs: Any) -> Estimator:
    return quiet(**{"train_metrics": Accuracy(), **kwargs})


# --- progress bars ---------------------------------------------------------------------------


class Screen(io.StringIO):
    """A terminal, and what it showed line by line."""

    terminal = False

    def isatty(self) -> bool:
        return self.terminal

    def shown(self) -> list[str]:
        lines = [line.strip() for line in self.getvalue().replace("\n", "\r").split("\r")]
        return [line for line in lines if line]

    def bar(self, **options: Any) -> ProgressBarHandler:
        form = "{desc}: {n_fmt}/{total_fmt}{postfix}"
        return ProgressBarHandler(file=self, mininterval=0, bar_format=form, **options)


def test_a_bar_grows_with_each_batch_and_shows_the_metrics() -> None:
    screen = Screen()
    accurate().fit(loader(), epochs=2, event_handlers=[screen.bar()])
    assert screen.shown() == [
        "Epoch 0: 0/3",
        "Epoch 0: 1/3, accuracy=0.7500",
        "Epoch 0: 2/3, accuracy=0.8750",
        "Epoch 0: 3/3, accuracy=0.8000",
        "Epoch 1: 0/3",
        "Epoch 1: 1/3, accuracy=1.0000",
        "Epoch 1: 2/3, accuracy=1.0000",
        "Epoch 1: 3/3, accuracy=1.0000",
    ]


def test_evaluation_has_a_bar_too() -> None:
    screen = Screen()
    made = accurate()
    made.evaluate(loader(6), event_handlers=[screen.bar()])
    assert screen.shown() == [
        "Validation: 0/2",
        "Validation: 1/2, accuracy=0.7500",
        "Validation: 2/2, accuracy=0.6667",
    ]
    during = Screen()
    validation = ValidationHandler(loader(6), made.evaluate, event_handlers=during.bar())
    made.fit(loader(), epochs=2, event_handlers=[validation])
    assert during.shown()[::3] == ["Validation: 0/2"] * 2


def test_data_without_a_length_can_be_given_one() -> None:
    for total, text in ((None, "3/?"), (3, "3/3")):
        screen = Screen()
        accurate().fit(iter(loader()), epochs=1, event_handlers=[screen.bar(total=total)])
        assert screen.shown()[-1] == f"Epoch 0: {text}, accuracy=0.8000"


def test_a_bar_can_show_other_metrics_and_stay() -> None:
    screen = Screen()
    made = accurate(train_metrics=[Accuracy(), TopKAccuracy(2)])
    bar = screen.bar(metrics=made.train_metrics[1], leave=True)
    made.fit(loader(4), epochs=1, event_handlers=[bar])
    assert screen.getvalue().endswith("Epoch 0: 1/1, top_k_accuracy_2=1.0000\n")


@pytest.mark.parametrize("terminal", [True, False])
def test_bars_are_shown_on_terminals_unless_told_otherwise(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def screen(*handlers: ProgressBarHandler) -> str:
        screen = Screen()
        screen.terminal = terminal
        monkeypatch.setattr(sys, "stderr", screen)
        accurate().fit(loader(), loader(6), epochs=1, event_handlers=handlers)
        return screen.getvalue()

    shown = screen()
    assert ("Epoch 0: " in shown) == ("Validation: " in shown) == bool(shown) == terminal
    assert "Epoch" not in screen(ProgressBarHandler(disable=True))
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert not screen()


def test_bars_are_taken_away_after_the_epoch() -> None:
    screen = Screen()
    accurate().fit(loader(4), epochs=1, event_handlers=[screen.bar()])
    assert screen.getvalue().endswith(" \r")


def on_a_terminal(text: str) -> list[str]:
    """The lines that stay when everything is written: a carriage return goes back to the left."""
    lines = []
    for line in text.split("\n"):
        cells: list[str] = []
        for part in line.split("\r"):
            cells[: len(part)] = part
        lines.append("".join(cells).rstrip())
    return [line for line in lines if line]


def test_log_lines_stand_alone_beside_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    def log(*bar: ProgressBarHandler) -> list[str]:
        screen = Screen()
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setattr(sys, "stderr", screen)
        made = estimator()
        handlers = [LoggingHandler(1, made.train_metrics), *bar]
        made.fit(loader(), loader(6), epochs=2, event_handlers=handlers)
        assert [type(handler) for handler in made.logger.handlers] == [logging.StreamHandler]
        return timeless("\n".join(on_a_terminal(screen.getvalue())))

    without = log()
    assert len(without) == 17
    assert log(ProgressBarHandler()) == without


def test_a_log_that_goes_elsewhere_stays_there(capsys: pytest.CaptureFixture[str]) -> None:
    made = estimator()
    elsewhere = io.StringIO()
    made.logger.handlers = [logging.StreamHandler(elsewhere)]
    made.fit(loader(), epochs=1, event_handlers=[Screen().bar()])
    assert len(elsewhere.getvalue().splitlines()) == 5
    assert capsys.readouterr() == ("", "")


def test_a_bar_of_a_failed_training_does_not_disturb_the_next() -> None:
    screen = Screen()
    bar = screen.bar()
    made = accurate()
    with pytest.raises(EstimatorError):
        made.fit([*loader(4), "no batch"], epochs=1, event_handlers=[bar])
    made.fit(loader(4), epochs=1, event_handlers=[bar])
    assert screen.shown()[-2:] == ["Epoch 0: 0/1", "Epoch 0: 1/1, accuracy=0.7500"]


# --- TensorBoard -----------------------------------------------------------------------------

Points = dict[str, list[tuple[int, float]]]


def checksum(data: bytes) -> int:
    """The masked CRC-32C of TensorFlow's record files."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


def records(content: bytes) -> Iterator[bytes]:
    """The records of an event file: length, its checksum, data, their checksum."""
    while content:
        size, check = struct.unpack_from("<QI", content)
        data, rest = content[12 : 12 + size], content[12 + size :]
        assert checksum(content[:8]) == check
        assert (checksum(data),) == struct.unpack_from("<I", rest)
        yield data
        content = rest[4:]


def points(folder: Path) -> Points:
    """Steps and values of every curve in the event files of a folder, the oldest file first."""
    found: Points = {}
    for file in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns):
        for record in records(file.read_bytes()):
            event = Event.FromString(record)
            for value in event.summary.value:
                found.setdefault(value.tag, []).append((event.step, value.simple_value))
    return found


def test_every_epoch_is_a_point_of_each_curve(tmp_path: Path) -> None:
    made = accurate(train_metrics=None)
    made.fit(loader(), loader(6), epochs=2, event_handlers=[TensorBoardHandler(tmp_path)])
    assert len(list(tmp_path.iterdir())) == 1
    found = points(tmp_path)
    expected = {
        "training/accuracy": [0.8, 1.0],
        "training/softmaxcrossentropyloss": [0.5718, 0.4390716],
        "validation/accuracy": [1.0, 1.0],
        "validation/softmaxcrossentropyloss": [0.4554, 0.2731198],
        "learning_rate": [0.1, 0.1],
    }
    assert sorted(found) == sorted(expected)
    for tag, values in expected.items():
        assert [step for step, _ in found[tag]] == [0, 1]
        assert [value for _, value in found[tag]] == pytest.approx(values, abs=5e-5)


def test_batches_can_be_points_too(tmp_path: Path) -> None:
    handler = TensorBoardHandler(tmp_path, log_interval=2)
    accurate().fit(loader(), loader(6), epochs=2, event_handlers=[handler])
    found = points(tmp_path)
    assert [step for step, _ in found["training/accuracy"]] == [2, 3, 4, 6, 6]
    assert found["validation/accuracy"] == [(3, 1.0), (6, 1.0)]


def test_curves_without_values_are_left_out(tmp_path: Path) -> None:
    made = accurate(train_metrics=[Accuracy(), TopKAccuracy(2)])
    handler = TensorBoardHandler(tmp_path, metrics=[made.train_metrics[1], made.val_metrics[0]])
    made.fit(loader(), epochs=1, event_handlers=[handler])
    assert sorted(points(tmp_path)) == ["learning_rate", "training/top_k_accuracy_2"]


@pytest.mark.parametrize("interval", ["epoch", 3])
def test_resumed_training_goes_on_with_its_curves(tmp_path: Path, interval: int | str) -> None:
    for epochs in (2, 3):
        checkpoint = CheckpointHandler(tmp_path / "models", resume_from_checkpoint=True)
        board = TensorBoardHandler(tmp_path / "curves", log_interval=interval)
        accurate().fit(loader(), epochs=epochs, event_handlers=[board, checkpoint])
    steps = {step for step, _ in points(tmp_path / "curves")["training/accuracy"]}
    assert steps == ({0, 1, 2} if interval == "epoch" else {3, 6, 9})


def test_what_was_written_before_an_error_is_on_the_disk(tmp_path: Path) -> None:
    class Broken(Recorder):
        def epoch_begin(self, *args: Any, **kwargs: Any) -> None:
            if "epoch_end" in self.notes:
                raise KeyError("broken")

    handler = TensorBoardHandler(tmp_path)
    made = accurate()
    with pytest.raises(KeyError):
        made.fit(loader(), epochs=2, event_handlers=[handler, Broken()])
    (point,) = points(tmp_path)["training/accuracy"]
    assert point == pytest.approx((0, 0.8))
    made.fit(loader(), epochs=1, event_handlers=[handler])  # opens a new file
    assert len(points(tmp_path)["training/accuracy"]) == 2


def test_an_evaluation_alone_can_be_written_too(tmp_path: Path) -> None:
    made = accurate()
    handler = TensorBoardHandler(tmp_path, metrics=made.val_metrics)
    made.evaluate(loader(6), event_handlers=[handler])
    (point,) = points(tmp_path)["validation/accuracy"]
    assert point == pytest.approx((0, 4 / 6))


class Writer:
    """A writer of somebody else."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        self.calls.append((tag, scalar_value, global_step))

    def flush(self) -> None:
        self.calls.append("flush")

    def close(self) -> None:
        self.calls.append("close")


def test_another_writer_will_do_and_stays_open() -> None:
    writer = Writer()
    accurate().fit(loader(4), epochs=1, event_handlers=[TensorBoardHandler(writer=writer)])
    assert writer.calls == [("training/accuracy", 0.75, 0), ("learning_rate", 0.1, 0), "flush"]


def test_there_is_either_a_folder_or_a_writer() -> None:
    for arguments in ({}, {"log_dir": "x", "writer": Writer()}):
        with pytest.raises(EstimatorError, match="takes either a log_dir or a writer"):
            TensorBoardHandler(**arguments)  # type: ignore[arg-type]
    with pytest.raises(EstimatorError, match="log_interval must be 'epoch' or an int above 0"):
        TensorBoardHandler(writer=Writer(), log_interval="batch")


# --- without the extras ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("package", "make", "message"),
    [
        ("tqdm", ProgressBarHandler, r'needs tqdm: try `pip install "hy-gluon\[progress\]"`'),
        (
            "tensorboardX",
            lambda: TensorBoardHandler("curves"),
            r'needs tensorboardX: try `pip install "hy-gluon\[tensorboard\]"`',
        ),
    ],
)
def test_a_missing_package_is_told_with_what_to_install(
    package: str, make: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=message):
        make()


@pytest.mark.slow
def test_importing_the_estimator_needs_neither_package() -> None:
    code = (
        "import sys; sys.modules |= {'tqdm': None, 'tensorboardX': None}; "
        "from hy_gluon.contrib.estimator import ProgressBarHandler, TensorBoardHandler; "
        "print('imported')"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "imported\n"
