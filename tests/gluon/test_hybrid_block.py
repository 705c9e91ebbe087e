"""HybridBlock: eager and hybrid alike, gradients, hooks, structures, and telling errors."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, cast

import numpy as np
import pytest

from hy_gluon import (
    Block,
    BlockError,
    DeferredInitializationError,
    HybridBlock,
    StructureError,
    SymbolBlock,
    nn,
)
from hy_gluon.initializer import Uniform
from hy_ndarray import (
    ArgumentError,
    AutogradError,
    DTypeError,
    HyError,
    NDArray,
    ShapeError,
    autograd,
    nd,
    random,
)
from hy_symbol import BackendError, NameManager, sym


def mlp(**kwargs: Any) -> nn.HybridSequential:
    with NameManager():
        net = nn.HybridSequential(prefix="net_")
        with net.name_scope():
            net.add(nn.Dense(8, activation="relu"), nn.Dropout(0.5), nn.Dense(3))
    net.initialize(**kwargs)
    return net


class TwoByTwo(HybridBlock):
    """Two inputs, one of them optional and nested; two outputs."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **_: Any) -> Any:
        (pair, scale) = args
        first, second = pair
        if scale is not None:
            first = first * scale
        return F.broadcast_add(x, first), [F.broadcast_mul(x, second)]


# --- the same numbers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flags", [{}, {"static_alloc": True}, {"static_alloc": True, "static_shape": True}]
)
def test_hybrid_values_and_gradients_are_the_eager_ones(
    flags: dict[str, Any], rng: np.random.Generator
) -> None:
    net = mlp()
    x = nd.array(rng.standard_normal((4, 5)))
    x.attach_grad()
    net(x)  # initializes the parameters, which draws numbers too

    def gradients() -> list[Any]:
        random.seed(3)
        with autograd.record():
            y = net(x)
        y.backward()
        assert x.grad is not None
        parameters = net.collect_params().values()
        return [y.asnumpy(), x.grad.asnumpy(), *(p.grad().asnumpy() for p in parameters)]

    eager = gradients()
    net.hybridize(**flags)
    for before, after in zip(eager, gradients(), strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-6)


def test_dropout_draws_the_same_mask_eager_and_hybrid() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dropout(0.5))
    x = nd.ones((64,))
    results = []
    for hybrid in (False, True):
        net.hybridize(hybrid)
        random.seed(11)
        with autograd.train_mode():
            results.append(net(x).asnumpy())
    np.testing.assert_array_equal(results[0], results[1])
    assert 0 < (results[0] == 0).sum() < 64


def test_batch_norm_learns_its_statistics_in_both_ways(rng: np.random.Generator) -> None:
    x = nd.array(rng.standard_normal((16, 4)) * 3 + 1)
    means = []
    for hybrid in (False, True):
        net = nn.HybridSequential()
        net.add(nn.BatchNorm(in_channels=4))
        net.initialize()
        net.hybridize(hybrid)
        with autograd.record():
            y = net(x)
        y.backward()
        means.append(net[0].running_mean.data().asnumpy())
    np.testing.assert_allclose(means[1], means[0], rtol=1e-6)
    np.testing.assert_allclose(means[0], 0.1 * x.asnumpy().mean(0), rtol=1e-4)


def test_second_derivatives_pass_a_hybridized_block() -> None:
    class Cube(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:  # noqa: ARG002
            return x * x * x

    cube = Cube()
    cube.hybridize()
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = cube(x)
        (dx,) = autograd.grad(y, [x], create_graph=True, retain_graph=True)
    dx.backward()
    np.testing.assert_allclose(dx.asnumpy(), [3, 12])
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.asnumpy(), [6, 12])


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_layers_that_are_joined_with_activations_have_second_gradients(activation: str) -> None:
    layer, slopes = nn.Dense(2, in_units=3, activation=activation), []
    layer.initialize(Uniform(1.0))
    for hybrid in (False, True):
        layer.hybridize(hybrid, static_alloc=hybrid)
        x = nd.array([[1.0, 2.0, -0.5]])
        x.attach_grad()
        with autograd.record():
            (dx,) = autograd.grad((layer(x) ** 2).sum(), [x], create_graph=True, retain_graph=True)
        dx.backward()
        assert x.grad is not None
        slopes.append(x.grad.asnumpy())
    np.testing.assert_allclose(slopes[1], slopes[0], rtol=1e-5)


@pytest.mark.parametrize("layer", [nn.ELU(), nn.Dropout(0.0)])
def test_what_draws_no_numbers_has_second_gradients_in_a_graph(layer: nn.HybridBlock) -> None:
    slopes = []
    for hybrid in (False, True):
        layer.hybridize(hybrid)
        x = nd.array([[-1.0, 2.0]])
        x.attach_grad()
        with autograd.record():
            y = layer(x) ** 2
            (dx,) = autograd.grad(y, [x], create_graph=True, retain_graph=True)
        dx.backward()
        assert x.grad is not None
        slopes.append(x.grad.asnumpy())
    np.testing.assert_allclose(slopes[1], slopes[0], rtol=1e-6)


