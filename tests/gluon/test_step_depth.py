"""Depth of a step: how many frames lie between a trainer and the kernels."""

import sys
from typing import Any

import pytest

from hy_gluon import Parameter, Trainer
from hy_ndarray import autograd
from hy_ndarray.ops.optimizer.kernels import StepKernel


@pytest.mark.parametrize("name", ["sgd", "adam", "lamb", "adabelief"])
def test_few_frames_lie_between_a_trainer_and_the_kernels(name: str) -> None:
    weight = Parameter("w", shape=(3,))
    weight.initialize()
    trainer = Trainer([weight], name)
    for _ in range(2):
        with autograd.record():
            loss_of = (weight.data() * weight.data()).sum()
        loss_of.backward()
        trainer.step(1)
    with autograd.record():
        loss_of = (weight.data() * weight.data()).sum()
    loss_of.backward()
    entered: list[int] = []
    kernels = StepKernel.__module__, "hy_kernels.", "numpy."  # the last wraps some in errstate
    depth = inside = 0

    def follow(frame: Any, event: str, _argument: Any) -> None:
        nonlocal depth, inside
        if event == "call":
            depth += 1
            module = frame.f_globals.get("__name__", "")
            if not inside and module.startswith(kernels):
                inside = depth
                entered.append(depth)
        elif event == "return":
            inside = 0 if depth == inside else inside
            depth -= 1

    sys.setprofile(follow)
    try:
        trainer.step(1)
    finally:
        sys.setprofile(None)
    assert 0 < max(entered) <= 10
