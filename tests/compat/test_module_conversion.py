"""``amp.convert_bucketing_module``: the same buckets in 16 bits."""

import importlib
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.contrib import amp

converting: Any = importlib.import_module("mxnet.contrib.amp.amp")


def generate(_: Any) -> Any:
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    return mx.sym.SoftmaxOutput(net, name="softmax"), ("data",), ("softmax_label",)


def module() -> mx.mod.BucketingModule:
    made = mx.mod.BucketingModule(generate, default_bucket_key=3)
    made.bind([("data", (1, 3))], [("softmax_label", (1,))])
    made.init_params(mx.init.One())
    return made


def predicted(made: mx.mod.BucketingModule) -> Any:
    batch = mx.io.DataBatch([mx.nd.ones((1, 3))], [mx.nd.zeros(1)])
    batch.bucket_key = 3
    batch.provide_data, batch.provide_label = made.data_shapes, made.label_shapes
    made.forward(batch, is_train=False)
    return made.get_outputs()[0].asnumpy()


@pytest.mark.parametrize(("optional", "dtype"), [(False, np.float32), (True, np.float16)])
def test_buckets_are_converted_with_their_parameters(optional: bool, dtype: Any) -> None:
    full = module()
    low = converting.convert_bucketing_module(full, cast_optional_params=optional)
    assert not low.binded
    assert {x.dtype for x in low.get_params()[0].values()} == {dtype}
    low.bind([("data", (1, 3))], [("softmax_label", (1,))])
    assert "data_amp_cast_float16_output" in low.symbol.get_internals().list_outputs()
    np.testing.assert_allclose(predicted(low), predicted(full), rtol=1e-2)


def test_a_module_without_parameters_is_refused() -> None:
    empty = mx.mod.BucketingModule(generate, default_bucket_key=3)
    with pytest.raises(mx.MXNetError, match="bind the module and call init_params"):
        converting.convert_bucketing_module(empty)


def test_amp_tells_whether_it_is_on() -> None:
    assert not converting._amp_initialized
    amp.init()
    try:
        assert converting._amp_initialized
    finally:
        amp.disable()
