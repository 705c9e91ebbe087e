"""The operators' own suite, and nets, run on the Triton table's kernels."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, nn
from hy_kernels.triton._launch import watched
from hy_ndarray import autograd, nd, random
from hy_ndarray.testing import TestedTable, Tolerance, check_operator
from hy_ndarray.testing.cases import FAMILIES
from tests.kernels.triton.parity import CONTEXT, on_table

TESTED = TestedTable(
    "triton",
    device=CONTEXT.device_type,
    tolerances={
        ("Convolution", "float32"): Tolerance(1e-4, 1e-4),  # numpy's is by minimal filtering
    },
)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_passes_the_suite(family: str) -> None:
    errors: list[Exception] = []
    for case in FAMILIES[family]:
        try:
            check_operator(TESTED, case)
        except Exception as error:  # all of a family are told
            errors.append(error)
    if errors:
        raise ExceptionGroup(f"{len(errors)} rows of {family}", errors)


def trained(table: str, options: dict[str, Any] | None) -> list[Any]:
    """Losses and parameters of three steps."""
    random.seed(1)
    with on_table(table):
        net = nn.HybridSequential()
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Dense(3))
        net.initialize()
        x = nd.array(np.random.default_rng(2).standard_normal((5, 2, 8, 8)), dtype="float32")
        net(x)
        for parameter in net.collect_params().values():
            values = np.random.default_rng(3).uniform(-0.5, 0.5, parameter.shape)
            parameter.set_data(nd.array(abs(values) if "running" in parameter.name else values))
        if options is not None:
            net.hybridize(**options)
        trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
        found = []
        for _ in range(3):
            with autograd.record():
                value = (net(x) ** 2).mean()
            value.backward()
            trainer.step(5)
            found.append(value.asnumpy())
        return [*found, *(p.data().asnumpy() for p in net.collect_params().values())]


@pytest.mark.parametrize("options", [None, {}, {"static_alloc": True, "static_shape": True}])
def test_a_net_trains_as_on_the_numpy_table(options: dict[str, Any] | None) -> None:
    with watched() as launches:
        ours = trained("triton", options)
    assert launches
    for mine, theirs in zip(ours, trained("numpy", options), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-4)
