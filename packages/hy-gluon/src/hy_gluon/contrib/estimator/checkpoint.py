"""CheckpointHandler: saves net and trainer during training, and resumes from checkpoints."""

import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from hy_gluon.block import HybridBlock
from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.contrib.estimator.checkpoint_files import SeparateFiles, files_of
from hy_gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin
from hy_gluon.contrib.estimator.improvement import check_monitor, comparison, observed, worst
from hy_gluon.contrib.estimator.training import Training
from hy_io import atomic_write, local_path

__all__ = ["CheckpointHandler"]


class _Saved(NamedTuple):
    """Checkpoint file, with epoch and batch parsed from its name."""

    epoch: int
    batch: int
    name: str


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Saves parameters and trainer states every few epochs or batches; resumes from them.

    A checkpoint of epoch 2 after 9 batches consists of ``model-epoch2batch9.params`` and
    ``.states``; within an epoch, the name has the index of the last batch. Files are replaced
    atomically, states before parameters, so that a checkpoint found after a crash is complete. The
    graph of a hybridized net is saved once, as ``model-symbol.json``.

    With a sharded trainer both are one ``.checkpoint``, with files of the workers, which share the
    folder; ``save_best`` goes by the metric of worker 0.

    Args:
        model_dir: Folder of the checkpoints, created if missing.
        model_prefix: Prefix of the file names.
        monitor: Metric of the estimator that ``save_best`` compares.
        verbose: If above 0, log each save.
        save_best: Also keep the best checkpoint as ``model-best.params`` and ``.states``, with its
            metric value in ``model-best.json``.
        mode: ``"min"`` or ``"max"``, whether small or large values of ``monitor`` are better, or
            ``"auto"``; see :func:`comparison`.
        epoch_period: Number of epochs between two checkpoints; None for none.
        batch_period: Number of batches between two checkpoints; None for none.
        max_checkpoints: Maximum number of checkpoints besides the best one; the oldest are deleted.
        resume_from_checkpoint: Start ``fit`` from the parameters, trainer states and counts of the
            newest checkpoint, if there is one. Completed epochs and batches are not trained again.
            ``fit`` and the checkpoints must use the same unit: epochs, with ``batch_period=None``,
            or batches, with ``epoch_period=None``.

    Raises:
        EstimatorError: ``save_best`` without a single metric, an unknown ``mode``, a period below
            1, or fewer than 1 checkpoint.

    Example:
        >>> handler = CheckpointHandler("models", "digits", batch_period=100)
        >>> handler.max_checkpoints
        5
    """

    def __init__(
        self,
        model_dir: str | os.PathLike[str],
        model_prefix: str = "model",
        monitor: Any = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
    ) -> None:
        _require_positive(
            epoch_period=epoch_period, batch_period=batch_period, max_checkpoints=max_checkpoints
        )
        self.monitor = monitor
        self.verbose = verbose
        self.model_dir = os.fspath(local_path(model_dir))
        self.model_prefix = model_prefix
        self.save_best = save_best
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.max_checkpoints = max_checkpoints
        self.resume_from_checkpoint = resume_from_checkpoint
        self.current_batch = 0
        self.current_epoch = 0
        self.trained_epoch = self.trained_batch = -1
        self.saved_checkpoints: list[str] = []
        self._files = SeparateFiles()
        if save_best:
            self.monitor = check_monitor(monitor, type(self).__name__)
            self.monitor_op = comparison(self.monitor, mode)
            self.best = worst(self.monitor_op)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counts, or resume from the newest checkpoint."""
        self.current_batch = self.current_epoch = 0
        self._files = files_of(estimator)
        if self.save_best:
            self.best = worst(self.monitor_op)
        self.trained_epoch = self.trained_batch = -1
        if self.resume_from_checkpoint:
            self._resume(estimator)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Save a checkpoint if one is due."""
        self.current_batch += 1
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._save(estimator, within_epoch=True)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Save a checkpoint if one is due."""
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            self._save(estimator, within_epoch=False)
        self.current_epoch += 1
        return False

    # --- saving -----------------------------------------------------------------------------

    def _path(self, name: str) -> Path:
        return Path(self.model_dir) / name

    def _save(self, estimator: Training, *, within_epoch: bool) -> None:
        Path(self.model_dir).mkdir(parents=True, exist_ok=True)
        epoch = estimator.trained_epochs + self.current_epoch
        batches = estimator.trained_batches + self.current_batch
        name = f"{self.model_prefix}-epoch{epoch}batch{batches - within_epoch}"
        if not self.saved_checkpoints:
            self._save_graph(estimator)
        self._log(
            estimator,
            f"[Epoch {epoch}] CheckpointHandler: trained total {batches} batches, "
            f"saving model at {self.model_dir} with prefix: {name}",
        )
        self._files.write(estimator, self._path(name))
        # Else the list would have it twice, and the old entry's turn would delete the new file.
        if name in self.saved_checkpoints:
            self.saved_checkpoints.remove(name)
        self.saved_checkpoints.append(name)
        while len(self.saved_checkpoints) > self.max_checkpoints:
            self._files.delete(self._path(self.saved_checkpoints.pop(0)))
        if self.save_best:
            self._save_if_best(estimator, epoch)

    def _save_if_best(self, estimator: Training, epoch: int) -> None:
        value = observed(self.monitor, type(self).__name__)
        if value is None:
            return
        value = self._files.agreed(value)
        about = f"[Epoch {epoch}] CheckpointHandler: {self.monitor.name}"
        if not self.monitor_op(value, self.best):
            self._log(
                estimator,
                f"{about} did not improve from {self.best:.5f}, skipping updating best model",
            )
            return
        name = f"{self.model_prefix}-best"
        self._log(
            estimator,
            f"{about} improved from {self.best:.5f} to {value:.5f}, "
            f"updating best model at {self.model_dir} with prefix: {name}",
        )
        self.best = value
        self._files.write(estimator, self._path(name))
        self._write_text(f"{name}.json", json.dumps({"monitor": self.monitor.name, "value": value}))

    def _save_graph(self, estimator: Training) -> None:
        net = estimator.net
        path = self._path(f"{self.model_prefix}-symbol.json")
        if not isinstance(net, HybridBlock) or not net._cached_graph:
            estimator.logger.info(
                "CheckpointHandler: %s is not saved, because the net has no graph; "
                "hybridize a HybridBlock before training to have one",
                path,
            )
            return
        # On all workers of a sharded trainer: it may read parameters, which all of them gather.
        symbol, _ = net._hy_to_export()
        self._write_text(path.name, symbol.tojson())

    def _write_text(self, name: str, text: str) -> None:
        if self._files.is_first:
            with atomic_write(self._path(name)) as file:
                file.write(text.encode())

    def _log(self, estimator: Training, text: str) -> None:
        if self.verbose > 0:
            estimator.logger.info(text)

    # --- going on ---------------------------------------------------------------------------

    def _resume(self, estimator: Training) -> None:
        by_batches = self._counts_batches(estimator)
        unit = "batches" if by_batches else "epochs"
        limit = estimator.max_batch if by_batches else estimator.max_epoch
        assert limit is not None
        candidates = self._saved_files()
        if not candidates:
            estimator.logger.info(
                "CheckpointHandler: No checkpoint found, training from scratch for %d %s",
                limit,
                unit,
            )
            return
        newest = candidates[-1]
        self.trained_epoch, self.trained_batch = newest.epoch, newest.batch
        # Within an epoch names have the number of the last batch; after one, how many there were.
        batches = newest.batch + by_batches
        epochs = newest.epoch + 1
        left = limit - (batches if by_batches else epochs)
        if left <= 0:
            raise EstimatorError(
                f"checkpoint {newest.name} in {self.model_dir} has trained all of the {limit} "
                f"{unit} already; ask fit for more, or set resume_from_checkpoint=False"
            )
        self._load(estimator, newest.name)
        estimator.trained_epochs = epochs
        estimator.trained_batches = batches
        if by_batches:
            estimator.max_batch = left
        else:
            estimator.max_epoch = left
        self.saved_checkpoints = [saved.name for saved in candidates]
        estimator.logger.info(
            "CheckpointHandler: Checkpoint resumed from epoch %d batch %d, "
            "continue to train for %d %s",
            newest.epoch,
            newest.batch,
            left,
            unit,
        )

    def _counts_batches(self, estimator: Training) -> bool:
        """Return whether ``fit`` and this handler both count batches, not epochs."""
        if estimator.max_batch and self.batch_period and not self.epoch_period:
            return True
        if estimator.max_epoch and self.epoch_period and not self.batch_period:
            return False
        raise EstimatorError(
            "to resume, fit and CheckpointHandler must count the same: either fit(epochs=...) with "
            "batch_period=None, or fit(batches=...) with batch_period and epoch_period=None; here "
            f"epochs={estimator.max_epoch}, batches={estimator.max_batch}, "
            f"epoch_period={self.epoch_period}, batch_period={self.batch_period}"
        )

    def _saved_files(self) -> list[_Saved]:
        """Return the checkpoints in the folder, oldest first."""
        ending = re.escape(self._files.ending)
        pattern = re.compile(rf"({re.escape(self.model_prefix)}-epoch(\d+)batch(\d+)){ending}")
        folder = Path(self.model_dir)
        names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
        matches = [match for match in map(pattern.fullmatch, names) if match]
        # By number: in the order of letters epoch10 is before epoch2.
        return sorted(
            _Saved(epoch=int(match[2]), batch=int(match[3]), name=match[1]) for match in matches
        )

    def _load(self, estimator: Training, name: str) -> None:
        self._files.load(estimator, self._path(name))
        if self.save_best:
            self._load_best()

    def _load_best(self) -> None:
        path = self._path(f"{self.model_prefix}-best.json")
        if not path.is_file():  # saved by MXNet, or nothing was the best yet
            return
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
            if saved["monitor"] == self.monitor.name:
                self.best = float(saved["value"])
        except (ValueError, KeyError, TypeError) as error:
            raise EstimatorError(
                f"{path} is damaged; delete it to restart the search for the best model"
            ) from error


def _require_positive(**numbers: int | None) -> None:
    for name, number in numbers.items():
        optional = name != "max_checkpoints"
        if number is None and optional:
            continue
        if not isinstance(number, int) or number < 1:
            none = " or None" if optional else ""
            raise EstimatorError(
                f"CheckpointHandler: {name} must be 1 or more{none}, not {number!r}"
            )
