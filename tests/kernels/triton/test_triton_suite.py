"""The operators' own suite, and nets, run on the Triton table's kernels."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, nn
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd, random
from hy_ndarray.testing import OpCase, TestedTable, Tolerance, check_operator
from hy_ndarray.testing.cases import CASES
from tests.kernels.triton.parity import CONTEXT, on_table

ROOT = Path(__file__).parents[3]
TESTED = TestedTable(
    "triton",
    device=CONTEXT.device_type,
    tolerances={
        ("Convolution", "float32"): Tolerance(1e-4, 1e-4),  # numpy's is by minimal filtering
    },
)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_table_passes_the_suite(case: OpCase) -> None:
    check_operator(TESTED, case)


@pytest.mark.slow
def test_the_readme_s_example_runs_on_it(tmp_path: Path) -> None:
    """In a process of its own, chosen by the environment, as any program would be."""
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)[0]
    assert "steps=50" in code
    program = (
        "import hy_ndarray as hy\n"
        "from hy_kernels.triton.runtime._launch import watched\n"
        "with watched() as launches: exec(open('example.py').read(), {})\n"
        "print(hy.device_of(hy.cpu()).table.name, len(launches) > 50)"
    )
    (tmp_path / "example.py").write_text(code.replace("steps=50", "steps=3"), "utf-8")
    environment = {**os.environ, "TRITON_INTERPRET": "1", "HY_KERNELS": "cpu=triton"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(  # noqa: S603  # our own program
        command, check=True, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    code_loss, graph_loss, table = (line.split(": ")[-1] for line in done.stdout.splitlines())
    assert float(graph_loss) < float(code_loss) < 2
    assert table == "triton True"


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
