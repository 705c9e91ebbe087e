"""Executors: symbols bound to arrays, run forward and backward."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import (
    ArgumentError,
    DTypeError,
    NDArray,
    ShapeError,
    cpu,
    kernel_table,
    nd,
    use_kernels,
)
from hy_symbol import Executor, GraphError, Symbol, sym


def array(*values: float) -> NDArray:
    return nd.array(values)


@pytest.fixture
def product() -> Symbol:
    result: Symbol = sym.var("a") * sym.var("b")
    return result


@pytest.fixture
def net() -> Symbol:
    hidden = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    made: Symbol = sym.BatchNorm(hidden, fix_gamma=False, name="bn")
    return made


def values(arrays: Any) -> list[Any]:
    return [None if x is None else x.asnumpy().tolist() for x in arrays]


# --- bind -----------------------------------------------------------------------------------------


def test_the_tutorial_binds_a_sum() -> None:
    c = sym.var("a") + sym.var("b")
    executor = c.bind(ctx=cpu(), args={"a": nd.ones([2, 3]), "b": nd.ones([2, 3])})
    executor.forward()
    assert len(executor.outputs) == 1
    np.testing.assert_array_equal(executor.outputs[0].asnumpy(), np.full((2, 3), 2.0))


def test_the_tutorial_shares_an_array() -> None:
    a = sym.var("a")
    data = nd.ones((2, 3)) * 2
    executor = (a + a * a).bind(ctx=cpu(), args={"a": data, "b": data})
    executor.forward()
    np.testing.assert_array_equal(executor.outputs[0].asnumpy(), np.full((2, 3), 6.0))


def test_arrays_are_given_by_name_or_in_order(product: Symbol) -> None:
    by_name = product.bind(cpu(), {"a": array(1, 2), "b": array(3, 4)})
    in_order = product.bind(cpu(), [array(1, 2), array(3, 4)])
    assert values(by_name.forward()) == values(in_order.forward()) == [[3, 8]]


def test_arrays_are_used_as_they_are_at_each_call(product: Symbol) -> None:
    a = array(1, 2)
    executor = product.bind(cpu(), [a, array(3, 4)])
    first = executor.forward()
    a[:] = 7
    assert values(executor.forward()) == [[21, 28]]
    assert values(first) == [[21, 28]]  # as in MXNet


@pytest.mark.parametrize("is_train", [False, True])
def test_outputs_are_the_same_arrays_in_all_passes(product: Symbol, is_train: bool) -> None:
    executor = product.bind(cpu(), [array(1, 2), array(3, 4)])
    (before,) = executor.outputs
    copies, views = [], []
    for i in range(4):  # planned from the second on
        (output,) = executor.forward(is_train=is_train, a=array(i, i))
        assert output is before is executor.outputs[0] is executor.output_dict["_mul0_output"]
        copies.append(output.copy())
        views.append(output.detach())
    assert values(copies) == values(views) == [[0, 0], [3, 4], [6, 8], [9, 12]]


def test_new_values_are_copied_into_the_arguments(product: Symbol) -> None:
    a = array(1, 2)
    executor = product.bind(cpu(), [a, array(3, 4)])
    assert values(executor.forward(a=array(9, 9))) == [[27, 36]]
    assert values([a]) == [[9, 9]]
    assert values(executor.forward(b=np.ones(2))) == [[9, 9]]


def test_outputs_have_shapes_before_the_first_run(product: Symbol) -> None:
    executor = product.bind(cpu(), [array(1, 2), array(3, 4)])
    assert values(executor.outputs) == [[0, 0]]


def test_dicts_by_name(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(2, 5))
    assert list(executor.arg_dict) == net.list_arguments()
    assert list(executor.grad_dict) == net.list_arguments()
    assert list(executor.aux_dict) == ["bn_moving_mean", "bn_moving_var"]
    assert list(executor.output_dict) == ["bn_output"]
    twice = sym.Group([sym.var("a"), sym.var("a")]).bind(cpu(), [array(1), array(2)])
    assert values(twice.forward()) == [[1], [2]]
    with pytest.raises(GraphError, match="names are not unique"):
        twice.arg_dict  # noqa: B018


def bad_binds() -> dict[str, tuple[type[Exception], Any]]:
    product: Any = sym.var("a") * sym.var("b")
    net = sym.BatchNorm(sym.var("a"), name="bn")
    a, b = array(1, 2), array(3, 4)
    both = {"a": a, "b": b}
    return {
        "args has 1 arrays for 2: a, b": (GraphError, lambda: product.bind(cpu(), [a])),
        "key `b` is missing in `args`": (GraphError, lambda: product.bind(cpu(), {"a": a})),
        "'b' is 3, not an NDArray": (ArgumentError, lambda: product.bind(cpu(), {"a": a, "b": 3})),
        "ctx='cpu' is no Context": (ArgumentError, lambda: product.bind("cpu", both)),
        "elemwise_mul '_mul": (ShapeError, lambda: product.bind(cpu(), [a, array(1, 2, 3)])),
        "must be float": (DTypeError, lambda: product.bind(cpu(), [a, nd.ones(2, dtype="int8")])),
        "args_grad has 1 arrays for 2": (GraphError, lambda: product.bind(cpu(), both, [a])),
        "grad_req has 1 requests for 2": (
            GraphError,
            lambda: product.bind(cpu(), both, [a, b], grad_req=["null"]),
        ),
        "grad_req of 'a' is 'foo'": (
            ArgumentError,
            lambda: product.bind(cpu(), both, [a, b], grad_req="foo"),
        ),
        "key `bn_moving_mean`, `bn_moving_var` is missing in `aux_states`": (
            GraphError,
            lambda: net.bind(cpu(), {"a": nd.ones((1, 2)), "bn_gamma": a, "bn_beta": b}),
        ),
    }


@pytest.mark.parametrize("message", bad_binds())
def test_a_wrong_bind_says_what_is_wrong(message: str) -> None:
    error, call = bad_binds()[message]
    with pytest.raises(error, match=message):
        call()


def test_unknown_or_misshapen_values_are_refused(product: Symbol) -> None:
    executor = product.bind(cpu(), [array(1, 2), array(3, 4)])
    with pytest.raises(TypeError, match="Unknown argument z: there are a, b"):
        executor.forward(z=array(1, 2))
    with pytest.raises(ValueError, match=r"Argument a, need: \(2,\), received: \(3,\)"):
        executor.forward(a=array(1, 2, 3))


# --- simple_bind and eval -------------------------------------------------------------------------


def test_simple_bind_makes_arrays_of_zeros(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(2, 5))
    shapes = {name: x.shape for name, x in executor.arg_dict.items()}
    assert shapes == {
        "data": (2, 5),
        "fc_weight": (3, 5),
        "fc_bias": (3,),
        "bn_gamma": (3,),
        "bn_beta": (3,),
    }
    assert {name: x.shape for name, x in executor.aux_dict.items()} == {
        "bn_moving_mean": (3,),
        "bn_moving_var": (3,),
    }
    assert all(not x.asnumpy().any() for x in (*executor.arg_arrays, *executor.aux_arrays))
    assert [g.shape for g in executor.grad_arrays if g is not None] == list(shapes.values())


def test_simple_bind_infers_dtypes(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(2, 5), type_dict={"data": "float64"})
    assert executor.arg_dict["fc_weight"].dtype is np.float64
    assert executor.grad_dict["fc_weight"] is not None
    assert executor.grad_dict["fc_weight"].dtype is np.float64
    mixed = sym.cast(sym.var("a"), dtype="float16") + sym.var("b")
    found = mixed.simple_bind(cpu(), a=(2,)).arg_dict
    assert (found["a"].dtype, found["b"].dtype) == (np.float32, np.float16)


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        ("write", ["data", "fc_weight", "fc_bias", "bn_gamma", "bn_beta"]),
        ("null", []),
        (None, []),
        ({"fc_weight": "write"}, ["fc_weight"]),
        (["null", "write", "null", "add", "null"], ["fc_weight", "bn_gamma"]),
    ],
)
def test_gradients_are_kept_as_requested(net: Symbol, request_: Any, kept: list[str]) -> None:
    executor = net.simple_bind(cpu(), grad_req=request_, data=(2, 5))
    assert [name for name, grad in executor.grad_dict.items() if grad is not None] == kept


def test_simple_bind_says_which_shapes_are_missing(net: Symbol) -> None:
    with pytest.raises(GraphError, match="do not follow from what is given: data, fc_weight"):
        net.simple_bind(cpu())
    with pytest.raises(ShapeError, match="FullyConnected 'fc'"):
        net.simple_bind(cpu(), data=(2, 5), fc_weight=(9, 9))


def test_simple_bind_leaves_unknown_names_alone(net: Symbol) -> None:
    assert net.simple_bind(cpu(), data=(2, 5), unknown=(1,)).arg_dict["data"].shape == (2, 5)


def test_executors_share_arrays(net: Symbol) -> None:
    first = net.simple_bind(cpu(), data=(2, 5))
    names = ["fc_weight"]
    second = net.simple_bind(cpu(), data=(4, 5), shared_exec=first, shared_arg_names=names)
    assert second.arg_dict["fc_weight"] is first.arg_dict["fc_weight"]
    assert second.grad_dict["fc_weight"] is first.grad_dict["fc_weight"]
    assert second.arg_dict["fc_bias"] is not first.arg_dict["fc_bias"]
    assert second.aux_dict["bn_moving_var"] is first.aux_dict["bn_moving_var"]
    apart = net.simple_bind(cpu(), data=(4, 5), shared_exec=first)
    assert apart.arg_dict["fc_weight"] is not first.arg_dict["fc_weight"]
    with pytest.raises(ShapeError, match=r"'fc_weight' would change from \(3, 5\) to \(3, 4\)"):
        net.simple_bind(cpu(), data=(4, 4), shared_exec=first, shared_arg_names=names)


def test_executors_share_a_buffer(net: Symbol) -> None:
    buffer: dict[str, NDArray] = {}
    first = net.simple_bind(cpu(), data=(2, 5), shared_buffer=buffer)
    second = net.simple_bind(cpu(), data=(2, 5), shared_buffer=buffer)
    arguments = net.list_arguments()
    assert set(buffer) == {*arguments, *(f"grad of {name}" for name in arguments)}
    assert second.arg_dict["fc_weight"] is first.arg_dict["fc_weight"]
    assert second.grad_dict["fc_weight"] is first.grad_dict["fc_weight"]


def test_a_buffer_holds_smaller_arrays_and_grows_for_larger_ones() -> None:
    x = sym.var("x") * 2
    buffer: dict[str, NDArray] = {}
    first = x.simple_bind(cpu(), x=(4, 3), shared_buffer=buffer)
    second = x.simple_bind(cpu(), x=(2, 3), shared_buffer=buffer)
    second.forward(is_train=True, x=nd.ones((2, 3)))
    assert first.arg_dict["x"].asnumpy().sum(axis=1).tolist() == [3, 3, 0, 0]
    second.backward(nd.ones((2, 3)))
    assert values(first.grad_arrays) == [[[2.0] * 3, [2.0] * 3, [0.0] * 3, [0.0] * 3]]
    x.simple_bind(cpu(), x=(6, 3), shared_buffer=buffer)
    assert buffer["x"].shape == buffer["grad of x"].shape == (6, 3)
    with pytest.raises(DTypeError, match="'x' is float64, the array that is to be shared float32"):
        x.simple_bind(cpu(), type_dict={"x": "float64"}, x=(6, 3), shared_buffer=buffer)


def test_a_smaller_executor_has_the_memory_of_the_one_it_was_reshaped_from() -> None:
    first = (sym.var("x") * 2).simple_bind(cpu(), x=(4, 3))
    second = first.reshape(x=(2, 3))
    second.forward(is_train=True, x=nd.ones((2, 3)))
    second.backward(nd.ones((2, 3)))
    assert first.arg_dict["x"].asnumpy().sum(axis=1).tolist() == [3, 3, 0, 0]
    assert values(first.grad_arrays) == [[[2.0] * 3, [2.0] * 3, [0.0] * 3, [0.0] * 3]]


def test_eval_binds_and_runs(product: Symbol, net: Symbol) -> None:
    assert values(product.eval(a=array(1, 2), b=array(3, 4))) == [[3, 8]]
    assert values(product.eval(ctx=cpu(), a=array(1, 2), b=array(3, 4))) == [[3, 8]]
    with pytest.raises(GraphError, match="key `b` is missing in `args`"):
        product.eval(a=array(1, 2))
    (y,) = net.eval(
        data=nd.ones((1, 2)),
        fc_weight=nd.ones((3, 2)),
        fc_bias=nd.zeros(3),
        bn_gamma=nd.ones(3),
        bn_beta=nd.zeros(3),
        bn_moving_mean=nd.zeros(3),
        bn_moving_var=nd.ones(3),
    )
    np.testing.assert_allclose(y.asnumpy(), [[2, 2, 2]], rtol=1e-2)


# --- backward -------------------------------------------------------------------------------------


def test_gradients_are_written_where_they_belong(product: Symbol) -> None:
    a, b = nd.zeros(2), nd.zeros(2)
    executor = product.bind(cpu(), [array(1, 2), array(3, 4)], {"a": a, "b": b})
    executor.forward(is_train=True)
    executor.backward(nd.ones(2))
    assert values([a, b]) == [[3, 4], [1, 2]]
    executor.backward(nd.ones(2) * 2)
    assert values(executor.grad_arrays) == [[6, 8], [2, 4]]


def test_gradients_are_added_or_left_out_as_requested(product: Symbol) -> None:
    a, b = nd.ones(2), nd.ones(2)
    arguments = [array(1, 2), array(3, 4)]
    executor = product.bind(cpu(), arguments, [a, b], grad_req=["null", "add"])
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.ones(2))
    assert values([a, b]) == [[1, 1], [3, 5]]
    executor = product.bind(cpu(), arguments, {"a": a, "b": b}, grad_req={"a": "add"})
    executor.forward(is_train=True)
    executor.backward(nd.ones(2))
    assert values([a, b]) == [[4, 5], [3, 5]]


def test_gradients_of_some_arguments_only(product: Symbol) -> None:
    a = nd.zeros(2)
    executor = product.bind(cpu(), [array(1, 2), array(3, 4)], {"a": a})
    executor.forward(is_train=True)
    executor.backward(nd.ones(2))
    assert values(executor.grad_arrays) == [[3, 4], None]


def test_without_gradients_backward_does_nothing(product: Symbol) -> None:
    executor = product.bind(cpu(), [array(1, 2), array(3, 4)])
    executor.forward(is_train=True)
    executor.backward(nd.ones(2))
    assert values(executor.grad_arrays) == [None, None]


def test_an_argument_without_influence_gets_zeros() -> None:
    net = sym.BlockGrad(sym.var("a")) + sym.var("b")
    grads = [nd.ones(2) * 7, nd.ones(2) * 7]
    executor = net.bind(cpu(), [array(1, 2), array(3, 4)], grads)
    executor.forward(is_train=True)
    executor.backward(nd.ones(2))
    assert values(grads) == [[0, 0], [1, 1]]
    executor = net.bind(cpu(), [array(1, 2), array(3, 4)], grads, grad_req="add")
    executor.forward(is_train=True)
    executor.backward(nd.ones(2))
    assert values(grads) == [[0, 0], [2, 2]]


def test_losses_need_no_head_gradient() -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    executor = sym.SoftmaxOutput(net, name="softmax").simple_bind(cpu(), data=(2, 4))
    executor.forward(is_train=True)
    executor.backward()
    bias = executor.grad_dict["fc_bias"]
    assert bias is not None
    np.testing.assert_allclose(bias.asnumpy(), [-4 / 3, 2 / 3, 2 / 3], rtol=1e-6)


def test_outputs_without_gradient_need_no_head_gradient() -> None:
    a = sym.var("a")
    group = sym.Group([sym.MakeLoss(sym.sum(a * a)), sym.BlockGrad(a)])
    executor = group.simple_bind(cpu(), a=(2,))
    executor.forward(is_train=True, a=array(1, 2))
    executor.backward()
    assert values(executor.grad_arrays) == [[2, 4]]


def test_other_outputs_need_one_each() -> None:
    a, b = sym.var("a"), sym.var("b")
    grads = [nd.zeros(2), nd.zeros(2)]
    group = sym.Group([a * 2, b * 3])
    executor = group.bind(cpu(), [array(1, 2), array(3, 4)], grads)
    executor.forward(is_train=True)
    executor.backward([nd.ones(2), nd.ones(2)])
    assert values(grads) == [[2, 2], [3, 3]]
    names = group.list_outputs()
    executor.backward({names[0]: nd.ones(2) * 2, names[1]: nd.ones(2) * 3})
    assert values(grads) == [[4, 4], [9, 9]]
    for missing in (None, [nd.ones(2)], nd.ones(2), {names[0]: nd.ones(2)}):
        with pytest.raises(GraphError, match="is no loss, so its head gradient must be given"):
            executor.backward(missing)
    with pytest.raises(ShapeError, match=r"head gradient \(3,\) .* output '_mulscalar\d+_output'"):
        executor.backward([nd.ones(3), nd.ones(2)])
    with pytest.raises(TypeError, match="is no NDArray"):
        executor.backward([1.0, nd.ones(2)])  # type: ignore[list-item]


@pytest.mark.parametrize("read", [False, True])
def test_backward_before_forward_runs_forward_first(read: bool) -> None:
    executor = (sym.var("x") ** 2).simple_bind(cpu(), x=(2,))
    executor.arg_dict["x"][:] = 3
    if read:
        assert executor.outputs[0].shape == (2,)
    executor.backward(nd.ones(2))
    gradient = executor.grad_dict["x"]
    assert gradient is not None
    assert gradient.asnumpy().tolist() == [6, 6]


def test_head_gradients_of_integers_are_ignored() -> None:
    x = sym.var("x")
    executor = sym.Group([x * 2, sym.shape_array(x)]).simple_bind(cpu(), x=(2, 3))
    executor.forward(is_train=True)
    executor.backward([nd.ones((2, 3)), nd.ones(5)])
    gradient = executor.grad_dict["x"]
    assert gradient is not None
    assert gradient.asnumpy().tolist() == [[2, 2, 2], [2, 2, 2]]


def test_backward_after_a_forward_pass_for_prediction_has_its_gradients(product: Symbol) -> None:
    executor = product.simple_bind(cpu(), a=(2,))
    executor.forward(a=array(1, 2), b=array(3, 4))
    executor.backward(nd.ones(2))
    assert values(executor.grad_arrays) == [[3, 4], [1, 2]]


def test_states_move_in_training_only(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(4, 5))
    x = nd.array(np.arange(20.0).reshape(4, 5))
    executor.copy_params_from({"fc_weight": nd.ones((3, 5)), "bn_gamma": nd.ones(3)})
    executor.forward(data=x)
    assert not executor.aux_dict["bn_moving_mean"].asnumpy().any()
    executor.forward(is_train=True)
    assert executor.aux_dict["bn_moving_mean"].asnumpy().all()


def test_dropout_uses_one_mask_forward_and_backward() -> None:
    executor = sym.Dropout(sym.var("x"), p=0.5).simple_bind(cpu(), x=(50,))
    (y,) = executor.forward(is_train=True, x=nd.ones((50,)))
    executor.backward(nd.ones((50,)))
    np.testing.assert_array_equal(values(executor.grad_arrays)[0], y.asnumpy())


# --- parameters and shapes ------------------------------------------------------------------------


def test_parameters_are_copied_by_name(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(2, 5))
    weight, mean = nd.ones((3, 5), dtype="float64") * 2, nd.ones(3)
    executor.copy_params_from({"fc_weight": weight}, {"bn_moving_mean": mean})
    assert executor.arg_dict["fc_weight"].asnumpy().sum() == 30
    assert executor.arg_dict["fc_weight"].dtype is np.float32
    assert executor.aux_dict["bn_moving_mean"].asnumpy().sum() == 3
    executor.copy_params_from({"zz": weight}, {"yy": mean}, allow_extra_params=True)
    with pytest.raises(GraphError, match='Find name "zz" that is not in the arguments'):
        executor.copy_params_from({"zz": weight})
    with pytest.raises(GraphError, match='Find name "yy" that is not in the auxiliary states'):
        executor.copy_params_from({}, {"yy": mean})
    with pytest.raises(ShapeError, match=r"Argument fc_weight, need: \(3, 5\)"):
        executor.copy_params_from({"fc_weight": nd.ones((2, 2))})


def test_reshape_shares_what_stays(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(4, 5))
    smaller = executor.reshape(data=(2, 5))
    assert smaller.arg_dict["data"].shape == (2, 5)
    assert smaller.arg_dict["fc_weight"] is executor.arg_dict["fc_weight"]
    assert smaller.grad_dict["fc_weight"] is executor.grad_dict["fc_weight"]
    assert smaller.aux_dict["bn_moving_var"] is executor.aux_dict["bn_moving_var"]
    assert smaller.grad_dict["data"] is not None
    assert smaller.grad_dict["data"].shape == (2, 5)
    assert smaller.forward()[0].shape == (2, 3)


def test_outputs_of_a_reshaped_executor_are_parts_of_the_first_one_s() -> None:
    y = sym.FullyConnected(sym.var("x"), num_hidden=2, name="f")
    first = y.simple_bind(cpu(), x=(3, 4), grad_req="null")
    first.arg_dict["x"][:], first.arg_dict["f_weight"][:] = 1, 1
    held = first.forward()[0]
    second = first.reshape(x=(2, 4))
    second.arg_dict["x"][:] = 2
    (result,) = second.forward()
    np.testing.assert_array_equal(result.asnumpy(), [[8, 8], [8, 8]])
    np.testing.assert_array_equal(held.asnumpy(), [[8, 8], [8, 8], [4, 4]])
    larger = first.reshape(x=(5, 4), allow_up_sizing=True)
    larger.forward()
    np.testing.assert_array_equal(held.asnumpy(), [[8, 8], [8, 8], [4, 4]])


def test_reshape_asks_before_arrays_grow_or_others_change(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(4, 5))
    with pytest.raises(GraphError, match="pass allow_up_sizing=True"):
        executor.reshape(data=(8, 5))
    assert executor.reshape(allow_up_sizing=True, data=(8, 5)).arg_dict["data"].shape == (8, 5)
    with pytest.raises(GraphError, match=r"'fc_weight' would change .* pass partial_shaping=True"):
        executor.reshape(data=(4, 4))
    changed = executor.reshape(partial_shaping=True, data=(4, 4))
    assert changed.arg_dict["fc_weight"].shape == (3, 4)


# --- watching -------------------------------------------------------------------------------------


def test_a_monitor_sees_every_output(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(2, 5))
    seen: dict[str, Any] = {}
    executor.set_monitor_callback(lambda name, x: seen.update({name: x.shape}))
    executor.forward()
    assert list(seen) == ["fc_output", "bn_output", "bn_mean", "bn_var"]
    assert seen["fc_output"] == (2, 3)


def test_a_monitor_may_see_the_inputs_too() -> None:
    net = sym.FullyConnected(sym.relu(sym.var("x"), name="act"), num_hidden=2, name="fc")
    executor = net.simple_bind(cpu(), x=(2, 5))
    seen: list[str] = []
    executor.set_monitor_callback(lambda name, x: seen.append(name), monitor_all=True)
    executor.forward()
    assert seen == [
        "x",
        "act_input0",
        "act_output",
        "fc_data",
        "fc_weight",
        "fc_weight",
        "fc_bias",
        "fc_bias",
        "fc_output",
    ]
    seen.clear()
    executor.set_monitor_callback(None)
    executor.forward()
    assert seen == []


def test_watched_and_unwatched_runs_agree(net: Symbol, rng: np.random.Generator) -> None:
    def run(*, watched: bool) -> list[Any]:
        executor = net.simple_bind(cpu(), data=(4, 5))
        if watched:
            executor.set_monitor_callback(lambda name, x: None)
        executor.copy_params_from({"fc_weight": weight, "bn_gamma": nd.ones(3)})
        executor.forward(is_train=True, data=data)
        executor.backward(head)
        return values([*executor.outputs, *executor.grad_arrays, *executor.aux_arrays])

    data, weight = nd.array(rng.normal(size=(4, 5))), nd.array(rng.normal(size=(3, 5)))
    head = nd.array(rng.normal(size=(4, 3)))
    assert run(watched=True) == run(watched=False)


def test_an_executor_shows_its_graph(net: Symbol) -> None:
    executor = net.simple_bind(cpu(), data=(2, 5))
    lines = executor.debug_str().split("\n")
    assert "\n".join(lines[:-3]) + "\n" == net.debug_str()
    assert lines[-3:] == ["Total 0 MB allocated", "Total 0 TempSpace resource requested", ""]
    wide = (sym.exp(sym.var("x")) * 2).sum().simple_bind(cpu(), x=(1 << 21,))
    assert int(wide.debug_str().split("\n")[-3].split()[1]) >= 8
    whole: Any = executor.get_optimized_symbol()
    assert whole.tojson() == net.tojson()
    a, b = sym.var("a"), sym.var("b")
    twice = ((a + b) * (a + b)).simple_bind(cpu(), a=(1,), b=(1,))
    merged: Any = twice.get_optimized_symbol()
    assert len(merged.get_internals()) == 4


# --- devices and tables ---------------------------------------------------------------------------


def test_groups_of_nodes_all_run_on_one_device() -> None:
    net = sym.var("a", attr={"ctx_group": "one"}) + 1
    executor = net.bind(cpu(), [array(1, 2)], group2ctx={"one": cpu(), "two": cpu()})
    assert values(executor.forward()) == [[2, 3]]


def test_the_kernel_table_may_change_between_calls(product: Symbol) -> None:
    executor = product.simple_bind(cpu(), a=(2,))
    executor.forward(is_train=True, a=array(1, 2), b=array(3, 4))
    with use_kernels(kernel_table("numpy"), device="cpu"):
        executor.backward(nd.ones(2))
        assert values(executor.grad_arrays) == [[3, 4], [1, 2]]
        assert values(executor.forward()) == [[3, 8]]
    assert values(executor.forward()) == [[3, 8]]


def test_a_graph_without_arguments_runs() -> None:
    executor = (sym.ones((2,)) + 1).bind(cpu(), {})
    assert isinstance(executor, Executor)
    assert values(executor.forward()) == [[2, 2]]
    executor.set_monitor_callback(lambda name, x: None)
    assert values(executor.forward()) == [[2, 2]]


def test_creations_of_open_shape_take_the_shape_of_their_use() -> None:
    net = sym.zeros((0, 3)) + sym.var("a")
    assert values(net.eval(a=nd.ones((2, 3)))) == [[[1, 1, 1], [1, 1, 1]]]
    with pytest.raises(GraphError, match="shape does not follow from its use"):
        sym.FullyConnected(sym.zeros((0, 3)), num_hidden=2).simple_bind(cpu())


def test_the_head_gradient_of_a_loss_may_have_any_shape() -> None:
    executor = sym.make_loss(sym.var("a") * 2).simple_bind(cpu(), a=(2,))
    executor.forward(is_train=True)
    executor.backward([nd.ones((5, 5))])
    assert values(executor.grad_arrays) == [[2, 2]]
