"""States are checked when they are loaded: all of them are taken over, or nothing."""

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Parameter, Trainer, optimizer
from hy_gluon.lr_scheduler import (
    FactorScheduler,
    LRScheduler,
    MultiFactorScheduler,
    PolyScheduler,
)
from hy_gluon.optimizer import LBSGD, SGD, Nadam, Optimizer, StatesError, Updater, register
from hy_io import FileLimitError, Schedule, load_states, save_states
from hy_ndarray import NDArray, autograd, cpu, nd

OF_MXNET = Path(__file__).parents[1] / "io" / "data" / "states"


def trained(
    name: Any = "sgd", ctx: Any = None, on_store: bool | None = None, **options: Any
) -> Trainer:
    """A trainer after one step of a parameter of two ones."""
    weight = Parameter("weight", shape=(2,))
    weight.initialize("ones", ctx=ctx)
    settings = {"learning_rate": 0.5, **options}
    trainer = Trainer([weight], name, settings, update_on_kvstore=on_store)
    step(trainer)
    return trainer


def step(trainer: Trainer) -> None:
    (weight,) = trainer._params
    with autograd.record():
        losses = [(array * array).sum() for array in weight.list_data()]
    autograd.backward(losses)
    trainer.step(1)


def frozen(value: Any) -> Any:
    """A copy that can be compared: arrays as numbers."""
    if isinstance(value, NDArray):
        return value.asnumpy().tolist()
    if isinstance(value, dict):
        return {key: frozen(x) for key, x in value.items() if key != "param_dict"}
    if isinstance(value, tuple | list):
        return type(value)(map(frozen, value))
    if isinstance(value, LRScheduler):
        return id(value), frozen(vars(value))
    return copy.copy(value)


def everything(trainer: Trainer) -> Any:
    updaters = [
        (u.states_synced, u.aggregate_updates, id(u.optimizer), frozen(u.states))
        for u in trainer._updaters
    ]
    return id(trainer.optimizer), frozen(vars(trainer.optimizer)), frozen(updaters)


def refused(trainer: Trainer, path: Path, saved: Any, message: str) -> None:
    """The trainer refuses a file, and is as before."""
    save_states(path, saved)
    before = everything(trainer)
    with pytest.raises(StatesError, match=message) as caught:
        trainer.load_states(str(path))
    assert f"in file {path}" in caught.value.__notes__
    assert everything(trainer) == before
    step(trainer)


BAD: list[tuple[str, Any]] = [
    ("lr", "fast"),
    ("lr", float("nan")),
    ("lr", True),
    ("lr", None),
    ("lr", np.ones(1)),
    ("wd", None),
    ("momentum", [0.9]),
    ("rescale_grad", "1"),
    ("clip_gradient", "no"),
    ("num_update", -1),
    ("num_update", 1.5),
    ("num_update", 1 << 63),
    ("begin_num_update", "0"),
    ("aggregate_num", -4),
    ("_index_update_count", {0: -1}),
    ("_all_index_update_counts", {"cpu": {}}),
    ("_all_index_update_counts", {0: 3}),
    ("_all_index_update_counts", []),
    ("lr_mult", {"w": "x"}),
    ("wd_mult", None),
    ("idx2name", {0: 1}),
    ("sym_info", ({"w": 1}, ["w"])),
    ("sym_info", 5),
    ("sym_info", ({}, 5)),
    ("multi_precision", 2),
    ("lazy_update", "yes"),
    ("lr_scheduler", 3),
    ("lr_scheduler", Schedule("FactorScheduler", {"step": 1})),
    ("update", 1),
    ("_update_count", None),
    ("opt_registry", {}),
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=[f"{n}={v!r}"[:40] for n, v in BAD])
def test_settings_that_cannot_be_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    trainer = trained(momentum=0.9)
    path = tmp_path / "a.states"
    trainer.save_states(str(path))
    saved = load_states(path)
    saved["optimizer"]["values"] |= {"wd": 7.0, name: value}
    saved["states"] = {0: np.full(2, 7.0)}
    refused(trainer, path, saved, name if name != "lr_scheduler" else "base_lr|lr_scheduler|step")


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ([], "not optimizer states"),
        ({"optimizer": None}, "not optimizer states"),
        ({"states": [], "optimizer": None}, "not optimizer states"),
        ({"states": {}, "optimizer": {}}, "without name or settings"),
        ({"states": {}, "optimizer": {"name": "sgd"}}, "without name or settings"),
        ({"states": {}, "optimizer": {"name": 1, "values": {}}}, "without name or settings"),
        ({"states": {}, "optimizer": {"name": "sgd", "values": []}}, "without name or settings"),
        ({"states": {}, "optimizer": {"name": "none", "values": {}}}, "of an optimizer 'none'"),
        ({"states": {}, "optimizer": {"name": "sgd", "values": {1: 2}}}, "set '1', which is no"),
        (
            {"states": {0: Schedule("X", {})}, "optimizer": None},
            "schedule X in the place of an array",
        ),
    ],
)
def test_files_of_another_structure_are_refused(tmp_path: Path, saved: Any, message: str) -> None:
    refused(trained(), tmp_path / "a.states", saved, message)


