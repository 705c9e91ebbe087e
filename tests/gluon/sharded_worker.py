"""Programs of workers that share states: each line of names and folders is answered by JSON."""

import gc
import json
import os
import signal
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hy_gluon import Trainer, TrainStep, nn
from hy_gluon.contrib.estimator import CheckpointHandler, Estimator
from hy_gluon.data import ArrayDataset, DataLoader
from hy_gluon.kvstore import WorkerError
from hy_gluon.kvstore.sharded import ShardedKVStore
from hy_gluon.kvstore.sharded_sums import ShardedSums
from hy_gluon.kvstore.waiting import wait_for
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.loss_scaler import LossScaler
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.metric import Loss
from hy_gluon.optimizer import StatesError
from hy_gluon.optimizer.registry import OWN
from hy_gluon.optimizer.rule import arrays_in
from hy_ndarray import autograd, nd, random

sharded_files: Any = import_module("hy_gluon.kvstore.sharded_files")
sharded_sums: Any = import_module("hy_gluon.kvstore.sharded_sums")
workers: Any = import_module("hy_gluon.kvstore.workers")
ROWS = 12
"""Rows of a batch, which 1, 2 and 3 workers share evenly."""
SETTINGS: dict[str, dict[str, Any]] = {
    "adam": {"wd": 0.01},
    "sgd": {"momentum": 0.9},
    "ccsgd": {"momentum": 0.9},
    "dcasgd": {"momentum": 0.9},
    "lars": {"momentum": 0.9},
    "lbsgd": {"momentum": 0.9, "batch_scale": 2},
}
OPTIMIZERS = [*sorted(map(str.lower, OWN)), "groupadagrad"]
DTYPES = {"muon": "float64"}
"""Muon's polynomial makes rounding errors of small singular values up to 3.4**5 times larger."""
RESUMED = [
    ("adam", "float32"),
    ("adam", "float16"),
    ("adam", "bfloat16"),
    ("lamb", "float32"),
    ("lars", "float32"),
    ("lbsgd", "float32"),
    ("muon", "float32"),
    ("nadam", "float32"),
    ("schedulefreeadamw", "float32"),
]
"""Optimizers and dtypes of trainings that are saved, and go on with other numbers of workers."""


def place() -> tuple[int, int]:
    """The rank of this process, and the number of workers."""
    return int(os.environ.get("DMLC_WORKER_ID", "0")), int(os.environ.get("DMLC_NUM_WORKER", "1"))


class Training:
    """A net that learns from this worker's rows of each batch."""

    def __init__(
        self,
        optimizer: str,
        dtype: str = "float32",
        *,
        max_norm: float | None = None,
        units: tuple[int, int] = (6, 8),
    ) -> None:
        random.seed(0)
        self.net = nn.HybridSequential(prefix="net_")
        only_matrices = optimizer == "groupadagrad"
        with self.net.name_scope():
            self.net.add(nn.Dense(8, in_units=units[0], use_bias=not only_matrices))
            self.net.add(nn.Activation("tanh") if only_matrices else nn.PReLU())
            self.net.add(nn.Dense(3, in_units=units[1], use_bias=not only_matrices))
        self.net.initialize("xavier")
        self.net.cast(dtype)
        self.net.hybridize()
        scheduler = FactorScheduler(step=3, factor=0.5, base_lr=0.05)
        settings = {"learning_rate": 0.05, "lr_scheduler": scheduler, **SETTINGS.get(optimizer, {})}
        if dtype != "float32":
            settings["multi_precision"] = True
        parameters = list(self.net.collect_params().values())
        kvstore = "sharded" if place()[1] > 1 else None
        self.trainer = Trainer(parameters, optimizer, settings, kvstore=kvstore, max_norm=max_norm)
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
                more = [nd.array([self.factor])] * (step.loss == self.scaled_loss)
                losses.append(float(step(data, label, *more, batch_size=ROWS).sum().asscalar()))
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

    def scaled_loss(self, y: Any, label: Any, factor: Any) -> Any:
        """The loss times an argument."""
        return self.loss(y, label) * factor.astype(self.dtype)

    def weights(self) -> list[float]:
        values = [p.data().astype("float64").asnumpy() for p in self.trainer._params]
        return [float(x) for value in values for x in value.ravel()]

    def state_bytes(self) -> int:
        updater = self.trainer._updaters[0]
        kept = [array for state in updater.states.values() for array in arrays_in(state)]
        return sum(array.size * np.dtype(array.dtype).itemsize for array in kept)


