"""AutoGluon's networks for tables: trained, asked, tuned, in predictors and alone; their files."""

import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

import autogluon.core as ag
import numpy as np
import pandas as pd
from autogluon.core.metrics.softclass_metrics import soft_log_loss
from autogluon.tabular import TabularPredictor
from autogluon.tabular.models.tabular_nn.tabular_nn_dataset import TabularNNDataset

import mxnet as mx
from tests.clients.formula import uniform
from tests.clients.program import Checks
from tests.clients.programs.autogluon.made import SMALL, Ruled, labels, table

ROWS = 150
ADAM = 2e-3
"""Adam divides gradients by their own size, so that each rounding of a small one counts."""


def checks(_: str) -> Checks:
    """Each kind of problem, network, optimizer and schedule; then what predictors do with them."""
    descent: dict[str, Any] = {"optimizer": "sgd", "target_lr": 0.1, "warmup_epochs": 1}
    found: Checks = {
        f"stochastic gradients, {schedule}": partial(
            trained, "binary", lr_scheduler=schedule, **descent
        )
        for schedule in ("cosine", "step", "poly", "constant")
    }
    found |= {"soft loss": soft_loss, "data set": data_set, "dropout": dropped, "tuned": tuned}
    return found | {name: within(ADAM, check) for name, check in by_adam().items()}


def by_adam() -> Checks:
    """What AutoGluon's own optimizer trains."""
    kinds = ("binary", "multiclass", "regression")
    found: Checks = {kind: partial(trained, kind) for kind in kinds}
    return found | {
        "soft labels": soft,
        "feed-forward": partial(trained, "binary", network_type="feedforward"),
        "no batch normalization": partial(trained, "regression", use_batchnorm=False),
        "no less than zero": partial(trained, "regression", y_range=(0.0, np.inf)),
        "squares": partial(trained, "regression", loss_function=mx.gluon.loss.L2Loss()),
        "numbers alone": partial(trained, "binary", columns=["a", "b"]),
        "categories alone": partial(trained, "binary", columns=["many"]),
        "predictor": predictor,
        "bagged": bagged,
    }


def within(tolerance: float, check: Callable[[], object]) -> Callable[[], object]:
    """The check, its results compared less closely."""
    loose = partial(check)
    loose.tolerance = tolerance  # type: ignore[attr-defined]  # read by the program
    return loose


def model(kind: str, path: str, eval_metric: Any = None, **hyperparameters: Any) -> Any:
    """A network that has not been trained."""
    shutil.rmtree(path, ignore_errors=True)
    return Ruled(
        path=f"{path}/",
        name="net",
        problem_type=kind,
        eval_metric=eval_metric,
        hyperparameters={**SMALL, **hyperparameters},
    )


def features(columns: list[str] | None = None, count: int = ROWS) -> Any:
    """The table as predictors hand it to models."""
    rows = table(count)
    for name in ("few", "many"):
        rows[name] = rows[name].astype("category")
    return rows if columns is None else rows[columns]


def trained(kind: str, columns: list[str] | None = None, **hyperparameters: Any) -> Any:
    """Weights and predictions, before and after saving."""
    rows, wanted = features(columns), labels(table(ROWS), kind)
    net = model(kind, "net", **hyperparameters)
    net.fit(X=rows[:120], y=wanted[:120], X_val=rows[120:], y_val=wanted[120:], verbosity=0)
    given = net.predict_proba(rows)
    again = Ruled.load(net.save()).predict_proba(rows)
    np.testing.assert_array_equal(given, again)
    return [given, weights(net.model), net.score(rows, wanted)]


def weights(net: Any) -> Any:
    """Parameters, in order."""
    return [p.data() for p in net._collect_params_with_prefix().values()]


def soft() -> Any:
    """Distillation: trained on probabilities."""
    rows = features()
    odds = np.exp(uniform("odds", (ROWS, 3)))
    wanted = pd.DataFrame(odds / odds.sum(axis=1, keepdims=True))
    net = model("softclass", "soft", eval_metric=soft_log_loss)
    net.fit(X=rows[:120], y=wanted[:120], X_val=rows[120:], y_val=wanted[120:], verbosity=0)
    return [net.predict_proba(rows), weights(net.model)]


def dropped() -> Any:
    """With dropout, whose chance differs: what has been trained is compared by shape."""
    rows, wanted = features(), labels(table(ROWS), "binary")
    net = model("binary", "dropped", dropout_prob=0.3)
    net.fit(X=rows[:120], y=wanted[:120], X_val=rows[120:], y_val=wanted[120:], verbosity=0)
    first, second = net.predict_proba(rows), net.predict_proba(rows)
    np.testing.assert_array_equal(first, second)
    return first.shape


def soft_loss() -> Any:
    """The metric of probabilities, which MXNet computes."""
    odds = np.exp(uniform("odds", (5, 3)))
    odds /= odds.sum(axis=1, keepdims=True)
    return float(soft_log_loss(odds, np.roll(odds, 1, axis=0)))


def data_set() -> Any:
    """Written, read and looped over; single columns."""
    net = model("multiclass", "set", num_epochs=0)
    wanted = labels(table(ROWS), "multiclass")
    net.fit(X=features()[:120], y=wanted[:120], verbosity=0)
    made = net.process_test_data(features(), 40, 0, labels=wanted)
    batches = [made.format_batch_data(batch, mx.cpu()) for batch in made.dataloader]
    columns = [made.get_feature_data(name) for name in ("a", "many")]
    made.save("set/rows")
    again = TabularNNDataset.load("set/rows")
    return [batches, columns, again.get_labels(), list(again.dataloader)]


def whole(folder: str, **options: Any) -> Any:
    """A predictor with one network."""
    shutil.rmtree(folder, ignore_errors=True)
    rows = table(ROWS)
    rows["wanted"] = np.array(["low", "middle", "high"])[labels(rows, "multiclass")]
    settings = {"hyperparameters": {Ruled: SMALL}, "verbosity": 0} | options
    return TabularPredictor("wanted", path=folder).fit(rows[:120], rows[120:], **settings), rows


def predictor() -> Any:
    """From the raw table to predictions, and once more from its folder."""
    made, rows = whole("predictor")
    again = TabularPredictor.load("predictor")
    return [
        made.predict_proba(rows),
        again.predict_proba(rows),
        again.predict(rows),
        made.evaluate(rows, silent=True)["accuracy"],
        made.leaderboard(rows, silent=True)["score_test"],
        made.refit_full() and made.predict_proba(rows).shape,
    ]


def bagged() -> Any:
    """Two networks, each on half of the rows."""
    shutil.rmtree("bagged", ignore_errors=True)
    rows = table(ROWS)
    rows["wanted"] = labels(rows, "regression")
    made = TabularPredictor("wanted", path="bagged")
    made.fit(rows, hyperparameters={Ruled: SMALL}, num_bag_folds=2, verbosity=0)
    return made.predict(rows)


def tuned() -> Any:
    """A search over rates and widths: chance, so that it has only to run."""
    space = {"learning_rate": ag.space.Real(1e-3, 1e-1, log=True), "dropout_prob": 0.1}
    tries = {"num_trials": 2, "scheduler": "local", "searcher": "random"}
    made, rows = whole(
        "tuned", hyperparameters={"NN": {**SMALL, **space}}, hyperparameter_tune_kwargs=tries
    )
    return made.predict_proba(rows).shape
