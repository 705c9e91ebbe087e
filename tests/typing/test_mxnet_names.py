"""What type checkers know under ``import mxnet as mx``: each name leads to the class behind it."""

from typing import assert_type

import pytest

import mxnet as mx
from hy_gluon import initializer, loss, lr_scheduler, metric, nn, optimizer, rnn
from hy_gluon.data.vision import transforms
from hy_gluon.trainer import Trainer
from hy_ndarray import Context, HyError, NDArray
from hy_ndarray.custom import CustomOp
from hy_ndarray.np import ndarray
from hy_symbol import NotForSymbolError, Symbol
from mxnet.monitor import Monitor


def test_arrays_and_contexts() -> None:
    assert_type(mx.cpu(), Context)
    assert_type(mx.context.current_context(), Context)
    assert_type(mx.nd.ones((2,), ctx=mx.cpu()), NDArray)
    assert_type(mx.nd.array([1, 2]), NDArray)
    assert_type(mx.ndarray.zeros((2,)), NDArray)
    assert_type(mx.NDArray, type[NDArray])
    assert_type(mx.np.ndarray, type[ndarray])
    with mx.autograd.record():
        assert_type(mx.nd.relu(mx.nd.ones((2,))), NDArray)


def test_random_numbers_are_arrays() -> None:
    mx.random.seed(3)
    assert_type(mx.random.uniform(), NDArray)
    assert_type(mx.random.normal(0, 1, shape=(2,)), NDArray)
    assert_type(mx.random.randint(0, 3, shape=(2,)), NDArray)
    assert_type(mx.random.shuffle(mx.nd.arange(3)), NDArray)
    assert_type(mx.nd.random.gamma(2, 1), NDArray)


def test_symbols() -> None:
    x = mx.sym.Variable("x")
    assert_type(x, Symbol)
    assert_type(mx.symbol.FullyConnected(x, num_hidden=2), Symbol)
    assert_type(mx.sym.random.normal_like(x), Symbol)
    assert_type(mx.Symbol, type[Symbol])
    with mx.AttrScope(ctx_group="a"), mx.name.Prefix("net_"):
        assert_type(mx.sym.relu(x), Symbol)


def test_layers_and_training() -> None:
    net = mx.gluon.nn.Dense(3, in_units=2)
    assert_type(net, nn.Dense)
    assert_type(mx.gluon.nn.HybridSequential(), nn.HybridSequential)
    assert_type(mx.gluon.rnn.LSTM(3), rnn.LSTM)
    assert_type(mx.gluon.loss.L2Loss(), loss.L2Loss)
    net.initialize(mx.init.Xavier(), ctx=mx.cpu())
    trainer = mx.gluon.Trainer(net.collect_params(), mx.optimizer.SGD(learning_rate=0.1))
    assert_type(trainer, Trainer)
    assert_type(mx.init.Xavier(), initializer.Xavier)
    assert_type(mx.initializer.Normal(), initializer.Normal)
    assert_type(mx.optimizer.SGD(), optimizer.SGD)
    assert_type(mx.lr_scheduler.FactorScheduler(2), lr_scheduler.FactorScheduler)
    assert_type(mx.metric.Accuracy(), metric.Accuracy)
    assert_type(mx.mon.Monitor(1), Monitor)
    assert_type(mx.gluon.data.vision.transforms.ToTensor(), transforms.ToTensor)


def test_errors_and_classes_to_derive_from() -> None:
    assert_type(mx.MXNetError(), HyError)
    assert_type(mx.base.NotImplementedForSymbol("x"), NotForSymbolError)
    assert_type(mx.operator.CustomOp(), CustomOp)


def test_functions_of_npx() -> None:
    x = mx.np.zeros((2,))
    assert mx.npx.relu(x).shape == (2,)
    assert mx.npx.image.flip_left_right(mx.np.zeros((2, 2, 3))).shape == (2, 2, 3)


def test_names_that_are_not_there_are_found_before_programs_run() -> None:
    with pytest.raises(AttributeError, match="glue"):
        mx.glue  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="uniforms"):
        mx.random.uniforms()  # type: ignore[attr-defined]