def test_what_draws_numbers_has_no_second_gradients_in_a_graph() -> None:
    layer, x = nn.Dropout(0.5), nd.ones((2, 3))
    layer.hybridize()
    x.attach_grad()
    with autograd.record():
        layer(x)  # recorded operator by operator
        y = layer(x) ** 2
        with pytest.raises(AutogradError, match=r"'dropout.*would draw new numbers; call"):
            autograd.grad(y, [x], create_graph=True, retain_graph=True)


def test_eight_threads_may_call_one_hybridized_block(rng: np.random.Generator) -> None:
    net = mlp()
    inputs = [nd.array(rng.standard_normal((n % 3 + 1, 5))) for n in range(64)]
    expected = [net(x).asnumpy() for x in inputs]
    net.hybridize(static_alloc=True, static_shape=True)  # threads trace it
    start = Barrier(8)

    def predict(first: int) -> list[Any]:
        start.wait(20)
        return [net(x).asnumpy() for x in inputs[first::8]]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(predict, range(8)))
    for first, found in enumerate(results):
        for result, wanted in zip(found, expected[first::8], strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


# --- structures -------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [None, 2.0])
def test_nested_and_missing_arguments_keep_their_structure(scale: float | None) -> None:
    block = TwoByTwo()
    x, a, b = nd.array([1.0]), nd.array([2.0]), nd.array([3.0])
    factor = None if scale is None else nd.array([scale])
    for hybrid in (False, True):
        block.hybridize(hybrid)
        total, (product,) = block(x, [a, b], factor)
        assert total.asscalar() == 1 + 2 * (scale or 1)
        assert product.asscalar() == 3


class SumOf(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any, *others: Any) -> Any:
        return x[0] * 2 if isinstance(x, list) else F.add_n(x, *others)


def test_each_structure_of_arguments_has_a_graph_of_its_own() -> None:
    block = SumOf()
    x = nd.array([2.0])
    block.hybridize()
    for _ in range(2):
        assert block([x]).asscalar() == 4
        assert block(x, x, x).asscalar() == 6
    assert len(block._hy_traces) == 2


@pytest.mark.parametrize("is_first", [False, True])
def test_a_hybridized_block_refuses_none_where_an_array_was_and_the_reverse(is_first: bool) -> None:
    block = TwoByTwo()
    x = nd.array([2.0])
    block.hybridize()
    factors = (None, x) if is_first else (x, None)
    sums = (4, 6) if is_first else (6, 4)
    assert block(x, [x, x], factors[0])[0].asscalar() == sums[0]
    with pytest.raises(
        ValueError, match=r"twobytwo\d+: the arguments have the structure \[0, \[0, 0\]"
    ):
        block(x, [x, x], factors[1])
    assert block(x, [x, x], factors[0])[0].asscalar() == sums[0]
    block.hybridize()
    assert block(x, [x, x], factors[1])[0].asscalar() == sums[1]


def test_an_imported_graph_takes_one_structure_only() -> None:
    a, b, c = map(sym.var, "abc")
    block = SymbolBlock(a + b * c, [a, [b, c]])
    x = nd.array([2.0])
    assert block(x, [x, x]).asscalar() == 6
    with pytest.raises(StructureError, match=r"structure \[0, 0\], but .* \[0, \[0, 0\]\]"):
        block(x, x)


def test_inputs_and_parameters_that_nothing_uses_are_told() -> None:
    class Wasteful(HybridBlock):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.spare = self.params.get("spare", shape=(3,))

        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            return F.relu(x)

    block = Wasteful(prefix="net_")
    block.initialize()
    x = nd.ones((2,))
    block(x, x, x)
    block.hybridize()
    with pytest.warns(UserWarning, match="are not used by any computation") as told:
        block(x, x, x)
    assert [str(warning.message).split(" are ")[0] for warning in told] == [
        "net: inputs 1, 2",
        "net: parameters net_spare",
    ]
    assert {warning.filename for warning in told} == {__file__}
    block(x, x, x)  # once is enough


def test_arrays_and_symbols_do_not_mix() -> None:
    with pytest.raises(StructureError, match="mix NDArrays and Symbols"):
        TwoByTwo()(nd.ones((1,)), sym.var("x"), None)


def test_only_arrays_and_symbols_are_taken() -> None:
    with pytest.raises(StructureError, match="takes NDArrays or Symbols, not a numpy array"):
        mlp()(np.zeros((1, 5)))


def test_children_of_a_hybrid_block_are_hybrid() -> None:
    class Plain(Block):
        def forward(self, *args: Any) -> Any:
            return args[0]

    with pytest.raises(
        StructureError,
        match=r"type Plain\. If you are using Sequential, please try HybridSequential",
    ):
        nn.HybridSequential().add(Plain())


# --- parameters -------------------------------------------------------------------------------


def test_an_uninitialized_parameter_names_itself() -> None:
    layer = nn.Dense(2, in_units=3, prefix="fc_")
    with pytest.raises(HyError, match="'fc_weight' has not been initialized; call initialize"):
        layer(nd.ones((1, 3)))


def test_a_deferred_parameter_says_what_it_waits_for() -> None:
    layer = nn.Dense(2, prefix="fc_")
    layer.initialize()
    with pytest.raises(DeferredInitializationError, match=r"'fc_weight'.*in_units"):
        layer.weight.data()
    layer(nd.ones((1, 3)))
    assert layer.weight.data().shape == (2, 3)


def test_a_wrong_shape_names_the_node_and_the_rule() -> None:
    net = mlp()
    net.hybridize()
    net(nd.ones((2, 5)))
    message = r"FullyConnected 'net_dense0_fwd': weight \(8, 5\) must be \(8, 7\)"
    with pytest.raises(ShapeError, match=message) as caught:
        net(nd.ones((2, 7)))
    assert any("node made at" in note for note in caught.value.__notes__)
    net.hybridize(False)
    with pytest.raises(ShapeError, match=r"FullyConnected: weight \(8, 5\) must be \(8, 7\)"):
        net(nd.ones((2, 7)))
    assert net(nd.ones((2, 5))).shape == (2, 3)  # and nothing is broken


def test_a_wrong_dtype_is_refused() -> None:
    net = mlp()
    net.hybridize()
    net(nd.ones((2, 5)))
    with pytest.raises(DTypeError, match=r"FullyConnected 'net_dense0_fwd'.*float64"):
        net(nd.ones((2, 5), dtype="float64"))


def test_an_unknown_operator_parameter_names_the_near_one() -> None:
    with pytest.raises(ArgumentError, match="unknown argument 'kernal'; did you mean 'kernel'"):
        nd.Convolution(  # type: ignore[call-overload]
            nd.ones((1, 1, 3, 3)), nd.ones((1, 1, 3, 3)), kernal=(3, 3), num_filter=1
        )


def test_options_of_hybridize_are_checked() -> None:
    with pytest.raises(BlockError, match="unknown option 'static_alok'"):
        mlp().hybridize(static_alok=True)
    with pytest.raises(BackendError, match=r"'tensorrt'; known are channels_last"):
        mlp().hybridize(backend="tensorrt")


def test_a_variable_that_is_no_parameter_is_refused() -> None:
    class Stray(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            return F.broadcast_add(x, sym.var("stray"))

    block = Stray(prefix="block_")
    block.hybridize()
    with pytest.raises(BlockError, match=r"variable 'stray'.*neither an argument nor a parameter"):
        block(nd.ones((2,)))


# --- hooks, summary, export -------------------------------------------------------------------


def test_hooks_fire_around_forward_until_detached() -> None:
    layer = nn.Dense(2, in_units=2)
    layer.initialize()
    seen: list[str] = []
    before = layer.register_forward_pre_hook(lambda block, args: seen.append("before"))
    with layer.register_forward_hook(lambda block, args, out: seen.append(f"after {out.shape}")):
        layer(nd.ones((1, 2)))
    before.detach()
    layer(nd.ones((1, 2)))
    assert seen == ["before", "after (1, 2)"]


def test_op_hooks_show_every_operator_of_the_graph() -> None:
    net = mlp()
    seen: list[tuple[str, str]] = []
    net.hybridize()
    net(nd.ones((1, 5)))
    net.register_op_hook(lambda name, op, array: seen.append((name, op)))
    y = net(nd.ones((1, 5)))
    assert isinstance(y, NDArray)
    assert ("net_dense0_fwd_output", "FullyConnected") in seen
    assert [op for _, op in seen].count("FullyConnected") == 2


def test_export_before_a_call_says_what_to_do(tmp_path: Any) -> None:
    with pytest.raises(BlockError, match=r"first call block.hybridize\(\) and then run forward"):
        mlp().export(str(tmp_path / "net"))


def test_summary_refuses_a_hybridized_block() -> None:
    net = mlp()
    net.hybridize()
    with pytest.raises(BlockError, match="must not be hybridized"):
        net.summary(nd.ones((1, 5)))


def test_containers_of_unregistered_blocks_warn() -> None:
    class Careless(Block):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Dense(2)]

    with pytest.warns(UserWarning, match=r"Careless\.layers"):
        Careless().collect_params()


def test_an_attribute_keeps_its_kind() -> None:
    net = Block()
    net.layer = nn.Dense(2)
    with pytest.raises(TypeError, match="Changing attribute type for layer of Block from Dense"):
        net.layer = 3


def test_what_is_no_block_is_refused_as_a_child() -> None:
    with pytest.raises(StructureError, match="children of a block are blocks, not an int"):
        nn.HybridSequential().register_child(cast("Any", 3))


def test_functions_may_be_children_of_a_block_that_only_calls_them() -> None:
    net = nn.Sequential()
    net.add(cast("Any", lambda x: x * 2), nn.Lambda("exp"))
    assert net(nd.zeros((2,))).asnumpy().tolist() == [1, 1]
    for use in (net.initialize, net.hybridize, net.collect_params, lambda: net.cast("float16")):
        with pytest.raises(AttributeError, match=r"not the function <lambda>; .* nn.Lambda"):
            use()
