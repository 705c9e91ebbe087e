"""Arguments by position and of other types mean, or are refused, as MXNet 1.9.1 has it."""

import struct
from pickle import UnpicklingError
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, image, init, nd, optimizer, recordio, sym
from mxnet.gluon import nn
from mxnet.gluon.data.vision import transforms

x = nd.array([[-1.0, 2.0]])
a = sym.var("a")
clip: Any = nd.clip
relu: Any = nd.relu
relu_of: Any = sym.relu
NAMES: dict[str, Any] = {
    "a": a,
    "gluon": gluon,
    "image": image,
    "init": init,
    "mx": mx,
    "nd": nd,
    "nn": nn,
    "optimizer": optimizer,
    "recordio": recordio,
    "transforms": transforms,
    "x": x,
}


def test_out_and_name_follow_all_parameters() -> None:
    out = nd.zeros((1, 2))
    assert relu(x, out, "unused") is out
    assert out.asnumpy().tolist() == [[0, 2]]
    clip(x, -0.5, 0.5, out)
    assert out.asnumpy().tolist() == [[-0.5, 0.5]]
    for wrong in ((1,), (out, "name", 3)):
        with pytest.raises(TypeError):
            relu(x, *wrong)


def test_name_and_attributes_follow_all_parameters_of_symbols() -> None:
    named = relu_of(a, "first", {"k": "v"})
    assert named.list_outputs() == ["first_output"]
    assert named.list_attr() == {"k": "v"}
    assert relu_of(a, None).list_outputs()[0].startswith("relu")
    with pytest.raises(AttributeError):
        relu_of(a, 1)
    with pytest.raises(TypeError):
        relu_of(a, "r", name="s")


@pytest.mark.parametrize("value", [True, 1, "1", "TRUE", np.bool_(True), np.int64(1)])
def test_what_is_true(value: Any) -> None:
    assert nd.sum(x, axis=1, keepdims=value).shape == (1, 1)


@pytest.mark.parametrize("value", [2, -1, 1.0, None, (True,), "2", "odd", ""])
def test_what_is_no_boolean(value: Any) -> None:
    with pytest.raises(mx.MXNetError):
        nd.sum(x, axis=1, keepdims=value)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (TypeError, "nn.Flatten(1)"),
        (TypeError, "nn.Dense(2, 1)"),
        (TypeError, "nn.Conv2D(2, None)"),
        (mx.MXNetError, "nn.Conv2D(None, 3)"),
        (RuntimeError, 'nn.Dense("odd")'),
        (TypeError, 'transforms.CenterCrop("odd")(nd.zeros((4, 4, 3)))'),
        (mx.MXNetError, "transforms.CenterCrop(1.5)(nd.zeros((4, 4, 3)))"),
        (ValueError, "image.center_crop(nd.zeros((4, 4, 3)), (2, 2, 1))"),
        (ValueError, 'image.imdecode("odd")'),
        (TypeError, "init.Zero(odd=1)"),
        (TypeError, 'init.create("zeros", 1)'),
        (AssertionError, "optimizer.SGD().update(0, x, [1.0], None)"),
        (mx.MXNetError, "nd.add_n()"),
        (mx.MXNetError, "nd.one_hot(nd.ones(2), True)"),
        (mx.MXNetError, "nd.sum(x, axis=False)"),
        (mx.MXNetError, "nd.clip(x, False, True)"),
        (mx.MXNetError, "nd.topk(x, k=True)"),
        (mx.MXNetError, "mx.np.reshape(mx.np.ones(6), 'odd')"),
        (mx.MXNetError, "mx.np.ones(6).reshape(2, 'odd')"),
        (mx.MXNetError, "mx.np.random.rand(2, (2,))"),
        (mx.MXNetError, "mx.npx.reshape(mx.np.ones(6), None)"),
        (KeyError, "nd.ones(2).attach_grad(1)"),
        (KeyError, "nd.ones(2).attach_grad(None)"),
        (AssertionError, "optimizer.get_updater(optimizer.LAMB())(0, [1.0], x)"),
        (UnpicklingError, "optimizer.get_updater(optimizer.SGD()).set_states(b'odd')"),
        (struct.error, "recordio.unpack(b'short')"),
        (struct.error, "recordio.pack(recordio.IRHeader(0, 1.0, -7, 0), b'text')"),
        (AssertionError, "nd.concat(x, None)"),
        (AssertionError, "mx.np.stack([None, x.as_np_ndarray()])"),
        (TypeError, "mx.np.exp(x.as_np_ndarray(), 1)"),
        (TypeError, "float(a)"),
        (AssertionError, "gluon.model_zoo.vision.get_resnet(1, -1)"),
    ],
)
def test_wrong_arguments_raise_what_catches_mxnets(kind: type[Exception], call: str) -> None:
    with pytest.raises(kind):
        eval(call, NAMES)  # noqa: S307 - the lines above


def test_sizes_may_be_numbers_of_numpy() -> None:
    size: Any = np.int64(2)
    assert transforms.Resize(size)(nd.zeros((4, 4, 3))).shape == (2, 2, 3)


def test_the_norm_that_was_clipped_is_a_number_of_numpy() -> None:
    assert type(gluon.utils.clip_global_norm([x.copy()], 1.0)) is np.float32


def test_an_array_without_a_dtype_to_convert_to_becomes_float32() -> None:
    assert mx.np.ones((2,), dtype="float64").astype(None).dtype == np.float32


def test_pairs_and_triples_are_tuples() -> None:
    counts, edges = nd.histogram(nd.array([1.0, 2.0, 3.0, 4.0]), bins=5)
    assert counts.asnumpy().tolist() == [1, 1, 0, 1, 1]
    assert [f"{edge:.9g}" for edge in edges.asnumpy()][1] == "1.60000002"
    assert type(nd.histogram(x)) is tuple
    assert type(nd.histogram(x, bins=2, range=(0, 1))) is list
    assert type(nd.contrib.rand_zipfian(nd.array([1]), 4, 10)) is tuple
    assert type(sym.contrib.rand_zipfian(a, 4, 10)) is tuple


def test_a_constraint_says_that_it_is_violated() -> None:
    true, false = (mx.np.array(value, dtype="bool") for value in (True, False))
    assert mx.npx.constraint_check(true).asnumpy().tolist() is True
    with pytest.raises(ValueError, match=r"Constraint violated\."):
        mx.npx.constraint_check(false).wait_to_read()
