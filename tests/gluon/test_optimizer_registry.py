"""Optimizers by name: hy's own are loaded when they are asked for, programs' own as registered."""

import subprocess
import sys

import pytest

from hy_gluon.optimizer import Optimizer, contrib
from hy_gluon.optimizer.registry import OWN

_STEP = """
import sys
from hy_gluon import Parameter, Trainer
from hy_ndarray import autograd
weight = Parameter("weight", shape=(2,))
weight.initialize("ones")
trainer = Trainer([weight], "nag", {"momentum": 0.9})
with autograd.record():
    loss = weight.data().sum()
loss.backward()
trainer.step(1)
"""


def run(program: str) -> str:
    """What a program prints in a process of its own."""
    done = subprocess.run(  # noqa: S603  # our own
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return done.stdout


def test_a_step_loads_its_own_optimizer_and_no_store() -> None:
    names = [f"hy_gluon.{name}" for name in ("lr_scheduler", "kvstore.kvstore")]
    names += [f"hy_gluon.optimizer.{name}" for name in ("sgd", "adam", "adaptive", "states")]
    found = run(f"{_STEP}\nprint(*[name for name in {names} if name in sys.modules])")
    assert found.split() == ["hy_gluon.optimizer.sgd"]


def test_states_are_written_and_read_after_a_step() -> None:
    program = f"{_STEP}\nupdater = trainer._updaters[0]\nstates = updater.get_states(True)"
    program += "\nupdater.set_states(states)\nprint(updater.states[0].asnumpy())"
    assert run(program) == "[-0.01 -0.01]\n"


def test_every_class_is_registered_by_its_name() -> None:
    registered = Optimizer.opt_registry
    for name in OWN:
        assert registered[name.lower()].__name__ == name
    assert registered["groupadagrad"] is contrib.GroupAdaGrad


def test_a_class_of_a_program_takes_the_name_of_one_that_was_not_loaded() -> None:
    program = """
import warnings
from hy_gluon import optimizer
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    @optimizer.register
    class Adam(optimizer.Optimizer):
        pass
print(*[str(warning.message)[:27] for warning in caught])
print(type(optimizer.create("adam")) is optimizer.Optimizer.opt_registry["adam"] is Adam)
print(optimizer.Adam is Adam)
"""
    assert run(program).splitlines() == ["optimizer 'adam' is now <cl", "True", "False"]


def test_a_name_that_is_let_go_of_is_unknown() -> None:
    kept = Optimizer.opt_registry.pop("test")
    try:
        with pytest.raises(ValueError, match="Cannot find optimizer test; known: adabelief, "):
            Optimizer.create_optimizer("test")
    finally:
        Optimizer.opt_registry["test"] = kept
