"""``verify`` proves that all ways of running a block agree, and finds the operator where not."""

import sys
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, VerificationError, nn, verify
from hy_kernels.record import Kernel
from hy_ndarray import kernel_table, nd, use_kernels


def convolutional() -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, kernel_size=3, activation="relu"),
            nn.BatchNorm(),
            nn.MaxPool2D(),
            nn.Flatten(),
            nn.Dropout(0.5),
            nn.Dense(3),
        )
    net.initialize()
    return net


def test_a_sound_net_agrees_with_itself(rng: np.random.Generator) -> None:
    net = convolutional()
    x = nd.array(rng.standard_normal((2, 3, 8, 8)))
    differences = verify(net, x)
    assert set(differences) == {"hybrid", "static", "reimported"}
    assert max(differences.values()) < 1e-5
    assert net._active is False  # left as it was


def test_a_block_that_behaves_differently_when_traced_is_found() -> None:
    class TwoFaced(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            return x * 2 if F is nd else x * 3

    with pytest.raises(VerificationError, match="hybrid differs from eager: value 0 differs by 2"):
        verify(TwoFaced(prefix="two_"), nd.array([2.0]))


class Unsound:
    """The numpy table with a relu that is wrong where a program calls it."""

    def __init__(self) -> None:
        self._table = kernel_table("numpy")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def find(self, kernel: str) -> Any:
        found = self._table.find(kernel)
        if kernel != "relu" or found is None:
            return found

        def relu(data: Any) -> Any:
            in_program = sys._getframe(1).f_code.co_filename.startswith("<program")
            return found.function(data) + in_program

        return Kernel("relu", relu)


def test_the_first_operator_that_differs_is_named() -> None:
    class Net(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            return F.relu(x * 2, name="suspect") + 1

    table: Any = Unsound()
    with (
        use_kernels(table),
        pytest.raises(
            VerificationError, match="first operator that differs is 'net_suspect_output'"
        ),
    ):
        verify(Net(prefix="net_"), nd.array([1.0]))


class Spare(HybridBlock):
    """Takes nested arguments, one of them missing; adds up its gradient; has a spare parameter."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.factor = self.params.get("factor", shape=(2,), grad_req="add")
        self.spare = self.params.get("spare", shape=(3,))

    def hybrid_forward(self, F: Any, x: Any, *args: Any, factor: Any, **_: Any) -> Any:
        (y, nothing), z = args
        assert nothing is None
        return [F.broadcast_mul(x + y, factor), [z * 2]]


def test_nested_arguments_and_parameters_of_every_kind_are_verified() -> None:
    net = Spare(prefix="spare_")
    net.initialize("ones")
    arrays = [nd.array([[1.0, 2.0]]), nd.array([[3.0, 4.0]]), nd.array([5, 6], dtype="int32")]
    x, y, z = arrays
    with pytest.warns(UserWarning, match="spare: parameters spare_spare are not used"):
        differences = verify(net, x, [y, None], z)
    assert differences == {"hybrid": 0.0, "static": 0.0, "reimported": 0.0}
    assert net.factor.grad().asnumpy().tolist() == [4.0, 6.0]  # of one pass, not of all


def test_a_gradient_that_is_lost_in_export_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    net = convolutional()
    monkeypatch.setattr(SymbolBlock, "_call_cached_op", lambda self, x: nd.BlockGrad(x).sum(axis=1))
    with pytest.raises(VerificationError, match="reimported differs from eager"):
        verify(net, nd.array(np.ones((2, 3, 8, 8))))