SCHEDULES: list[tuple[str, Any]] = [
    ("base_lr", "high"),
    ("step", 0),
    ("step", 1e-300),
    ("step", [1]),
    ("factor", 2),
    ("factor", -1e308),
    ("count", -(1 << 62)),
    ("warmup_steps", -1),
    ("warmup_mode", "quick"),
    ("stop_factor_lr", None),
    ("get_warmup_lr", 1),
]


@pytest.mark.parametrize(("name", "value"), SCHEDULES, ids=[f"{n}={v}" for n, v in SCHEDULES])
@pytest.mark.parametrize("present", [True, False], ids=["present", "absent"])
def test_schedules_that_cannot_be_are_refused(
    tmp_path: Path, name: str, value: Any, present: bool
) -> None:
    first = trained(lr_scheduler=FactorScheduler(2, 0.5, base_lr=0.5))
    path = tmp_path / "a.states"
    first.save_states(str(path))
    saved = load_states(path)
    saved["optimizer"]["values"]["lr_scheduler"].values[name] = value
    saved["optimizer"]["values"]["wd"] = 7.0
    refused(first if present else trained(), path, saved, name)


@pytest.mark.parametrize(
    "state",
    [
        None,
        "fast",
        1.0,
        {0: np.ones(2)},
        (),
        (None, None),
        (np.ones(2), None),
        (np.ones(2), (np.ones(2),)),
    ],
    ids=repr,
)
def test_states_that_the_optimizer_does_not_make_are_refused(tmp_path: Path, state: Any) -> None:
    trainer = trained(momentum=0.9)
    path = tmp_path / "a.states"
    refused(
        trainer,
        path,
        {"states": {0: state}, "optimizer": None},
        "of parameter 0 have another structure",
    )
    trainer.save_states(str(path))
    refused(
        trainer,
        path,
        {**load_states(path), "states": {0: state}},
        "of parameter 0 have another structure",
    )


def test_an_endless_way_to_the_saved_count_is_not_walked() -> None:
    schedule = FactorScheduler(1, 1 - 1e-9, stop_factor_lr=0.0, base_lr=1.0)
    assert schedule(1 << 62) == 0.0
    assert schedule.count == (1 << 62) - 1
    nadam = Nadam()
    nadam._all_index_update_counts[0][0] = 1 << 62
    weight = nd.ones((2,))
    nadam.update(0, weight, nd.ones((2,)), nadam.create_state(0, weight))
    assert np.isfinite(weight.asnumpy()).all()


def test_several_steps_of_a_schedule_at_once_are_those_one_by_one() -> None:
    at_once, one_by_one = (FactorScheduler(3, 0.7, 1e-3, base_lr=2.0) for _ in range(2))
    rates = [one_by_one(n) for n in range(1, 41)]
    assert at_once(40) == pytest.approx(rates[-1], rel=1e-14)
    assert at_once.count == one_by_one.count == 39