def trains(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in OPTIMIZERS:
        training = Training(name, DTYPES.get(name, "float32"))
        losses = training.steps(0, 5)
        found[name] = [training.weights(), training.state_bytes(), losses]
    half = Training("adam", "float16")
    half.steps(0, 4)
    found["half"] = [half.weights(), half.state_bytes()]
    return found


def clips(folder: Path) -> dict[str, Any]:
    """Gradients that are clipped by their norm, and whether each worker updates its rows."""
    training = Training("adam", max_norm=0.05)
    training.steps(0, 3)
    explained = training.trainer.explain()
    return {
        "weights": training.weights(),
        "bytes": training.state_bytes(),
        "explained": explained,
    }


def averages(folder: Path) -> dict[str, Any]:
    """Averaged weights, also with a step in the midst, and those of before."""
    found = {}
    for name in ("schedulefreesgd", "schedulefreeadamw"):
        training = Training(name)
        rule: Any = training.trainer.optimizer
        training.steps(0, 3)
        before = training.weights()
        with rule.averaged(training.trainer):
            mean = training.weights()
            training.steps(3, 4)
        found[name] = [mean, training.weights() == before]
    return found


def overlaps(folder: Path) -> dict[str, Any]:
    """Steps whose sums begin in the backward pass, and the same ones with sums after it."""
    found: dict[str, Any] = {}
    options: dict[str, dict[str, Any]] = {
        "plain": {}, "clipped": {"max_norm": 0.05}, "accumulated": {}, "bfloat16": {}
    }  # fmt: skip
    for name, of_training in options.items():
        dtype = name if name == "bfloat16" else "float32"
        accumulate = 3 if name == "accumulated" else 1
        weights, found[name] = [], {}
        for inside in (True, True, False):
            ShardedKVStore.overlaps_sums = inside
            training = Training("adam", dtype, **of_training)
            step = TrainStep(training.net, training.loss, training.trainer, accumulate=accumulate)
            with _gradients_apart() as events:
                losses = training.steps(0, 6, step)
            explained = step.explain(nd.ones((1, 6), dtype=dtype), nd.ones((1,), dtype=dtype))
            weights.append(training.weights())
            if inside:
                found[name] |= {"events": events, "losses": losses, "weights": weights[0]}
                found[name] |= {"bytes": training.state_bytes(), "explained": explained}
        found[name]["same"] = weights[0] == weights[1] == weights[2]
    ShardedKVStore.overlaps_sums = True
    return found


@contextmanager
def _gradients_apart() -> Iterator[list[str]]:
    """Sum each gradient by itself, and note when it is computed and when its sums begin."""
    events: list[str] = []
    add, begin, size = ShardedSums.add, workers.Workers.begin_sum, sharded_sums._GROUP_BYTES

    def noted_add(self: ShardedSums, number: int) -> None:
        if self._group_of[number].missing:
            events.append("gradient")
        add(self, number)

    def noted_begin(self: Any, arrays: Any, rank: int) -> Any:
        events.append("sum")
        return begin(self, arrays, rank)

    patched: Any = ShardedSums
    patched.add, workers.Workers.begin_sum, sharded_sums._GROUP_BYTES = noted_add, noted_begin, 1
    try:
        yield events
    finally:
        patched.add, workers.Workers.begin_sum, sharded_sums._GROUP_BYTES = add, begin, size


def skips(folder: Path) -> dict[str, Any]:
    """Steps in which some parameters have no gradient, on all workers or on one of them."""
    training = Training("lamb")
    training.steps(0, 2)
    first, last = training.net[0], training.net[2]
    for k, layers in enumerate(([first], [last], [first, last], [last])):
        with autograd.record():
            outputs = [layer(nd.ones((2, 6 if layer is first else 8))) for layer in layers]
            loss = sum((x * x).sum() for x in outputs)
        loss.backward()
        # A worker without gradients adds zeros.
        if k == 3 and place()[0]:  # the last of them
            autograd.set_stale(*(p.data() for p in training.trainer._params))
        training.trainer.step(place()[1] if k < 3 else 1, ignore_stale_grad=True)
    return {"weights": training.weights(), "bytes": training.state_bytes()}


def saves(folder: Path) -> dict[str, Any]:
    found = {}
    for name, dtype in RESUMED:
        training = Training(name, dtype)
        training.steps(0, 4)
        target, params = str(folder / f"{name}.{dtype}"), training.net.collect_params()
        training.trainer._init_kvstore()
        training.store.save_checkpoint(target, params)
        training.steps(4, 5)
        training.store.save_checkpoint(target, params)  # in the place of the first one
        losses = training.steps(5, 8)
        weights = training.weights()
        training.store.load_checkpoint(target, params)  # back, in the midst of the training
        again = training.steps(5, 8) == losses and training.weights() == weights
        found[f"{name}.{dtype}"] = {"losses": losses, "weights": weights, "again": again}
    return found


def resumes(folder: Path) -> dict[str, Any]:
    found = {}
    for name, dtype in RESUMED:
        training = Training(name, dtype)
        training.trainer._init_kvstore()
        params = training.net.collect_params()
        training.store.load_checkpoint(str(folder / f"{name}.{dtype}"), params)
        count = training.trainer.optimizer.num_update
        losses = training.steps(5, 8)
        found[f"{name}.{dtype}"] = {
            "losses": losses,
            "weights": training.weights(),
            "count": count,
        }
    return found


def saves_apart(folder: Path) -> dict[str, Any]:
    """Parameters and states in files of their own, and what is said where a part is missing."""
    training = Training("adam")
    training.steps(0, 2)
    states, params = str(folder / "net.states"), str(folder / "net")
    training.trainer.save_states(states)
    named = training.net.collect_params()
    training.store.save_parameters(params, named)  # its name begins that of the other one
    weights = training.weights()
    other = Training("adam")
    other.trainer._init_kvstore()
    other.trainer.load_states(states)
    other.store.load_parameters(params, other.net.collect_params())
    text = ""
    try:
        other.trainer.load_states(params)
    except StatesError as error:
        text = str(error)
    return {"same": other.weights() == weights, "error": text}


def estimates(folder: Path) -> dict[str, Any]:
    """An estimator with checkpoints, and another one that goes on from them."""

    def fitted(epochs: int) -> tuple[Training, list[str]]:
        training = Training("adam", units=(0, 0))  # shapes come with the first batch, or a file
        estimator = Estimator(
            training.net, training.loss, train_metrics=Loss(), trainer=training.trainer
        )
        estimator.logger.handlers.clear()
        handler = CheckpointHandler(
            folder,
            monitor=estimator.train_metrics[0],
            save_best=True,
            max_checkpoints=1,
            resume_from_checkpoint=True,
        )
        draw = np.random.default_rng(place()[0])
        rows, labels = draw.normal(size=(8, 6)), draw.integers(0, 3, 8)
        data = ArrayDataset(rows.astype(np.float32), labels.astype(np.float32))
        estimator.fit(DataLoader(data, batch_size=4), epochs=epochs, event_handlers=[handler])
        return training, sorted(path.name for path in folder.iterdir())

    fitted(2)
    training, files = fitted(3)
    return {"files": files, "steps": training.trainer.optimizer.num_update}


def breaks(folder: Path) -> dict[str, Any]:
    """A worker ends, or is interrupted, in the midst of the training; the others hear of it.

    How it does is the name of the folder: by a signal, within a collective operation, or while it
    writes a file of a checkpoint or the index.
    """
    training = Training("adam")
    training.steps(0, 2)
    target, params = str(folder / "net.checkpoint"), training.net.collect_params()
    training.store.save_checkpoint(target, params)
    how, rank, step = folder.name, place()[0], None
    if how in ("kill", "interrupt") and rank == 1:
        os.kill(os.getpid(), signal.SIGKILL if how == "kill" else signal.SIGINT)
    if (how, rank) in (("part", 1), ("index", 0)):
        sharded_files.atomic_write = _killed_while_it_writes(how)
    try:
        if how == "waits" and rank == 1:
            print("waits", flush=True)  # noqa: T201
            sys.stdin.read()  # so the others wait in a collective operation
        elif how == "waits":
            workers.wait_for = _announced
        elif how == "differentiates":
            step = TrainStep(training.net, training.loss, training.trainer)
            patched: Any = ShardedSums
            patched.add = _late_add if rank == 1 else _interrupted_add
        training.steps(2, 4, step)
        training.store.save_checkpoint(target, params)
    except WorkerError as error:
        return {"error": str(error)}
    except KeyboardInterrupt:
        return {"error": "interrupted"}
    return {"error": None}


def _announced(work: Any) -> None:
    """Tell the test that this worker waits now."""
    print("waits", flush=True)  # noqa: T201
    wait_for(work)


def _late_add(sums: ShardedSums, number: int) -> None:
    """Hold the backward pass, so that the others' sums do not end."""
    sys.stdin.read()
    _add(sums, number)


def _interrupted_add(sums: ShardedSums, number: int) -> None:
    """Interrupt this worker in its backward pass, with the first sums under way."""
    sharded_sums._GROUP_BYTES = 1
    _add(sums, number)
    if sums.is_pending:
        os.kill(os.getpid(), signal.SIGINT)


_add = ShardedSums.add


def _killed_while_it_writes(what: str) -> Any:
    """What writes half of a file, if it is a part or the index, and kills this process."""
    write = sharded_files.atomic_write

    @contextmanager
    def killed(path: Path) -> Iterator[Any]:
        with write(path) as file:
            if ("-of-" in path.name) == (what == "part"):
                file.write(b"half")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            yield file

    return killed


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
    found = {}
    for name in ("loop", "whole"):
        training = Training("adam", "float16")
        scaler = training.trainer._amp_loss_scaler = LossScaler(2.0**12)
        whole = None
        if name == "whole":
            whole = TrainStep(training.net, training.scaled_loss, training.trainer)
        training.steps(0, 1, whole)
        before, scales = training.weights(), [scaler.loss_scale]
        training.factor = float("inf") if place()[0] == place()[1] - 1 else 1.0
        training.steps(1, 2, whole)
        scales.append(scaler.loss_scale)
        same = training.weights() == before
        training.factor = 1.0
        training.steps(2, 3, whole)
        scales.append(scaler.loss_scale)
        found[name] = {"scales": scales, "same": same, "weights": training.weights()}
    return found


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
    training.store.barrier()
    files = sorted(path.name for path in folder.iterdir())
    return {"error": text, "same": target.read_bytes() == before, "files": len(files)}


PROGRAMS: dict[str, Callable[[Path], dict[str, Any]]] = {
    each.__name__: each
    for each in (
        trains, overlaps, clips, averages, skips, saves, resumes, saves_apart, estimates, rests,
        overflows, uses_alone, breaks, fails_to_write,
    )
}  # fmt: skip

if __name__ == "__main__":
    for line in iter(sys.stdin.readline, ""):
        name, folder = json.loads(line)
        print(json.dumps(PROGRAMS[name](Path(folder))), flush=True)  # noqa: T201
