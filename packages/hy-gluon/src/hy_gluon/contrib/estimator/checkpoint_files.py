"""Files of a checkpoint: separate ones of one process, or shards of workers."""

from pathlib import Path
from typing import Any

from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.contrib.estimator.training import Training
from hy_gluon.kvstore import KVStoreBase

__all__ = ["SeparateFiles", "ShardedFiles", "files_of"]


class SeparateFiles:
    """Parameters in ``NAME.params``, the trainer's states in ``NAME.states``."""

    ending = ".params"
    """That of the file whose presence means a complete checkpoint."""
    is_first = True
    """Whether this process writes what all workers have alike."""

    def agreed(self, value: float) -> float:
        """Return a metric as all workers use it."""
        return value

    def write(self, estimator: Training, path: Path) -> None:
        """Write a checkpoint; endings are added to ``path``."""
        # States first: resuming looks for .params, so that one that it finds has its states.
        estimator.trainer.save_states(_with(path, ".states"))
        estimator.net.save_parameters(_with(path, ".params"))

    def load(self, estimator: Training, path: Path) -> None:
        """Load a checkpoint.

        Raises:
            EstimatorError: There are parameters but no states.
        """
        states = Path(_with(path, ".states"))
        if not states.is_file():
            raise EstimatorError(
                f"checkpoint {path.name} in {path.parent} has parameters but no trainer states: "
                f"{states} is missing; delete {path.name}.params to go on from an earlier "
                "checkpoint"
            )
        estimator.net.load_parameters(_with(path, ".params"), ctx=list(estimator.context))
        estimator.trainer.load_states(str(states))

    def delete(self, path: Path) -> None:
        """Delete a checkpoint."""
        for ending in (".params", ".states"):
            Path(_with(path, ending)).unlink(missing_ok=True)


class ShardedFiles(SeparateFiles):
    """Parameters and states in ``NAME.checkpoint`` and the workers' files, which it names.

    Args:
        store: The store of the workers.
    """

    ending = ".checkpoint"

    def __init__(self, store: Any) -> None:
        self._store = store
        self.is_first = store.rank == 0

    def agreed(self, value: float) -> float:
        """Return worker 0's value, as others have metrics of other data."""
        return float(self._store.broadcast_number(value))

    def write(self, estimator: Training, path: Path) -> None:
        """Write a checkpoint, together with the other workers."""
        params = estimator.net._collect_params_with_prefix()
        self._store.save_checkpoint(_with(path, self.ending), params)

    def load(self, estimator: Training, path: Path) -> None:
        """Load a checkpoint, together with the other workers."""
        params = estimator.net._collect_params_with_prefix()
        self._store.load_checkpoint(_with(path, self.ending), params)

    def delete(self, path: Path) -> None:
        """Delete a checkpoint."""
        self._store.delete_checkpoint(_with(path, self.ending))


def files_of(estimator: Training) -> SeparateFiles:
    """Return the files of an estimator's checkpoints."""
    store: KVStoreBase | None = estimator.trainer._foreign_updates()
    return ShardedFiles(store) if store is not None and store.saves_checkpoints else SeparateFiles()


def _with(path: Path, ending: str) -> str:
    # Not `with_suffix`: prefixes of names may have dots.
    return f"{path}{ending}"