def test_what_another_optimizer_needs_is_checked(tmp_path: Path) -> None:
    updater = Updater(LBSGD(batch_scale=2))
    updater(0, nd.ones((2,)), nd.ones((2,)))
    path = tmp_path / "a.states"
    path.write_bytes(updater.get_states(dump_optimizer=True))
    for name, value in (("cumgrads", {0: {}}), ("cumgrads", {0: 1}), ("batch_scale", 0)):
        saved = load_states(path)
        saved["optimizer"]["values"][name] = value
        refused(trained(), tmp_path / "b.states", saved, name)
    saved = load_states(path)
    saved["optimizer"]["values"]["aggregate_num"] = 4  # LBSGD takes one weight at a time
    refused(trained(), tmp_path / "b.states", saved, "aggregate_num")


def test_a_curve_that_its_schedule_would_leave_is_refused(tmp_path: Path) -> None:
    trainer = trained(lr_scheduler=PolyScheduler(9, base_lr=0.5, pwr=0.5))
    path = tmp_path / "a.states"
    trainer.save_states(str(path))
    saved = load_states(path)
    saved["optimizer"]["values"]["lr_scheduler"].values["max_steps"] = 1
    refused(trainer, path, saved, "max_steps")


# What MXNet 1.9.1 had before the states were saved, and four steps of the same gradient later.
LARGE_BATCHES = {
    "lbsgd": ([0.4974687099456787, 2.9277501106262207], [-0.7575634717941284, 5.244732856750488]),
    "lbsgd_half": ([0.51708984375, 2.890625], [-0.5107421875, 4.7890625]),
}


@pytest.mark.parametrize("name", LARGE_BATCHES)
def test_sums_of_batches_of_mxnet_go_on(name: str) -> None:
    before, after = LARGE_BATCHES[name]
    dtype = "float16" if "half" in name else "float32"
    updater = Updater(LBSGD())
    updater.set_states((OF_MXNET / f"{name}.states").read_bytes())
    weight = nd.array(before, dtype=dtype)
    for _ in range(4):
        updater(0, nd.array([0.25, -0.5], dtype=dtype), weight)
    np.testing.assert_allclose(weight.asnumpy(), after, rtol=1e-3 if "half" in name else 1e-6)


def test_a_users_refusal_leaves_its_optimizer(tmp_path: Path) -> None:
    class Picky(SGD):
        def __setstate__(self, state: dict[str, Any]) -> None:
            super().__setstate__(state)
            if self.wd == 7.0:
                raise KeyError("wd")

    register(Picky)
    try:
        trainer = trained("picky", wd=1.0)
        path = tmp_path / "a.states"
        trainer.save_states(str(path))
        saved = load_states(path)
        saved["optimizer"]["values"]["wd"] = 7.0
        refused(trainer, path, saved, r"Picky\.__setstate__ refuses the saved settings: 'wd'")
    finally:
        del Optimizer.opt_registry["picky"]


class Kept(Optimizer):
    """Keeps the factor of gradients as an array, as GluonNLP's BERTAdam does."""

    def create_state(self, index: Any, weight: Any) -> Any:
        del index
        return nd.zeros(weight.shape)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._update_count(index)
        self.rescale_grad = nd.array([self.rescale_grad])  # type: ignore[assignment]  # as there
        state += grad * self.rescale_grad
        weight -= self._get_lr(index) * state


class OfMXNet:
    """What is pickled in the place of an optimizer."""


@pytest.fixture
def kept() -> Iterator[None]:
    register(Kept)
    yield
    del Optimizer.opt_registry["kept"]


@pytest.mark.usefixtures("kept")
def test_an_optimizer_may_keep_its_scale_as_an_array(tmp_path: Path) -> None:
    trainer = trained("kept")
    trainer.save_states(str(tmp_path / "a.states"))
    step(trainer)
    trainer.load_states(str(tmp_path / "a.states"))
    assert frozen(trainer.optimizer.rescale_grad) == [1.0]
    assert frozen(trainer._updaters[0].states) == {0: [2.0, 2.0]}
    step(trainer)
    saved = load_states(tmp_path / "a.states")
    for wrong in (np.ones(2, np.float32), "1"):
        saved["optimizer"]["values"]["rescale_grad"] = wrong
        refused(trainer, tmp_path / "b.states", saved, "set rescale_grad of Kept")
    saved["optimizer"] |= {"name": "sgd"}
    saved["optimizer"]["values"]["rescale_grad"] = np.ones(1, np.float32)
    refused(trained(), tmp_path / "b.states", saved, "set rescale_grad of SGD")


