"""Results and messages that differ from MXNet's: what docs/differences.md says of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hy_ndarray
import mxnet as mx
import mxnet._ctypes.ndarray
import mxnet._global_var
from hy_ndarray import IndexingError
from mxnet import gluon, nd
from mxnet.numpy import fallback_linalg


@pytest.mark.parametrize("name", ["take", "pick", "one_hot"])
def test_indices_out_of_range_are_named_where_it_is_asked_for(name: str) -> None:
    x, index = nd.array([[1.0, 2.0]]), nd.array([5.0])

    def call() -> Any:
        return nd.one_hot(index, 2) if name == "one_hot" else getattr(nd, name)(x, index)

    call()
    with hy_ndarray.check_indices(), pytest.raises(IndexingError, match="5"):
        call()


def test_export_gives_its_files(tmp_path: Path) -> None:
    net = gluon.nn.Dense(1, in_units=1)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 1)))
    graph, parameters = net.export(str(tmp_path / "net"))
    assert Path(graph).name == "net-symbol.json"
    assert parameters is not None
    assert Path(parameters).name == "net-0000.params"


def test_a_cached_op_names_its_module() -> None:
    x = mx.sym.var("x")
    op = mx._ctypes.ndarray.CachedOp(x + 1)
    assert type(op).__module__ in repr(op)


def test_the_class_of_arrays_is_the_one_there_is() -> None:
    class Other(nd.NDArray):
        pass

    mx._global_var._set_ndarray_class(nd.NDArray)
    with pytest.raises((TypeError, ValueError), match="subclasses"):
        mx._global_var._set_ndarray_class(Other)


def test_monitors_see_the_names_of_the_symbol() -> None:
    net = mx.sym.Convolution(mx.sym.var("data"), num_filter=1, kernel=(1, 1), name="conv")
    bound = net.simple_bind(mx.cpu(), data=(1, 1, 2, 2), grad_req="null")
    seen = []
    bound.set_monitor_callback(lambda name, array: seen.append(name))
    bound.forward(is_train=False)
    assert seen == ["conv_output"]


@pytest.mark.parametrize(
    ("module", "name"),
    [(mx.nd, "hard_sigmoid"), (mx.sym, "hard_sigmoid"), (mx.nd.linalg, "gemm2")],
    ids=["nd", "sym", "nd.linalg"],
)
def test_vars_of_a_module_have_what_was_used(module: Any, name: str) -> None:
    vars(module).pop(name, None)  # another test may have used it
    assert name in dir(module)
    assert name not in vars(module)
    found = getattr(module, name)
    assert vars(module)[name] is found


def test_names_beside_mxnets() -> None:
    assert "fallback_linalg" in dir(mx.np)
    assert set(vars(fallback_linalg)["__all__"]) >= {"cond", "matrix_power"}


def test_a_description_beside_arguments() -> None:
    assert mx.init.create('["xavier", {}]', magnitude=2).magnitude == 2
    accuracy: Any = mx.metric.create('["acc", {}]', axis=0)
    assert accuracy.axis == 0
    create = mx.registry.get_create_func(mx.init.Initializer, "initializer")
    with pytest.raises(mx.MXNetError, match="magnitude"):
        create('["xavier", {}]', magnitude=2)


def test_a_profile_names_threads_blocks_and_lines(tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    mx.profiler.set_config(profile_all=True, filename=str(file))
    net = gluon.nn.Dense(1, in_units=2, prefix="profiled_")
    net.initialize()
    net(nd.ones((1, 2)))
    mx.profiler.set_state("run")
    net(nd.ones((1, 2))).wait_to_read()
    mx.profiler.set_state("stop")
    mx.profiler.dump()
    events = json.loads(file.read_text())["traceEvents"]
    assert any(event.get("name") == "thread_name" for event in events)
    (call,) = [event for event in events if event.get("name") == "FullyConnected"]
    assert "profiled" in json.dumps(call["args"])


@pytest.mark.parametrize(
    "make", [lambda: gluon.nn.Activation("rleu"), lambda: gluon.nn.Dense(1, activation="rleu")]
)
def test_an_activation_that_does_not_exist(make: Any) -> None:
    with pytest.raises(ValueError, match="rleu"):
        make()


def test_names_of_initializers_and_dtypes() -> None:
    layer = gluon.nn.Dense(1, weight_initializer="xavierr")
    with pytest.raises(ValueError, match="xavierr"):
        layer.initialize()
    with pytest.raises((TypeError, ValueError), match="float31"):
        gluon.nn.Dense(1, dtype="float31")


@pytest.mark.parametrize("kind", [gluon.nn.Sequential, gluon.nn.HybridSequential])
def test_a_class_is_no_layer(kind: Any) -> None:
    def made() -> None:
        net = kind()
        net.add(gluon.nn.Dense)
        net.initialize()

    with pytest.raises((TypeError, ValueError), match="Dense"):
        made()


def test_constants_of_lists_and_metrics_out_of_range() -> None:
    assert json.loads(mx.init.Constant([1, 2]).dumps())[1] == {"value": [1, 2]}
    composite = mx.metric.CompositeEvalMetric(["acc"])
    with pytest.raises(ValueError, match="1"):
        composite.get_metric(1)


def test_casts_have_the_names_of_what_they_cast() -> None:
    softmax = mx.sym.softmax(mx.sym.var("data"), name="sm0")
    net = mx.sym.FullyConnected(softmax, num_hidden=1, name="fc")
    cast = mx.contrib.amp.convert_symbol(net, target_dtype="float16")
    assert "sm0_output_amp_cast_float16" in cast.tojson(remove_amp_cast=False)


def test_quantized_inputs_have_the_names_of_what_they_are_made_of() -> None:
    relu = mx.sym.relu(mx.sym.var("data"), name="relu0")
    net = mx.sym.FullyConnected(relu, num_hidden=1, name="fc")
    arguments = {"fc_weight": nd.ones((1, 2)), "fc_bias": nd.zeros((1,))}
    quantized, *_ = mx.contrib.quantization.quantize_model(
        net, arguments, {}, calib_mode="none", quantized_dtype="int8"
    )
    assert "relu0_output_quantize" in json.dumps(quantized.tojson())


def test_shapes_of_data_are_tuples_or_descriptions() -> None:
    for shape in (1, 2), mx.io.DataDesc("data", (1, 2)):
        net = gluon.nn.Dense(1, in_units=2)
        net.initialize()
        quantized = mx.contrib.quantization.quantize_net(
            net, data_shapes=[shape], calib_mode="none"
        )
        assert quantized(nd.ones((1, 2))).shape == (1, 1)


def quantized_nodes(net: mx.sym.Symbol, **arguments: Any) -> list[str]:
    """Return the operators of a graph quantized without calibration, its weights 1."""
    shapes, _, states = net.infer_shape(**arguments)
    assert shapes is not None
    assert states is not None
    names = net.list_arguments()
    weights = {n: nd.ones(s) for n, s in zip(names, shapes, strict=True) if n not in arguments}
    aux = {n: nd.ones(s) for n, s in zip(net.list_auxiliary_states(), states, strict=True)}
    made, weights, aux = mx.contrib.quantization.quantize_model(
        net, weights, aux, calib_mode="none", quantized_dtype="int8"
    )
    bound = made.bind(
        mx.cpu(), {**weights, **{n: nd.ones(s) for n, s in arguments.items()}}, aux_states=aux
    )
    assert np.isfinite(bound.forward()[0].asnumpy()).all()
    return [node["op"] for node in json.loads(made.tojson())["nodes"]]


def test_normalization_without_calibration_runs() -> None:
    x = mx.sym.Convolution(mx.sym.var("data"), num_filter=2, kernel=(1, 1), name="conv")
    net = mx.sym.BatchNorm(mx.sym.relu(x), fix_gamma=False, name="norm")
    assert "_contrib_quantized_conv" in quantized_nodes(net, data=(1, 2, 2, 2))


def test_sums_and_pooling_by_powers_stay_on_floats() -> None:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc", flatten=False)
    pooled = mx.sym.Pooling(x, kernel=2, pool_type="lp", p_value=2)
    operators = quantized_nodes(mx.sym.sum(pooled, axis=1), data=(1, 2, 3))
    assert "_contrib_quantized_fully_connected" in operators
    assert {"Pooling", "sum"} <= set(operators)
    assert operators.count("_contrib_dequantize") == 1


def test_recurrent_layers_stay_on_floats() -> None:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc", flatten=False)
    net = mx.sym.RNN(
        x, mx.sym.var("weights"), mx.sym.var("state"), state_size=2, num_layers=1, mode="rnn_tanh"
    )
    assert "RNN" in quantized_nodes(net, data=(3, 1, 2), state=(1, 1, 2))
