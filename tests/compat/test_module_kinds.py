"""Bucketing, sequential and Python modules: the numbers of MXNet 1.9.1, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx

LABELS = [("softmax_label", (2,))]


def generate(key: int) -> Any:
    x = mx.sym.Embedding(mx.sym.var("data"), input_dim=10, output_dim=3, name="e")
    x = mx.sym.FullyConnected(mx.sym.sum(x, axis=1), num_hidden=4, name="fc")
    return mx.sym.SoftmaxOutput(x, name="softmax"), ("data",), ("softmax_label",)


def batch(key: int) -> Any:
    return mx.io.DataBatch(
        [mx.nd.array(np.arange(2 * key).reshape(2, key) % 10)],
        [mx.nd.array([1, 2])],
        bucket_key=key,
        provide_data=[("data", (2, key))],
        provide_label=LABELS,
    )


def bucketing(**options: Any) -> Any:
    module = mx.mod.BucketingModule(generate, default_bucket_key=8, **options)
    module.bind([("data", (2, 8))], LABELS)
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
    return module


def trained(**options: Any) -> Any:
    module = bucketing(**options)
    for key in (8, 5, 8, 3, 5):
        module.forward_backward(batch(key))
        module.update()
        assert module._curr_bucket_key == key
        assert module.data_shapes[0].shape == (2, key)
    return module


IN_MXNET = {"e_weight": 30.0099, "fc_weight": 20.08961, "fc_bias": 0.04226}


@pytest.mark.parametrize("context", [mx.cpu(), [mx.cpu(0), mx.cpu(1)]], ids=str)
def test_buckets_train_the_same_weights(context: Any) -> None:
    module = trained(context=context)
    squares = {k: float((v.asnumpy() ** 2).sum()) for k, v in module.get_params()[0].items()}
    assert squares == pytest.approx(IN_MXNET, rel=1e-4)
    assert sorted(module._buckets) == [3, 5, 8]
    groups = [m._exec_group for m in module._buckets.values()]
    for arrays in zip(*(group.param_arrays + group.grad_arrays for group in groups), strict=True):
        for per_device in zip(*arrays, strict=True):
            assert all(array is per_device[0] for array in per_device)


def test_a_bucket_is_prepared_without_a_switch() -> None:
    module = bucketing()
    module.prepare(batch(4))
    assert (module._curr_bucket_key, sorted(module._buckets)) == (8, [4, 8])


def test_binding_buckets_anew_keeps_parameters_and_optimizer() -> None:
    module = trained()
    before = module.get_params()[0]["fc_weight"].asnumpy().copy()
    module.bind([("data", (2, 8))], LABELS, force_rebind=True)
    assert list(module._buckets) == [8]
    np.testing.assert_array_equal(module.get_params()[0]["fc_weight"].asnumpy(), before)
    module.forward_backward(batch(8))
    module.update()
    assert (module.get_params()[0]["fc_weight"].asnumpy() != before).any()


def test_a_bucketing_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = trained()
    module.forward(batch(5), is_train=False)
    expected = module.get_outputs()[0].asnumpy()
    module.save_checkpoint("b", 2)
    names = ["b-0002.params", "b-3-symbol.json", "b-5-symbol.json", "b-8-symbol.json", "b.buckets"]
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.startswith(".")) == names
    (keys,) = mx.nd.load("b.buckets")
    assert isinstance(keys, mx.nd.NDArray)
    assert keys.asnumpy().tolist() == [8, 5, 3]
    again = mx.mod.BucketingModule.load("b", 2, sym_gen=generate, default_bucket_key=8)
    again.bind([("data", (2, 8))], LABELS, for_training=False)
    again.forward(batch(5), is_train=False)
    np.testing.assert_array_equal(again.get_outputs()[0].asnumpy(), expected)
    with pytest.raises(AssertionError, match="sym_gen is required"):
        mx.mod.BucketingModule.load("b", 2)
    with pytest.raises(AssertionError, match="default_bucket_key is required"):
        mx.mod.BucketingModule.load("b", 2, sym_gen=generate)


def test_buckets_of_a_file_made_by_mxnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trained().save_checkpoint("b", 2)
    head = b"\x12\x01" + bytes(14) + b"\x01" + bytes(7) + b"\xc9\xfa\x93\xf9" + bytes(4)
    shape = b"\x01\0\0\0\x03" + bytes(7) + b"\x01\0\0\0" + bytes(4) + b"\x04\0\0\0"
    keys = b"\x08\0\0\0\x05\0\0\0\x03\0\0\0"
    assert Path("b.buckets").read_bytes() == head + shape + keys + bytes(8)


def test_keys_that_files_cannot_hold() -> None:
    module = mx.mod.BucketingModule(generate, default_bucket_key="long")
    module.bind([("data", (2, 8))], LABELS)
    module.init_params()
    with pytest.raises(mx.MXNetError, match="keys of buckets in files are integers, not 'long'"):
        module.save_checkpoint("b", 1)


def test_what_a_bucketing_module_refuses() -> None:
    with pytest.raises(AssertionError, match="default_bucket_key must be given"):
        mx.mod.BucketingModule(generate)
    unbound = mx.mod.BucketingModule(generate, default_bucket_key=8)
    with pytest.raises(AssertionError, match="call bind before switching bucket"):
        unbound.switch_bucket(3, [("data", (2, 3))])
    names = generate(8)[1]
    assert (unbound.data_names, unbound.output_names) == (names, ["softmax_output"])
    with pytest.raises(AssertionError, match="shared_module for BucketingModule"):
        unbound.bind([("data", (2, 8))], LABELS, shared_module=bucketing())
    with pytest.raises(mx.MXNetError, match="a batch needs bucket_key, provide_data"):
        bucketing().forward(mx.io.DataBatch([mx.nd.ones((2, 8))], [mx.nd.ones(2)]))


def test_sentences_in_buckets() -> None:
    sentences = [[i % 7 + 1 for i in range(n)] for n in (3, 3, 3, 3, 5, 5, 5, 5)]
    data = mx.rnn.BucketSentenceIter(sentences, 2, buckets=[3, 5], invalid_label=0)

    def language(length: int) -> Any:
        x = mx.sym.Embedding(mx.sym.var("data"), input_dim=8, output_dim=4, name="embed")
        x, _ = mx.rnn.LSTMCell(6, prefix="l_").unroll(length, x, merge_outputs=True)
        x = mx.sym.FullyConnected(mx.sym.Reshape(x, shape=(-1, 6)), num_hidden=8, name="out")
        label = mx.sym.Reshape(mx.sym.var("softmax_label"), shape=(-1,))
        return mx.sym.SoftmaxOutput(x, label, name="softmax"), ("data",), ("softmax_label",)

    module = mx.mod.BucketingModule(language, default_bucket_key=data.default_bucket_key)
    metric = mx.metric.Perplexity(0)
    options: Any = {"optimizer": "adam", "optimizer_params": {"learning_rate": 0.1}}
    module.fit(data, eval_metric=metric, num_epoch=20, initializer=mx.init.Xavier(), **options)
    assert dict(module.score(data, metric))["perplexity"] < 1.5


# --- modules one behind the other -----------------------------------------------------------------


def parts() -> tuple[Any, Any]:
    x = mx.sym.var("data")
    first = mx.sym.Activation(mx.sym.FullyConnected(x, num_hidden=4, name="fc1"), act_type="relu")
    second = mx.sym.FullyConnected(x, num_hidden=3, name="fc2")
    second = mx.sym.SoftmaxOutput(second, name="softmax")
    return mx.mod.Module(first, label_names=[]), mx.mod.Module(second)


def sequence() -> Any:
    first, second = parts()
    return mx.mod.SequentialModule().add(first).add(second, take_labels=True, auto_wiring=True)


DATA, LABEL = [("data", (4, 5))], [("softmax_label", (4,))]


def test_a_sequence_trains_the_weights_of_mxnet() -> None:
    module = sequence()
    module.bind(DATA, LABEL)
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 0.1})
    x = mx.nd.array(np.sin(np.arange(20)).reshape(4, 5))
    data = mx.io.DataBatch([x], [mx.nd.array([0, 1, 2, 0])])
    for _ in range(3):
        module.forward_backward(data)
        module.update()
    sums = {name: float(a.asnumpy().sum()) for name, a in module.get_params()[0].items()}
    expected = {"fc1_weight": 20.00441, "fc1_bias": 0.00416, "fc2_weight": 12, "fc2_bias": 0}
    assert sums == pytest.approx(expected, abs=2e-5)
    found = module.get_outputs()[0].asnumpy()[0]
    np.testing.assert_allclose(found, [0.379486, 0.337977, 0.282537], atol=1e-5)
    metric = mx.metric.create("acc")
    module.update_metric(metric, data.label)
    assert metric.get() == ("accuracy", 0.5)


def test_a_sequence_tells_of_its_ends() -> None:
    module = sequence()
    assert (module.data_names, module.output_names) == (["data"], ["softmax_output"])
    module.bind(DATA, LABEL, inputs_need_grad=True)
    assert module.data_shapes[0].shape == (4, 5)
    assert module.output_shapes == [("softmax_output", (4, 3))]
    assert module.label_shapes == LABEL
    assert module.symbol is None
    module.init_params()
    module.forward_backward(mx.io.DataBatch([mx.nd.ones((4, 5))], [mx.nd.zeros(4)]))
    assert module.get_input_grads()[0].shape == (4, 5)


def test_a_sequence_is_fitted() -> None:
    mx.random.seed(0)
    module = sequence()
    x = np.eye(5)[[0, 1, 2] * 4]
    data = mx.io.NDArrayIter(x, np.array([0, 1, 2] * 4), 4)
    module.fit(
        data, num_epoch=40, initializer=mx.init.Xavier(), optimizer_params={"learning_rate": 0.5}
    )
    assert module.score(data, "acc") == [("accuracy", 1.0)]


def test_what_a_sequence_refuses() -> None:
    first, second = parts()
    with pytest.raises(mx.MXNetError, match='Unknown meta "foo", a typo'):
        mx.mod.SequentialModule().add(first, foo=1)
    with pytest.raises(AssertionError, match="Attempting to bind an empty SequentialModule"):
        mx.mod.SequentialModule().bind(DATA)
    with pytest.raises(ValueError, match="don't match names"):
        mx.mod.SequentialModule().add(first).add(second, take_labels=True).bind(DATA, LABEL)
    twice = mx.mod.SequentialModule().add(parts()[0]).add(parts()[0], auto_wiring=True)
    twice.bind(DATA)
    with pytest.raises(AssertionError, match='Duplicated parameter names: name "fc1_weight"'):
        twice.init_params()


# --- modules in Python ----------------------------------------------------------------------------


@pytest.mark.parametrize("as_numpy", [True, False])
def test_a_loss_in_python(as_numpy: bool) -> None:
    def gradient(scores: Any, labels: Any) -> Any:
        found = scores * 2 - labels.expand_dims(1)
        return found.asnumpy() if as_numpy else found

    loss = mx.mod.PythonLossModule(grad_func=gradient)
    loss.bind([("data", (4, 3))], LABEL)
    assert loss.output_shapes == [("pyloss_output", (4, 3))]
    assert loss.get_params() == ({}, {})
    data = mx.io.DataBatch([mx.nd.ones((4, 3))], [mx.nd.array([0, 1, 2, 3])])
    loss.forward(data, is_train=True)
    loss.backward()
    assert loss.get_input_grads()[0].asnumpy()[:, 0].tolist() == [2, 1, 0, -1]
    metric = mx.metric.create("acc")
    loss.update_metric(metric, data.label)
    assert metric.get() == ("accuracy", 0.25)


def test_a_net_with_a_loss_in_python_learns() -> None:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    net = mx.mod.Module(x, label_names=[])
    loss = mx.mod.PythonLossModule(grad_func=lambda y, label: y - label.reshape((-1, 1)))
    module = mx.mod.SequentialModule().add(net).add(loss, take_labels=True, auto_wiring=True)
    features = np.random.RandomState(0).rand(32, 3)
    data = mx.io.NDArrayIter(features, features @ [1, 2, 3], 8)
    module.fit(data, eval_metric="mse", num_epoch=150, optimizer_params={"learning_rate": 0.5})
    weight = module.get_params()[0]["fc_weight"].asnumpy()
    np.testing.assert_allclose(weight, [[1, 2, 3]], atol=0.05)


def test_what_python_modules_refuse() -> None:
    loss = mx.mod.PythonLossModule()
    with pytest.raises(mx.MXNetError, match="one input and one label"):
        mx.mod.PythonLossModule(data_names=["a", "b"])
    no_function: Any = 3
    with pytest.raises(mx.MXNetError, match="grad_func=3 must be callable"):
        mx.mod.PythonLossModule(grad_func=no_function)
    with pytest.raises(ValueError, match="data_shapes has the names"):
        loss.bind([("x", (4, 3))], LABEL)
    with pytest.raises(mx.MXNetError, match="only support write gradient, not 'add'"):
        loss.bind([("data", (4, 3))], LABEL, grad_req="add")
    loss.bind([("data", (4, 3))], LABEL)
    with pytest.raises(NotImplementedError, match="give grad_func"):
        loss.backward()
    with pytest.raises(AssertionError, match="out_grads should be None"):
        loss.backward([mx.nd.ones(1)])
    with pytest.raises(NotImplementedError, match="must define _compute_output_shapes"):
        mx.mod.PythonModule(["data"], None, ["o"]).bind([("data", (1,))])


def test_what_is_not_defined_says_what_to_do() -> None:
    module: Any = mx.mod.BaseModule()
    with pytest.raises(NotImplementedError, match=r"define it, or use mx\.mod\.Module"):
        module.get_params()
    with pytest.raises(NotImplementedError, match="install it on the module that computes"):
        mx.mod.PythonLossModule().install_monitor(None)
    with pytest.raises(NotImplementedError, match="use unroll, or define __call__"):
        mx.rnn.BaseRNNCell()(mx.sym.var("x"), [])
    with pytest.raises(NotImplementedError, match="BaseRNNCell must define state_info"):
        _ = mx.rnn.BaseRNNCell().state_shape
    with pytest.raises(NotImplementedError, match=r"LearningRateScheduler.*define __call__"):
        mx.misc.LearningRateScheduler()(1)


def test_unnamed_layers_have_the_same_names_in_all_buckets() -> None:
    def generate(length: int) -> Any:
        total = mx.sym.sum(mx.sym.Embedding(mx.sym.var("data"), input_dim=6, output_dim=3), axis=1)
        net = mx.sym.FullyConnected(total, num_hidden=4)
        return mx.sym.SoftmaxOutput(net, name="softmax"), ("data",), ("softmax_label",)

    with mx.name.Prefix("outside_"):
        module = mx.mod.BucketingModule(generate, default_bucket_key=5)
    module.bind([("data", (2, 5))], [("softmax_label", (2,))])
    module.init_params()
    module.init_optimizer()
    for length in (5, 3, 4):
        batch = mx.io.DataBatch(
            [mx.nd.ones((2, length))],
            [mx.nd.zeros((2,))],
            bucket_key=length,
            provide_data=[mx.io.DataDesc("data", (2, length))],
            provide_label=[mx.io.DataDesc("softmax_label", (2,))],
        )
        module.forward_backward(batch)
        module.update()
    names = ["embedding0_weight", "fullyconnected0_bias", "fullyconnected0_weight"]
    assert sorted(module.get_params()[0]) == names
