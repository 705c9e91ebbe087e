"""What hybridized blocks compute from parameters alone: once, as long as these stay the same."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, Trainer, rnn
from hy_ndarray import ArgumentError, NDArray, autograd, nd
from hy_symbol import PreparedValues, Symbol, sym

PREPARE = "prepare_parameters"


class Joined(HybridBlock):
    """Three weights, joined and turned, times what is given."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.a, self.b, self.c = (self.params.get(name, shape=(2, 4)) for name in "abc")
            self.bias = self.params.get("bias", shape=(1, 6))

    def hybrid_forward(self, F: Any, x: Any, a: Any, b: Any, c: Any, bias: Any) -> Any:
        """Of ``(N, 4)``, ``(N, 6)``."""
        weight = F.transpose(F.concat(*(F.Reshape(w, (1, 2, 4)) for w in (a, b, c)), dim=1))
        return F.broadcast_add(F.dot(x, F.Reshape(weight, (4, 6))), F.broadcast_to(bias, (50, 6)))


def net() -> Joined:
    made = Joined()
    made.initialize("xavier")
    return made


X = nd.array(np.random.default_rng(0).standard_normal((50, 4)))


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[int, ...]]]:
    """Shapes of what was prepared each time."""
    found: list[list[tuple[int, ...]]] = []
    prepare = PreparedValues.prepare

    def noted(self: PreparedValues, *args: Any) -> list[NDArray]:
        values = prepare(self, *args)
        found.append([value.shape for value in values])
        return values

    monkeypatch.setattr(PreparedValues, "prepare", noted)
    return found


def agree(hybrid: HybridBlock, x: NDArray) -> None:
    """The net gives what it gives operator by operator, with the parameters that it has now."""
    found = hybrid(x).asnumpy()
    with autograd.record(train_mode=False):  # the traced graph
        expected = hybrid(x).asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("flags", [{}, {"static_alloc": True, "static_shape": True}])
def test_joined_weights_are_computed_once(flags: dict[str, Any], prepared: list[Any]) -> None:
    hybrid = net()
    hybrid.hybridize(**flags)
    for _ in range(4):
        agree(hybrid, X)
    assert prepared == [[(4, 6)]]  # and no bias for each row, which is larger than the parameter


def test_a_changed_parameter_counts_at_once(prepared: list[Any]) -> None:
    hybrid = net()
    hybrid.hybridize()
    for _ in range(3):
        agree(hybrid, X)
    hybrid.b.set_data(nd.ones((2, 4)))
    agree(hybrid, X)
    hybrid.c.data()[:] = 3
    agree(hybrid, X)
    assert len(prepared) == 2  # the third value is worth it only once it is met again
    agree(hybrid, X)
    assert len(prepared) == 3


def test_predictions_between_steps_prepare_nothing(prepared: list[Any]) -> None:
    hybrid = net()
    hybrid.hybridize()
    trainer = Trainer(hybrid.collect_params(), "sgd")
    for _ in range(6):
        agree(hybrid, X)
        with autograd.record():
            loss = hybrid(X).square().sum()
        loss.backward()
        trainer.step(50)
    assert len(prepared) <= 1


def test_recurrent_layers_put_their_parameters_together_once(prepared: list[Any]) -> None:
    layer = rnn.LSTM(5, num_layers=2, input_size=3)
    layer.initialize("xavier")
    layer.hybridize()
    x = nd.array(np.random.default_rng(0).standard_normal((4, 2, 3)))
    for _ in range(4):
        agree(layer, x)
    count = sum(parameter.data().size for parameter in layer.collect_params().values())
    assert prepared == [[(count,)]]


def test_a_symbol_keeps_what_only_shapes_change() -> None:
    w = sym.var("w")
    values = {"w": nd.array([[1, 4], [9, 16]])}
    plain = (sym.var("x") * sym.Reshape(w, shape=(4,))).optimize_for(PREPARE, dict(values))
    assert plain.list_arguments() == ["x", "w"]
    root = sym.Reshape(sym.sqrt(w, name="root"), shape=(4,), name="flat")
    made = dict(values)
    found: Symbol = (sym.var("x") * root).optimize_for(PREPARE, made)
    assert found.list_arguments() == ["x", "flat"]
    np.testing.assert_array_equal(made["flat"].asnumpy(), [1, 2, 3, 4])


def test_it_takes_no_options() -> None:
    with pytest.raises(ArgumentError, match=r"prepare_parameters: unknown option .often"):
        sym.sqrt(sym.var("w")).optimize_for(PREPARE, {"w": nd.ones(2)}, often=True)
