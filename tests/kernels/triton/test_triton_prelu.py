"""PReLU on the Triton table gives numpy's numbers, forward and backward."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import nn
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd, use_kernels
from tests.kernels.triton.parity import DTYPES, Tolerance, assert_parity

HOW: dict[str, Any] = {"act_type": "prelu", "slope": 0.25, "lower_bound": 0.1, "upper_bound": 0.3}
HOW |= {"is_train": True, "rng": None}
SHAPES = [
    ((1,), (1,)),
    ((5, 3), (3,)),
    ((2, 7, 5), (7,)),
    ((2, 7, 31, 33), (7,)),
    ((2, 7, 5), (1,)),
    ((2, 7, 5), (7, 5)),
    ((2, 7, 5), (1, 5)),
]
SUMS = {
    "float64": Tolerance(1e-11, 1e-11, "sums in another order"),
    "float32": Tolerance(1e-5, 1e-4, "2,046 additions that cancel, in another order"),
    "float16": Tolerance(2**-10, 2**-6, "one rounding, of sums that cancel"),
    "bfloat16": Tolerance(2**-7, 2**-3, "one rounding, of sums that cancel"),
}


def drawn(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).uniform(-1, 1, shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "slopes"), SHAPES)
def test_slopes_are_along_axis_1_or_broadcast(
    shape: tuple[int, ...], slopes: tuple[int, ...], dtype: str
) -> None:
    x, dy, gamma = drawn(*shape), drawn(*shape)[::-1].copy(), drawn(*slopes)
    assert_parity("leaky_relu", [x, gamma], dtype, HOW)
    assert_parity("prelu_backward", [dy, x, gamma], dtype, tolerance=SUMS[dtype])


def test_tensors_may_be_strided() -> None:
    x, dy, gamma = drawn(3, 5, 7), drawn(3, 5, 7), drawn(5)
    assert_parity("leaky_relu", [x, gamma], "float32", HOW, strided=True)
    assert_parity("prelu_backward", [dy, x, gamma], "float64", strided=True)


def test_a_layer_predicts_and_trains_by_it() -> None:
    found = {}
    for name in ("triton", "numpy"):
        with use_kernels(name), watched() as launches:
            net = nn.PReLU(in_channels=3)
            net.initialize()
            x = nd.array(drawn(2, 3, 4), dtype="float32")
            x.attach_grad()
            with autograd.record():
                y = net(x)
            y.backward()
            assert x.grad is not None
            slopes = net.alpha.grad().asnumpy()
            found[name] = [y.asnumpy(), x.grad.asnumpy(), slopes]
        assert bool(launches) == (name == "triton")
    for ours, theirs in zip(found["triton"], found["numpy"], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_of_nothing_torch_makes_the_sums() -> None:
    with use_kernels("triton"), watched() as launches:
        x, gamma = nd.empty((0, 3)), nd.ones(3)
        gamma.attach_grad()
        with autograd.record():
            y = nd.LeakyReLU(x, gamma, act_type="prelu")
        y.backward()
        assert gamma.grad is not None
        assert gamma.grad.asnumpy().tolist() == [0, 0, 0]
        assert y.shape == (0, 3)
    assert not launches