@pytest.mark.usefixtures("kept")
def test_a_pickle_of_mxnet_may_hold_an_optimizer_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Any = OfMXNet()
    made.wd, made.num_update = 0.25, 7
    content = pickle.dumps(({0: None}, made))
    trainer = trained("kept")
    before = everything(trainer)
    (tmp_path / "a.states").write_bytes(content)
    with pytest.raises(StatesError, match=r"not '.* OfMXNet'"):
        trainer.load_states(str(tmp_path / "a.states"))
    assert everything(trainer) == before
    (tmp_path / "a.states").write_bytes(content.replace(b"\x07OfMXNet", b"\x04Kept"))
    trainer.load_states(str(tmp_path / "a.states"))
    assert (trainer.optimizer.wd, trainer.optimizer.num_update) == (0.25, 7)


def test_every_context_gets_states_of_its_own(tmp_path: Path) -> None:
    trainer = trained(ctx=[cpu(0), cpu(1)], on_store=False, momentum=0.9)
    trainer.save_states(str(tmp_path / "a.states"))
    step(trainer)
    trainer.load_states(str(tmp_path / "a.states"))
    first, second = (updater.states[0] for updater in trainer._updaters)
    assert first.asnumpy().tolist() == second.asnumpy().tolist()
    first[:] = 0
    assert second.asnumpy().any()
    assert all(updater.optimizer is trainer.optimizer for updater in trainer._updaters)


def test_the_schedule_that_is_there_goes_on(tmp_path: Path) -> None:
    schedule = MultiFactorScheduler([2, 4], 0.5, base_lr=0.5)
    trainer = trained(lr_scheduler=schedule)
    trainer.save_states(str(tmp_path / "a.states"))
    for _ in range(3):
        step(trainer)
    assert schedule.cur_step_ind == 1
    trainer.load_states(str(tmp_path / "a.states"))
    assert trainer.optimizer.lr_scheduler is schedule
    assert schedule.cur_step_ind == 0


def test_row_sparse_states_of_mxnet_are_dense() -> None:
    updater = Updater(SGD(momentum=0.9))
    updater.set_states((OF_MXNET / "row_sparse.states").read_bytes())
    assert updater.states[0].asnumpy().tolist() == [[0, 1], [0, 0]]


def test_the_limit_of_files_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trained()
    before = everything(trainer)
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "0")
    content = (OF_MXNET / "row_sparse.states").read_bytes()
    wide = content.replace(
        b"\x02" + b"\0" * 7 + b"\x02" + b"\0" * 7, b"\0\0\0\1" + b"\0" * 4 + b"\x02" + b"\0" * 7
    )
    assert wide != content
    (tmp_path / "a.states").write_bytes(wide)
    with pytest.raises(FileLimitError) as caught:
        trainer.load_states(str(tmp_path / "a.states"))
    assert caught.value.__notes__ == [f"in file {tmp_path / 'a.states'}"]
    assert everything(trainer) == before


def test_settings_that_a_user_added_come_back() -> None:
    first = SGD()
    first.note = {"a": [1, 2]}  # type: ignore[attr-defined]  # users add attributes
    second = Updater(SGD())
    second.set_states(Updater(first).get_states(dump_optimizer=True))
    assert second.optimizer.note == {"a": [1, 2]}  # type: ignore[attr-defined]


def test_states_by_rows_of_a_matrix_can_be_loaded() -> None:
    first = Updater(optimizer.create("groupadagrad"))
    first(0, nd.ones((2, 3)), nd.ones((2, 3)))
    second = Updater(optimizer.create("groupadagrad"))
    second.set_states(first.get_states())
    assert frozen(second.states) == frozen(first.states) == {0: [[1.0], [1.0]]}
