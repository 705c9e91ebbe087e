"""AdaBelief and LANS: weights after three steps are those of MXNet 2.0.0b1."""

from typing import Any

import numpy as onp
import pytest

from hy_gluon import optimizer
from hy_ndarray import nd

WANTED: dict[str, tuple[dict[str, Any], list[list[float]]]] = {
    "adabelief plain": (
        {},
        [[-0.068371, 0.369108, -0.469297], [0.352745, -0.569549, 0.419222]],
    ),
    "adabelief wd": (
        {"wd": 0.1},
        [[-0.068632, 0.368994, -0.468521], [0.338023, -0.569041, 0.418922]],
    ),
    "adabelief clip": (
        {"clip_gradient": 0.3},
        [[-0.073903, 0.373903, -0.473939], [0.35241, -0.573903, 0.423903]],
    ),
    "adabelief eps": (
        {"epsilon": 0.01},
        [[0.06753, 0.262864, -0.318818], [0.494826, -0.435571, 0.284644]],
    ),
    "lans plain": (
        {},
        [[0.051204, 0.248717, -0.348532], [0.451156, -0.448603, 0.298662]],
    ),
    "lans wd": (
        {"wd": 0.1},
        [[0.050359, 0.24809, -0.347413], [0.448351, -0.446995, 0.297789]],
    ),
    "lans clip": (
        {"clip_gradient": 0.3},
        [[0.051303, 0.248697, -0.348529], [0.451159, -0.448697, 0.298697]],
    ),
    "lans eps": (
        {"epsilon": 0.01},
        [[0.0499, 0.250757, -0.348863], [0.457408, -0.450051, 0.30007]],
    ),
    "lans bounds": (
        {"lower_bound": 0.2, "upper_bound": 0.5},
        [[0.069326, 0.230626, -0.330508], [0.469292, -0.430554, 0.280591]],
    ),
}


@pytest.mark.parametrize("row", WANTED)
def test_weights_after_three_steps_are_those_of_mxnet_2(row: str) -> None:
    options, wanted = WANTED[row]
    name = row.split(maxsplit=1)[0]
    made = optimizer.create(name, learning_rate=0.05, rescale_grad=0.5, **options)
    update = optimizer.get_updater(made)
    weight = nd.array([[0.1, 0.2, -0.3], [0.5, -0.4, 0.25]])
    for t in range(1, 4):
        grad = nd.array([[1, -2, 0.5], [0.25, 1, -1]]) * t - 0.3 * weight
        update(0, grad, weight)
    onp.testing.assert_allclose(weight.asnumpy(), onp.array(wanted), atol=1e-5)


def test_lans_leaves_a_weight_without_gradient() -> None:
    update = optimizer.get_updater(optimizer.create("lans", learning_rate=0.05))
    weight = nd.array([0.1, 0.2])
    update(0, nd.zeros((2,)), weight)
    assert weight.asnumpy().tolist() == onp.array([0.1, 0.2], "float32").tolist()


def test_lans_moves_a_weight_of_zeros_by_the_rate() -> None:
    update = optimizer.get_updater(optimizer.create("lans", learning_rate=0.05))
    weight = nd.zeros((3,))
    update(0, nd.array([1.0, -2.0, 0.5]), weight)
    wanted = onp.array([-0.04999988, 0.04999994, -0.04999977])
    onp.testing.assert_allclose(weight.asnumpy(), wanted, atol=1e-6)
