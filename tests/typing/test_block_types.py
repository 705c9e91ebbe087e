"""What type checkers know of blocks; an error they do not find is an unused ignore."""

from typing import Any, assert_type

import pytest

from hy_gluon import Block, HybridBlock, loss, model_zoo, nn, rnn
from hy_ndarray import NDArray, nd, np
from hy_symbol import Symbol, sym

X = nd.ones((2, 3))


def test_layers_and_nets_give_what_they_are_called_on() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(2), nn.Dropout(0.5))
    net.initialize()
    assert_type(net(X), NDArray)
    numbers: np.ndarray = np.ones((2, 3))
    assert_type(net(numbers), np.ndarray)
    assert_type(net(sym.var("data")), Symbol)
    assert_type(nn.Dense(2)(sym.var("data")), Symbol)
    plain = nn.Sequential()
    plain.add(net)
    assert_type(plain(X).sum(), NDArray)
    assert_type(loss.L2Loss()(X, X), NDArray)
    zoo = model_zoo.vision.squeezenet1_1()
    assert_type(zoo(sym.var("data")), Symbol)


def test_what_nobody_knows_is_anything() -> None:
    x: Any = X
    assert_type(nn.Flatten()(x), Any)


class Hybrid(HybridBlock):
    """In MXNet's form, with types."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.relu(x)


class Pair(HybridBlock):
    """Several results."""

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        return F.relu(x), y


class Plain(HybridBlock):
    """A forward may have any arguments."""

    def forward(self, x: NDArray, scale: float = 2.0) -> NDArray:
        return nd.relu(x * scale)


def test_blocks_of_users_give_what_they_are_called_on() -> None:
    assert_type(Hybrid()(X), NDArray)
    first, second = Pair()(X, X)
    assert first.shape == second.shape
    assert_type(Plain()(X), NDArray)


class Several(HybridBlock):
    """Takes several arguments, none of them named as those of the base class."""

    def forward(self, a: NDArray, rows: list[NDArray], mask: NDArray | None = None) -> NDArray:
        return a + rows[0] if mask is None else mask


class Constant(HybridBlock):
    """Takes none."""

    def forward(self) -> NDArray:
        return nd.ones((2,))


class Weighted(HybridBlock):
    """In MXNet's form, with a parameter and names of its own."""

    def hybrid_forward(self, F: Any, data: NDArray, weight: NDArray) -> Any:
        return F.broadcast_mul(data, weight)


class Chain(nn.HybridSequential):
    """A container may compute anything, too."""

    def forward(self, data: NDArray, scale: float = 1.0) -> NDArray:
        return data * scale


class Stack(nn.Sequential):
    """As may one that is not hybrid."""

    def forward(self, data: NDArray, scale: float = 1.0) -> NDArray:
        return data * scale


class Residual(nn.HybridSequential):
    """In MXNet's form."""

    def hybrid_forward(self, F: Any, data: Any) -> Any:
        return super().hybrid_forward(F, data) + data


class Hinge(loss.Loss):
    """A loss of a user's."""

    def forward(self, pred: NDArray, label: NDArray) -> NDArray:
        return nd.relu(1 - pred * label)


class Cell(rnn.RecurrentCell):
    """A cell of a user's."""

    def forward(self, x: NDArray, states: list[NDArray]) -> tuple[NDArray, list[NDArray]]:
        return x, states


def test_overrides_of_forward_take_what_they_like() -> None:
    assert_type(Several()(X, [X]), NDArray)
    assert_type(Several().forward(X, [X], mask=X), NDArray)
    assert_type(Constant().forward(), NDArray)
    assert_type(Weighted().hybrid_forward(nd, X, X), Any)
    assert_type(Chain()(X), NDArray)
    assert_type(Stack()(X, 2.0), NDArray)
    assert_type(Residual()(X), NDArray)
    assert_type(Hinge(None, 0)(X, X), NDArray)
    assert_type(Cell()(X, [X]), tuple[NDArray, list[NDArray]])


class Named(Block):
    """Gives what its forward says."""

    def forward(self, x: NDArray, *, axis: int = 0) -> dict[str, NDArray]:
        return {"sum": x.sum(axis=axis)}


class Unsaid(Block):
    """Says nothing."""

    def forward(self, x: Any) -> Any:
        return x


def test_a_block_that_is_not_hybrid_gives_what_its_forward_says() -> None:
    assert_type(Named()(X), dict[str, NDArray])
    assert_type(Unsaid()(X), Any)
    with pytest.raises(AttributeError):
        Named()(X).shape  # type: ignore[attr-defined]  # noqa: B018


def test_recurrent_layers_give_states_if_they_are_given_some() -> None:
    layer = rnn.LSTM(2, input_size=3)
    layer.initialize()
    x = nd.ones((4, 1, 3))
    assert_type(layer(x), NDArray)
    output, states = layer(x, layer.begin_state(1))
    assert_type(output, NDArray)
    assert_type(states, list[NDArray])
