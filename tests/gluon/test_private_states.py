"""Private state of trainers and parameters that programs read is as in MXNet 1.9.1."""

import copy
import pickle
from typing import Any

import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd

TWO = [mx.cpu(0), mx.cpu(1)]
SPARSE = {"stype": "row_sparse", "grad_stype": "row_sparse"}


def stepped(ctx: Any, storage: dict[str, Any], **options: Any) -> Any:
    weight: Any = gluon.Parameter("w", shape=(2, 2), **storage)
    weight.initialize(init="zeros", ctx=ctx)
    trainer = gluon.Trainer([weight], "sgd", {"learning_rate": 0.1}, **options)
    assert (trainer._kvstore, trainer._update_on_kvstore) == (None, None)
    with autograd.record():
        sparse = "stype" in storage
        rows = nd.array([0, 1])
        for array in weight.list_row_sparse_data(rows) if sparse else weight.list_data():
            (array + 1).backward()
    trainer.step(1)
    assert weight._trainer is trainer
    return trainer


@pytest.mark.parametrize(
    ("ctx", "storage", "options", "expected"),
    [
        (mx.cpu(), {}, {}, (None, None)),
        (TWO, {}, {}, ("device", True)),
        (TWO, {}, {"kvstore": None}, (None, None)),
        (TWO, {}, {"update_on_kvstore": False}, ("device", False)),
        (mx.cpu(), SPARSE, {}, ("device", True)),
        (mx.cpu(), SPARSE, {"kvstore": "local"}, ("local", True)),
        (mx.cpu(), {"grad_stype": "row_sparse"}, {}, (None, None)),
        (TWO, {"grad_stype": "row_sparse"}, {}, ("device", False)),
        (TWO, {"grad_stype": "row_sparse"}, {"update_on_kvstore": True}, ("device", True)),
    ],
)
def test_a_trainer_has_a_store_and_updates_on_it_as_in_mxnet(
    ctx: Any, storage: dict[str, Any], options: dict[str, Any], expected: Any
) -> None:
    trainer = stepped(ctx, storage, **options)
    store = trainer._kvstore
    assert (store and store.type, trainer._update_on_kvstore) == expected
    if trainer._update_on_kvstore:
        assert store._updater.optimizer is trainer._optimizer


def test_a_parameter_without_gradients_has_none() -> None:
    weight: Any = gluon.Parameter("w", shape=(2,))
    assert (weight._grad, weight._trainer) == (None, None)
    weight.initialize(ctx=TWO)
    assert [gradient.context for gradient in weight._grad] == TWO
    weight.grad_req = "null"
    assert weight._grad is None
    constant = gluon.Constant("c", nd.ones((2,)))
    constant.initialize()
    assert constant._grad is None


def test_a_copy_of_a_parameter_has_no_trainer() -> None:
    weight: Any = gluon.Parameter("w", shape=(2,))
    weight.initialize()
    trainer = gluon.Trainer([weight], "sgd")
    assert weight._trainer is trainer
    assert copy.deepcopy(weight)._trainer is None
    assert pickle.loads(pickle.dumps(weight))._trainer is None  # noqa: S301  # written here
    del trainer
    assert weight._trainer is None
