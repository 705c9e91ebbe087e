"""WandbHandler and MLflowHandler: log training to Weights & Biases and MLflow."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon.contrib.estimator.tracking import Tracker, TrackingHandler
from hy_symbol import Graph, Symbol

__all__ = ["MLflowHandler", "WandbHandler"]

_BINS_COUNT = 64


class WandbHandler(TrackingHandler):
    """Logs training to Weights & Biases; needs the package ``wandb``.

    An active run is used and stays open; otherwise a run is started, and ended with the training.

    Args:
        project: Project of a newly started run.
        config: Hyperparameters of the run, such as sizes and rates.
        run_options: Further arguments of ``wandb.init``.
        options: Options of :class:`TrackingHandler`.

    Raises:
        ImportError: wandb is not installed.
        EstimatorError: An option is invalid.
    """

    def __init__(
        self,
        project: str | None = None,
        config: Mapping[str, Any] | None = None,
        run_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._wandb = _required("WandbHandler", "wandb")
        self._run_options = {"project": project, "config": config, **(run_options or {})}
        super().__init__(None, **options)

    def _open(self) -> Tracker:
        current = self._wandb.run
        if current is not None:
            return _Wandb(self._wandb, current, ends=False)
        options = {name: value for name, value in self._run_options.items() if value is not None}
        return _Wandb(self._wandb, self._wandb.init(**options), ends=True)


class _Wandb:
    """Tracker for a run of Weights & Biases."""

    def __init__(self, wandb: Any, run: Any, *, ends: bool) -> None:
        self._wandb = wandb
        self._run = run
        self._ends = ends
        self._step: int | None = None

    def _log(self, tag: str, value: Any, step: int | None) -> None:
        self._step = step
        self._run.log({tag: value}, step=step)

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """Write one point of a curve."""
        self._log(tag, scalar_value, global_step)

    def add_text(self, tag: str, text: str, global_step: int) -> None:
        """Write a text, as a table of one cell."""
        table = self._wandb.Table(columns=["text"], data=[[text]])
        self._log(tag, table, global_step)

    def add_image(self, tag: str, image: npt.NDArray[np.uint8], global_step: int) -> None:
        """Write an image."""
        self._log(tag, self._wandb.Image(image), global_step)

    def add_histogram(self, tag: str, values: npt.NDArray[Any], global_step: int) -> None:
        """Write a histogram of numbers, in 64 bins."""
        histogram = self._wandb.Histogram(np_histogram=np.histogram(values, _BINS_COUNT))
        self._log(tag, histogram, global_step)

    def add_graph(self, graph: Graph) -> None:
        """Write the graph's nodes as a table."""
        rows = [
            [
                node.name,
                "" if node.op is None else node.op.name,
                ", ".join(source.name for source, _ in node.inputs),
            ]
            for node in graph.nodes
        ]
        table = self._wandb.Table(columns=["node", "operator", "inputs"], data=rows)
        # Without a step, W&B goes on to the next one, and drops what comes for this one.
        self._log("graph", table, self._step)

    def flush(self) -> None:
        """Do nothing: the run sends its data itself."""

    def close(self) -> None:
        """End the run if this tracker started it."""
        if self._ends:
            self._run.finish()


class MLflowHandler(TrackingHandler):
    """Logs training to MLflow; needs the package ``mlflow``.

    An active run is used and stays active; otherwise a run is started, and ended with the training.
    Samples, histograms and the graph are stored as artifacts of the run: ``NAME/STEP.txt``,
    ``NAME/STEP.png``, ``NAME/STEP.json`` and ``graph.json``.

    Args:
        experiment: Experiment of a newly started run.
        run_name: Name of a newly started run.
        config: Parameters of the run, such as sizes and rates.
        options: Options of :class:`TrackingHandler`.

    Raises:
        ImportError: mlflow is not installed.
        EstimatorError: An option is invalid.
    """

    def __init__(
        self,
        experiment: str | None = None,
        run_name: str | None = None,
        config: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._mlflow = _required("MLflowHandler", "mlflow")
        self._experiment = experiment
        self._run_name = run_name
        self._config = dict(config or {})
        super().__init__(None, **options)

    def _open(self) -> Tracker:
        mlflow = self._mlflow
        begins = mlflow.active_run() is None
        if begins:
            if self._experiment is not None:
                mlflow.set_experiment(self._experiment)
            mlflow.start_run(run_name=self._run_name)
        if self._config:
            mlflow.log_params(self._config)
        return _MLflow(mlflow, ends=begins)


class _MLflow:
    """Tracker for a run of MLflow."""

    def __init__(self, mlflow: Any, *, ends: bool) -> None:
        self._mlflow = mlflow
        self._ends = ends

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """Write one point of a curve."""
        self._mlflow.log_metric(tag, scalar_value, step=global_step)

    def add_text(self, tag: str, text: str, global_step: int) -> None:
        """Write a text."""
        self._mlflow.log_text(text, f"{tag}/{global_step}.txt")

    def add_image(self, tag: str, image: npt.NDArray[np.uint8], global_step: int) -> None:
        """Write an image."""
        self._mlflow.log_image(image, artifact_file=f"{tag}/{global_step}.png")

    def add_histogram(self, tag: str, values: npt.NDArray[Any], global_step: int) -> None:
        """Write a histogram of numbers, in 64 bins."""
        counts, edges = np.histogram(values, _BINS_COUNT)
        content = {"counts": counts.tolist(), "edges": edges.tolist()}
        self._mlflow.log_dict(content, f"{tag}/{global_step}.json")

    def add_graph(self, graph: Graph) -> None:
        """Write the graph as JSON, in the format of ``export``."""
        self._mlflow.log_text(Symbol(graph).tojson(), "graph.json")

    def flush(self) -> None:
        """Do nothing: each call has already written its data."""

    def close(self) -> None:
        """End the run if this tracker started it."""
        if self._ends:
            self._mlflow.end_run()


def _required(handler: str, name: str) -> Any:
    """Return an imported optional package.

    Raises:
        ImportError: The package is not installed; says how to install it.
    """
    try:
        return import_module(name)
    except ImportError:
        text = f"{handler} needs {name}: try `pip install {name}`"
        raise ImportError(text, name=name) from None
