"""Programs of workers that share states: ``python sharded_worker.py NAME FOLDER`` prints JSON."""

import gc
import json
import os
import signal
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hy_gluon import Trainer, TrainStep, nn
from hy_gluon.kvstore import WorkerError
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.loss_scaler import LossScaler
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.optimizer.rule import arrays_in
from hy_ndarray import autograd, nd, random

ROWS = 12
"""Rows of a batch, which 1, 2 and 3 workers share evenly."""
OPTIMIZERS: dict[str, dict[str, Any]] = {
    "adam": {"wd": 0.01},
    "sgd": {"momentum": 0.9},
    "lamb": {},
    "lbsgd": {},
}


def place() -> tuple[int, int]:
    """The rank of this process, and the number of workers."""
    return int(os.environ.get("DMLC_WORKER_ID", "0")), int(os.environ.get("DMLC_NUM_WORKER", "1"))


class Training:
    """A net that learns from this worker's rows of each batch."""

    def __init__(self, optimizer: str, dtype: str = "float32") -> None:
        random.seed(0)
        self.net = nn.HybridSequential(prefix="net_")
        with self.net.name_scope():
            self.net.add(nn.Dense(8, in_units=6, activation="tanh"), nn.Dense(3, in_units=8))
        self.net.initialize("xavier")
        self.net.cast(dtype)
        self.net.hybridize()
        scheduler = FactorScheduler(step=3, factor=0.5, base_lr=0.05)
        settings = {"learning_rate": 0.05, "lr_scheduler": scheduler, **OPTIMIZERS[optimizer]}
        if dtype != "float32":
            settings["multi_precision"] = True
        parameters = list(self.net.collect_params().values())
        kvstore = "sharded" if place()[1] > 1 else None
        self.trainer = Trainer(parameters, optimizer, settings, kvstore=kvstore)
        self.dtype = dtype
        self.loss = SoftmaxCrossEntropyLoss()
        self.factor = 1.0

    @property
    def store(self) -> Any:
        """The store of several workers."""
        return self.trainer._kvstore

    def steps(self, first: int, end: int, step: TrainStep | None = None) -> list[float]:
        """Train with some batches; the losses of this worker's rows."""
        rank, count = place()
        losses = []
        for k in range(first, end):
            draw = np.random.default_rng(k)
            rows = slice(rank * ROWS // count, (rank + 1) * ROWS // count)
            data = nd.array(draw.normal(size=(ROWS, 6))[rows], dtype=self.dtype)
            label = nd.array(draw.integers(0, 3, ROWS)[rows], dtype=self.dtype)
            if step is not None:
                losses.append(float(step(data, label, batch_size=ROWS).sum().asscalar()))
                continue
            with autograd.record():
                loss = self.loss(self.net(data), label)
                scaler = self.trainer._amp_loss_scaler
                scale = 1.0 if scaler is None else scaler.loss_scale
                self.trainer._scale = 1.0 / scale
                scaled = loss * (scale * self.factor)
            scaled.backward()
            self.trainer.step(ROWS)
            losses.append(float(loss.astype("float64").sum().asscalar()))
        return losses

    def weights(self) -> list[float]:
        values = [p.data().astype("float64").asnumpy() for p in self.trainer._params]
        return [float(x) for value in values for x in value.ravel()]

    def state_bytes(self) -> int:
        store = self.trainer._kvstore
        updater = self.trainer._updaters[0] if store is None else store.updater  # type: ignore[attr-defined]
        kept = [array for state in updater.states.values() for array in arrays_in(state)]
        return sum(array.size * np.dtype(array.dtype).itemsize for array in kept)


def trains(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in OPTIMIZERS:
        training = Training(name)
        losses = training.steps(0, 5)
        found[name] = [training.weights(), training.state_bytes(), losses]
    half = Training("adam", "float16")
    half.steps(0, 4)
    found["half"] = [half.weights(), half.state_bytes()]
    return found


def saves(folder: Path) -> dict[str, Any]:
    training = Training("adam")
    training.steps(0, 4)
    training.trainer.save_states(str(folder / "net.states"))
    training.steps(4, 5)
    training.trainer.save_states(str(folder / "net.states"))  # in the place of the first ones
    training.store.save_parameters(str(folder / "net.params"), training.net.collect_params())
    return {"losses": training.steps(5, 8), "weights": training.weights()}


def resumes(folder: Path) -> dict[str, Any]:
    training = Training("adam")
    training.trainer._init_kvstore()
    training.store.load_parameters(str(folder / "net.params"), training.net.collect_params())
    training.trainer.load_states(str(folder / "net.states"))
    count = training.trainer.optimizer.num_update
    losses = training.steps(5, 8)
    return {"losses": losses, "weights": training.weights(), "count": count}


def breaks(folder: Path) -> dict[str, Any]:
    """Worker 1 ends, or is interrupted, in the midst of the training; the others hear of it."""
    training = Training("adam")
    training.steps(0, 2)
    training.trainer.save_states(str(folder / "net.states"))
    if place()[0] == 1:
        print("ready", flush=True)  # noqa: T201  # for the test that waits
        how = sys.stdin.readline().strip()
        os.kill(os.getpid(), signal.SIGKILL if how == "kill" else signal.SIGINT)
    try:
        training.steps(2, 4)
        training.trainer.save_states(str(folder / "net.states"))
    except WorkerError as error:
        return {"error": str(error)}
    return {"error": None}


def rests(folder: Path) -> dict[str, Any]:
    """What is left of weights and gradients between the steps, and what comes back."""
    found: dict[str, Any] = {}
    for name in ("eager", "hybridized", "static", "whole"):
        training = Training("adam")
        static = name == "static"
        training.net.hybridize(name != "eager", static_alloc=static, static_shape=static)
        step = TrainStep(training.net, training.loss, training.trainer)
        training.steps(0, 2, step if name == "whole" else None)
        params = training.trainer._params
        gathered = [p._gather is None for p in params]
        before = [weakref.ref(array.buffer) for p in params for array in (p.data(), p.grad())]
        arrays = [p.data() for p in params]
        training.steps(2, 4, step if name == "whole" else None)
        gc.collect()
        nans = [bool(np.isnan(array.asnumpy()).all()) for array in arrays]
        alive = sum(each() is not None for each in before)
        kept = [training.store._parameters.own_values(p) for p in params]
        sizes = [0 if rows is None else int(rows.size) for rows in kept]
        same = [p.data() is array for p, array in zip(params, arrays, strict=True)]
        total = sum(int(array.size) for array in arrays)
        shown = [any(gathered), all(nans), alive, sum(sizes), total, all(same)]
        found[name] = [shown, training.weights()]
    return found


def overflows(folder: Path) -> dict[str, Any]:
    """Mixed precision whose loss scale is too large at first on one worker alone."""
    training = Training("adam", "float16")
    scaler = training.trainer._amp_loss_scaler = LossScaler(2.0**12)
    training.steps(0, 1)
    before, scales = training.weights(), [scaler.loss_scale]
    training.factor = float("inf") if place()[0] == place()[1] - 1 else 1.0
    training.steps(1, 2)
    scales.append(scaler.loss_scale)
    same = training.weights() == before
    training.factor = 1.0
    training.steps(2, 3)
    scales.append(scaler.loss_scale)
    return {"scales": scales, "same": same, "weights": training.weights()}


def uses_alone(folder: Path) -> dict[str, Any]:
    """Worker 0 reads a weight where the other ones wait: all are told."""
    training = Training("adam")
    training.steps(0, 2)
    try:
        if place()[0] == 0:
            training.net[0].weight.data()
        training.store.barrier()
    except WorkerError as error:
        return {"error": str(error)}
    return {"error": None}


def fails_to_write(folder: Path) -> dict[str, Any]:
    """Worker 1 cannot write its part: nobody's takes the place of the old ones."""
    training = Training("adam")
    training.steps(0, 2)
    target = folder / "net.states"
    training.trainer.save_states(str(target))
    before = target.read_bytes()
    if place()[0] == 1:
        training.trainer.optimizer.odd = object()  # type: ignore[attr-defined]
    text = ""
    try:
        training.trainer.save_states(str(target))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    training.trainer._kvstore.barrier()  # type: ignore[union-attr]
    files = sorted(path.name for path in folder.iterdir())
    return {"error": text, "same": target.read_bytes() == before, "files": len(files)}


PROGRAMS: dict[str, Callable[[Path], dict[str, Any]]] = {
    each.__name__: each
    for each in (trains, saves, resumes, rests, overflows, uses_alone, breaks, fails_to_write)
}

if __name__ == "__main__":
    print(json.dumps(PROGRAMS[sys.argv[1]](Path(sys.argv[2]))))  # noqa: T201
