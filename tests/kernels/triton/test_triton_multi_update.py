"""Steps of many weights in one launch on the Triton table give numpy's numbers."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import Trainer, nn
from hy_kernels.triton import table
from hy_kernels.triton._launch import watched
from hy_ndarray import autograd, nd, random, use_kernels
from tests.kernels.triton.parity import DEVICE, TOLERANCES, Tolerance, assert_parity, memory

SHAPES = [(1,), (7, 3), (1023,), (1024,), (5, 205), (0,), (3, 683)]
ROUNDED = {
    "float32": Tolerance(1e-5, 1e-6, "approximate root and quotient"),
    "float16": Tolerance(2**-10, 2**-11, "one rounding of a sum of two terms"),
    "bfloat16": Tolerance(2**-7, 2**-8, "one rounding of a sum of two terms"),
}


def drawn(states: int) -> list[Any]:
    """Weight, gradient and states, those from the second on positive, for each shape."""
    generator, found = np.random.default_rng(states), []
    for shape in SHAPES:
        found += [generator.uniform(-1, 1, shape) for _ in range(2 + min(states, 1))]
        found += [generator.uniform(0.1, 1, shape) for _ in range(states - 1)]
    return found


COUNT = len(SHAPES)
COMMON: dict[str, Any] = {"lrs": [0.1] * COUNT, "wds": [0.01] * COUNT, "num_weights": COUNT}
ADAM: dict[str, Any] = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-4}
RULES: dict[str, tuple[int, dict[str, Any]]] = {
    "multi_sgd_update": (0, COMMON),
    "multi_sgd_mom_update": (1, {**COMMON, "momentum": 0.9}),
    "multi_adam_update": (2, {**COMMON, **ADAM}),
}
LAMB: dict[str, Any] = {
    **ADAM,
    "learning_rates": [0.1] * COUNT,
    "wds": [0.01] * COUNT,
    "step_count": [3] * COUNT,
    "num_tensors": COUNT,
    "rescale_grad": 0.5,
}


@pytest.mark.parametrize("bound", [-1.0, 0.2])
@pytest.mark.parametrize("dtype", ROUNDED)
@pytest.mark.parametrize("name", RULES)
def test_steps(name: str, dtype: str, bound: float) -> None:
    states, params = RULES[name]
    params = {**params, "rescale_grad": 0.5, "clip_gradient": bound}
    assert_parity(name, drawn(states), dtype, params, tolerance=ROUNDED[dtype])


@pytest.mark.parametrize("bias_correction", [False, True])
@pytest.mark.parametrize("bounds", [(-1.0, -1.0), (0.5, 2.0)])
@pytest.mark.parametrize("bound", [-1.0, 0.2])
def test_lamb(bound: float, bounds: tuple[float, float], bias_correction: bool) -> None:
    params = {**LAMB, "clip_gradient": bound, "bias_correction": bias_correction}
    params |= {"lower_bound": bounds[0], "upper_bound": bounds[1]}
    assert_parity("multi_lamb_update", drawn(2), "float32", params, tolerance=ROUNDED["float32"])


def test_lamb_of_a_weight_with_many_blocks() -> None:
    x = np.random.default_rng(0).uniform(0.1, 1, (4, 5000))
    params = {**LAMB, "clip_gradient": -1.0, "bias_correction": True, "num_tensors": 1}
    params |= {"lower_bound": -1.0, "upper_bound": -1.0}
    params |= {each: params[each][:1] for each in ("learning_rates", "wds", "step_count")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hy_kernels.triton.multi_update._PARTS", 4)
        patch.setattr("hy_kernels.triton.multi_update._BLOCK", 256)
        assert_parity("multi_lamb_update", list(x), "float32", params)


def test_there_is_one_launch_for_each_rate_and_decay() -> None:
    record = table().find("multi_sgd_update")
    assert record is not None
    data = [torch.ones(5, device=DEVICE) for _ in range(8)]
    how: dict[str, Any] = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 4}
    with watched() as launches:
        found = record.function(*data, lrs=[0.5, 0.25, 0.5, 0.5], wds=[0.0] * 4, **how)
    assert [each.name for each in launches] == ["sgd_steps"] * 2
    assert [float(x[0]) for x in found] == [0.5, 0.75, 0.5, 0.5]


def test_weights_are_changed_where_they_lie_and_gradients_read_without_their_gaps() -> None:
    record = table().find("multi_sgd_update")
    assert record is not None
    weight, grad = torch.ones(9, device=DEVICE)[1:], torch.ones(16, device=DEVICE)[::2]
    how: dict[str, Any] = {"rescale_grad": 1.0, "clip_gradient": -1.0, "num_weights": 1}
    with watched() as launches:
        found = record.function(weight, grad, lrs=[0.5], wds=[0.0], out=(weight,), **how)
    assert found is weight
    assert len(launches) == 1
    assert weight.tolist() == [0.5] * 8


def test_nan_is_not_cut_off_by_the_bound() -> None:
    record = table().find("multi_sgd_update")
    assert record is not None
    given = [memory.from_numpy(np.array([x], "float32"), DEVICE) for x in (1.0, np.nan)]
    y = record.function(
        *given, lrs=[0.5], wds=[0.0], rescale_grad=1.0, clip_gradient=1.0, num_weights=1
    )
    assert y.isnan().all()


@pytest.mark.parametrize(
    ("optimizer", "kernels"),
    [
        ("sgd", {"sgd_steps"}),
        ("adam", {"adam_steps"}),
        ("lamb", {"lamb_moments", "lamb_ratios", "lamb_steps"}),
    ],
)
def test_a_trainer_s_step_is_one_launch_of_each(optimizer: str, kernels: set[str]) -> None:
    def trained(name: str) -> list[Any]:
        random.seed(1)
        with use_kernels(name):
            net = nn.HybridSequential()
            net.add(nn.Dense(4), nn.Dense(3), nn.Dense(2))
            net.initialize()
            x = nd.array(np.random.default_rng(2).standard_normal((5, 3)), dtype="float32")
            net(x)
            for k, each in enumerate(net.collect_params().values()):
                drawn = np.random.default_rng(k).uniform(-1, 1, each.shape)
                each.set_data(nd.array(drawn))
            trainer = Trainer(net.collect_params(), optimizer, {"learning_rate": 0.05})
            for _ in range(2):
                with autograd.record():
                    value = (net(x) ** 2).mean()
                value.backward()
                with watched() as launches:
                    trainer.step(5)
                if name == "triton":
                    names = [each.name for each in launches]
                    assert sorted(names) == sorted(kernels)
            return [p.data().asnumpy() for p in net.collect_params().values()]

    tolerance = TOLERANCES["float32"]
    for mine, theirs in zip(trained("triton"), trained("numpy"), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=10 * tolerance.atol)
