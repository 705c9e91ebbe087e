"""Backends: the registry, folding of batch normalisation, and groups of nodes that run as one."""

import copy
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, AutogradError, Buffer, Device, NDArray, cpu, nd
from hy_symbol import (
    BackendError,
    Facts,
    Graph,
    GraphFormatError,
    Node,
    Program,
    Rewritten,
    Symbol,
    TypedGraph,
    inlined,
    installed_backends,
    is_op,
    known_backends,
    load_json,
    new_node,
    register_backend,
    rewrite,
    sym,
    unregister_backend,
)
from hy_symbol.backends import Run, find_backend, find_runner
from hy_symbol.regions import registry
from tests.symbol.graph_runs import kinds, run, values
from tests.symbol.nets import resnet18


class Doubling:
    """Rewrites ``exp(x)`` to ``exp(x) * factor``, with the factor as a new variable."""

    def rewrite(  # the signature is the protocol's
        self,
        graph: Graph,
        facts: Facts,  # noqa: ARG002
        options: Mapping[str, Any],
    ) -> Rewritten:
        factor = Node(None, "factor")

        def doubled(node: Node, inputs: tuple[Any, ...]) -> list[Any] | None:
            if not is_op(node, "exp"):
                return None
            twin = node.copy(inputs=inputs)
            return [(new_node("broadcast_mul", [(twin, 0), (factor, 0)], name="doubled"), 0)]

        value = nd.array([options.get("by", 2)])
        return Rewritten(rewrite(graph, doubled), {"factor": value})


class Counting:
    """Runs ``exp`` and ``tanh`` on the device's kernels, and counts."""

    def __init__(self) -> None:
        self.compiled: list[int] = []
        self.calls = 0

    def prepare(self, options: Mapping[str, Any]) -> None:
        if set(options) - {"size"}:
            raise ArgumentError("counting: only size")

    def takes(self, node: Node) -> bool:
        return is_op(node, "exp", "tanh", "broadcast_add", "BatchNorm")

    def compile(
        self,
        typed: TypedGraph,
        constants: Mapping[Node, NDArray],
        device: Device,
        options: Mapping[str, Any],  # noqa: ARG002
    ) -> Run:
        graph = typed.graph
        self.compiled.append(sum(node.op is not None for node in graph.nodes))
        program = Program(typed.inputs, typed.graph.outputs, device, is_train=False)

        def run(*buffers: Buffer) -> tuple[Buffer, ...]:
            self.calls += 1
            given = iter(buffers)
            return program(
                *[
                    constants[node].buffer if node in constants else next(given)
                    for node in typed.graph.variables
                ]
            )

        return run


@pytest.fixture
def counting() -> Iterator[Counting]:
    backend = Counting()
    register_backend("counting", backend)
    yield backend
    unregister_backend("counting")


@pytest.fixture
def doubling() -> Iterator[None]:
    register_backend("doubling", Doubling())
    yield
    unregister_backend("doubling")


# --- the registry -----------------------------------------------------------------------------


def test_an_unknown_backend_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BackendError, match="'onnx'; known are channels_last, fold"):
        sym.var("x").optimize_for("onnx")


def test_what_is_no_backend_is_not_registered() -> None:
    with pytest.raises(ArgumentError, match=r"neither rewrite\(\), nor prepare\(\), takes"):
        register_backend("number", 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="the name must be a string"):
        register_backend("", Doubling())


def test_a_name_is_given_once(doubling: None) -> None:
    with pytest.raises(ArgumentError, match=r"'doubling' is already registered"):
        register_backend("doubling", Doubling())


def test_a_backend_that_was_not_registered_cannot_be_forgotten() -> None:
    with pytest.raises(BackendError, match="no backend was registered as 'onnx'"):
        unregister_backend("onnx")


def test_packages_offer_backends_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("offered", f"{__name__}:Doubling", "hy.backends"),
        EntryPoint("broken", "no_such_module:backend", "hy.backends"),
    ]
    monkeypatch.setattr(EntryPoint, "load", lambda point: _load(point.value))
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    registry._installed.cache_clear()
    try:
        assert {"broken", "offered"} < set(known_backends())
        assert isinstance(find_backend("offered"), Doubling)
        assert find_backend("offered") is find_backend("offered")
        with pytest.raises(BackendError, match=r"'broken' .* cannot load: not here"):
            find_backend("broken")
    finally:
        unregister_backend("offered")
        monkeypatch.undo()
        registry._installed.cache_clear()


def test_an_engine_whose_package_is_not_installed_is_named_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_installed", dict)
    monkeypatch.setattr(registry, "_registered", {})  # an earlier test may have loaded it
    with pytest.raises(BackendError, match=r"pip install 'hy-onnx\[openvino\]' adds it"):
        find_backend("openvino")


def test_installed_backends_are_those_that_load_and_others_say_why_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = [
        EntryPoint("offered", f"{__name__}:Doubling", "hy.backends"),
        EntryPoint("broken", "absent:backend", "hy.backends"),
        EntryPoint("damaged", f"{__name__}:raise_error", "hy.backends"),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    registry._installed.cache_clear()
    registry._left_out.cache_clear()
    try:
        with pytest.warns(RuntimeWarning) as told:
            assert installed_backends() == ("offered",)
        assert sorted(str(warning.message).partition(";")[0] for warning in told) == [
            "backend 'broken' (absent:backend) cannot load: No module named 'absent'",
            f"backend 'damaged' ({__name__}:raise_error) cannot load: no driver",
        ]
        assert {warning.filename for warning in told} == {__file__}
        assert installed_backends() == ("offered",)  # a second warning would be an error
        with pytest.raises(BackendError, match=r"'damaged' .* cannot load: no driver"):
            find_backend("damaged")
    finally:
        unregister_backend("offered")
        monkeypatch.undo()
        registry._installed.cache_clear()


def raise_error() -> None:
    raise OSError("no driver")


def _load(value: str) -> Any:
    if value.endswith(":Doubling"):
        return Doubling
    raise ImportError("not here")


def test_a_backend_that_rewrites_runs_nothing() -> None:
    with pytest.raises(BackendError, match="'fold_batch_norm' rewrites graphs"):
        find_runner("fold_batch_norm")


# --- rewriting --------------------------------------------------------------------------------


@pytest.mark.usefixtures("doubling")
def test_new_values_are_added_to_the_dict_of_arguments() -> None:
    net = sym.exp(sym.var("x"))
    args: dict[str, NDArray] = {"x": nd.array([0, 1])}
    made = net.optimize_for("doubling", args, by=3)
    assert sorted(args) == ["factor", "x"]
    np.testing.assert_allclose(run(made, args)[0], 3 * np.exp([0, 1]), rtol=1e-6)


@pytest.mark.usefixtures("doubling")
def test_new_values_need_a_dict_to_go_to() -> None:
    with pytest.raises(ArgumentError, match="'doubling' adds 'factor'; give args as a dict"):
        sym.exp(sym.var("x")).optimize_for("doubling", [nd.array([0])])


def test_what_a_backend_makes_is_checked() -> None:
    class Wrong:
        def rewrite(  # the signature is the protocol's
            self,
            graph: Graph,  # noqa: ARG002
            facts: Facts,  # noqa: ARG002
            options: Mapping[str, Any],
        ) -> Rewritten:
            return Rewritten(options["result"])

    register_backend("wrong", Wrong())
    try:
        net = sym.exp(sym.var("x"))
        with pytest.raises(BackendError, match=r"'wrong' made an invalid graph: .* 2 outputs"):
            net.optimize_for("wrong", result=Graph(net.graph.outputs * 2))
        with pytest.raises(BackendError, match="variables without values: 'y'"):
            net.optimize_for("wrong", result=sym.exp(sym.var("y")).graph)
    finally:
        unregister_backend("wrong")


def test_lists_of_arrays_must_have_one_per_variable() -> None:
    with pytest.raises(ArgumentError, match="args has 1 arrays for 2: a, b"):
        (sym.var("a") + sym.var("b")).optimize_for("fold_batch_norm", [nd.ones(2)])


# --- fold_batch_norm --------------------------------------------------------------------------


def _conv(data: Any, **how: Any) -> Any:
    return sym.Convolution(data, kernel=(3, 3), num_filter=4, name="layer", **how)


def _deconv(data: Any, **how: Any) -> Any:
    return sym.Deconvolution(data, kernel=(3, 3), num_filter=4, name="layer", **how)


def _dense(data: Any, **how: Any) -> Any:
    return sym.FullyConnected(data, num_hidden=4, name="layer", **how)


FOLDED: dict[str, tuple[Callable[..., Any], tuple[int, ...], dict[str, Any], dict[str, Any]]] = {
    "convolution": (_conv, (2, 4, 6, 6), {"num_group": 2}, {"fix_gamma": False}),
    "convolution without bias": (_conv, (2, 3, 6, 6), {"no_bias": True}, {}),
    "channels last": (_conv, (2, 6, 6, 3), {"layout": "NHWC"}, {"axis": -1}),
    "deconvolution": (_deconv, (2, 6, 5, 5), {"num_group": 2}, {"fix_gamma": False}),
    "deconvolution with bias": (_deconv, (2, 3, 5, 5), {"no_bias": False}, {"eps": 0.1}),
    "deconvolution, channels last": (
        _deconv,
        (2, 5, 5, 6),
        {"num_group": 2, "layout": "NHWC"},
        {"axis": 3, "fix_gamma": False},
    ),
    "dense": (_dense, (2, 3, 5), {}, {"fix_gamma": False}),
    "dense, last axis": (_dense, (2, 3, 5), {"flatten": False}, {"axis": -1}),
}


@pytest.mark.parametrize("known", [True, False], ids=["values known", "graph alone"])
@pytest.mark.parametrize("case", FOLDED)
def test_folding_keeps_the_numbers(case: str, known: bool, rng: np.random.Generator) -> None:
    layer, shape, how, norm = FOLDED[case]
    net = sym.BatchNorm(layer(sym.var("data"), **how), name="norm", **norm)
    args, aux = values(net, rng, data=shape)
    before = run(net, args, aux)[0]
    params = {name: array for name, array in args.items() if name != "data"}
    made = net.optimize_for("fold_batch_norm", *((params, aux) if known else ()))
    assert "BatchNorm" not in kinds(made)
    assert made.list_outputs() == ["norm_output"]
    if known:
        assert made.list_inputs() == ["data", "layer_folded_weight", "layer_folded_bias"]
        assert len(kinds(made)) == 1
    np.testing.assert_allclose(run(made, args, params, aux)[0], before, rtol=1e-4, atol=1e-5)
    again = load_json(made.tojson())
    np.testing.assert_allclose(run(again, args, params, aux)[0], before, rtol=1e-4, atol=1e-5)


def test_folding_names_only_operators_of_mxnet() -> None:
    for layer, _, how, norm in FOLDED.values():
        net = sym.BatchNorm(layer(sym.var("data"), **how), **norm).optimize_for("fold_batch_norm")
        assert set(kinds(net)) <= {
            "BatchNorm",
            "Convolution",
            "Deconvolution",
            "FullyConnected",
            "Reshape",
            "_plus_scalar",
            "broadcast_mul",
            "elemwise_mul",
            "elemwise_sub",
            "rsqrt",
        }


def test_the_relu_of_a_normalisation_stays(rng: np.random.Generator) -> None:
    net = sym.contrib.BatchNormWithReLU(_conv(sym.var("data")), fix_gamma=False, name="norm")
    args, aux = values(net, rng, data=(2, 3, 6, 6))
    made = net.optimize_for("fold_batch_norm")
    assert made.list_outputs() == ["norm_output"]
    assert "Activation" in kinds(made)
    np.testing.assert_allclose(run(made, args, aux)[0], run(net, args, aux)[0], atol=1e-5)


def test_sixteen_bit_weights_are_folded_in_float32(rng: np.random.Generator) -> None:
    net = sym.BatchNorm(_conv(sym.var("data")), fix_gamma=False, name="norm")
    args, aux = values(net, rng, dtype="float16", data=(2, 3, 6, 6))
    args |= {f"norm_{x}": args[f"norm_{x}"].astype("float32") for x in ("gamma", "beta")}
    before = run(net, args, aux)[0]
    params = {name: array for name, array in args.items() if name != "data"}
    made = net.optimize_for("fold_batch_norm", params, aux, type_dict={"data": "float16"})
    assert params["layer_folded_weight"].dtype == np.float16
    after = run(made, {"data": args["data"]}, params)[0]
    assert after.dtype == np.float16
    np.testing.assert_allclose(after.astype(float), before.astype(float), atol=0.1)


@pytest.mark.parametrize(
    "build",
    [
        lambda layer: sym.BatchNorm(layer, name="norm") + layer,
        lambda layer: sym.Group([sym.BatchNorm(layer, name="norm"), layer]),
        lambda layer: sym.BatchNorm(layer, name="norm", axis=2),
        lambda layer: sym.BatchNorm(layer, name="norm", output_mean_var=True),
        lambda layer: sym.BatchNorm(sym.relu(layer), name="norm"),
    ],
    ids=["used twice", "an output", "another axis", "statistics wanted", "not behind a layer"],
)
def test_what_cannot_be_folded_stays(build: Callable[[Any], Any]) -> None:
    net = build(_conv(sym.var("data")))
    assert net.optimize_for("fold_batch_norm").tojson() == net.tojson()


def test_the_rank_of_dense_data_decides_where_it_matters() -> None:
    net = sym.BatchNorm(_dense(sym.var("data"), flatten=False), axis=2)
    assert "BatchNorm" in kinds(net.optimize_for("fold_batch_norm"))
    made = net.optimize_for("fold_batch_norm", shape_dict={"data": (2, 3, 5)})
    assert "BatchNorm" not in kinds(made)
    made = net.optimize_for("fold_batch_norm", shape_dict={"data": (2, 3, 5)}, skip_infer=True)
    assert "BatchNorm" in kinds(made)


def test_a_net_of_residuals_keeps_those_behind_additions(rng: np.random.Generator) -> None:
    net = resnet18(sym).get_internals()["relu1_output"]
    args, aux = values(net, rng, data=(1, 3, 32, 32))
    args = {name: array * (0.1 if name.endswith("weight") else 1) for name, array in args.items()}
    params = {name: array for name, array in args.items() if name != "data"}
    made = net.optimize_for("fold_batch_norm", params, aux)
    assert (kinds(net).count("BatchNorm"), kinds(made).count("BatchNorm")) == (19, 10)
    before, after = run(net, args, aux)[0], run(made, args, params, aux)[0]
    largest = float(np.abs(before).max())  # some are small differences of numbers of that size
    np.testing.assert_allclose(after, before, rtol=1e-3, atol=2e-6 * largest)


def test_options_of_folding_are_refused() -> None:
    with pytest.raises(ArgumentError, match="unknown option 'depth'"):
        sym.var("x").optimize_for("fold_batch_norm", depth=3)


# --- groups that run as one -------------------------------------------------------------------


def _chain() -> Any:
    x, y = sym.var("x"), sym.var("y")
    first = sym.exp(sym.tanh(x), name="first")
    return sym.broadcast_add(sym.sin(first) * y, first, name="last")


def test_connected_nodes_become_one(counting: Counting, rng: np.random.Generator) -> None:
    net = _chain()
    args, _ = values(net, rng, x=(2, 3), y=(2, 3))
    made = net.optimize_for("counting")
    assert kinds(made) == ["_subgraph", "sin", "elemwise_mul", "_subgraph"]
    assert [node.name for node in made.graph.nodes if is_op(node, "_subgraph")] == ["first", "last"]
    assert made.list_outputs() == ["last_output"]
    np.testing.assert_array_equal(run(made, args)[0], run(net, args)[0])
    assert (counting.compiled, counting.calls) == ([2, 1], 2)


def test_no_cycle_arises_through_a_node_between() -> None:
    class All(Counting):
        def takes(self, node: Node) -> bool:
            return not is_op(node, "sin")

    register_backend("all", All())
    try:
        x = sym.var("x")
        net = sym.Group([sym.exp(x) + sym.sin(sym.exp(x)), sym.tanh(x)])
        made = net.optimize_for("all")
        made.tojson()  # an order exists
        args = {"x": nd.array([0.5, 1])}
        for before, after in zip(run(net, args), run(made, args), strict=True):
            np.testing.assert_array_equal(after, before)
    finally:
        unregister_backend("all")


def test_a_region_is_inferred_and_printed_like_an_operator(counting: Counting) -> None:
    made = _chain().optimize_for("counting")
    assert made.infer_shape(x=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])
    assert made.infer_type(x="float64")[1] == [np.float64]
    assert "_subgraph" in made.debug_str()
    assert "svg" in made.show()


def test_auxiliary_states_stay_such(counting: Counting, rng: np.random.Generator) -> None:
    net = sym.tanh(sym.BatchNorm(sym.var("data"), name="norm", fix_gamma=False))
    made = net.optimize_for("counting")
    assert made.list_auxiliary_states() == net.list_auxiliary_states()
    args, aux = values(net, rng, data=(2, 3, 4))
    np.testing.assert_array_equal(run(made, args, aux)[0], run(net, args, aux)[0])


def test_training_and_gradients_run_the_nodes_themselves(
    counting: Counting, rng: np.random.Generator
) -> None:
    net = sym.tanh(sym.BatchNorm(sym.var("data"), name="norm", fix_gamma=False))
    args, aux = values(net, rng, data=(2, 3, 4))
    found = []
    for symbol in (net, net.optimize_for("counting")):
        arrays = {name: array.copy() for name, array in args.items()}
        grads = {name: nd.zeros(array.shape) for name, array in args.items()}
        states = {name: array.copy() for name, array in aux.items()}
        executor = symbol.bind(cpu(), arrays, grads, aux_states=states)
        executor.forward(is_train=True)
        executor.backward(nd.ones((2, 3, 4)))
        executor.forward(is_train=True)
        found.append([*executor.outputs, *grads.values(), *states.values()])
    for before, after in zip(*found, strict=True):
        np.testing.assert_allclose(after.asnumpy(), before.asnumpy(), rtol=1e-6, atol=1e-7)
    assert counting.calls == 0
    without = net.optimize_for("counting").bind(cpu(), args, aux_states=aux)
    without.forward(is_train=True)  # no gradients, yet training
    assert counting.calls == 0


def test_gradient_symbols_pass_a_region(counting: Counting, rng: np.random.Generator) -> None:
    net = _chain()
    args, _ = values(net, rng, x=(2, 3), y=(2, 3))
    before = run(net.gradient(["x"]), args)[0]
    after = run(net.optimize_for("counting").gradient(["x"]), args)[0]
    np.testing.assert_allclose(after, before, rtol=1e-6)


def test_a_region_has_no_gradient_by_itself(counting: Counting) -> None:
    op = _chain().optimize_for("counting").graph.outputs[0][0].op
    assert op is not None
    assert op.grad is None


def test_a_monitor_sees_a_region_as_one_operator(counting: Counting) -> None:
    args = {"x": nd.ones((2, 3)), "y": nd.ones((2, 3))}
    executor = _chain().optimize_for("counting").bind(cpu(), args)
    seen: list[str] = []
    executor.set_monitor_callback(lambda name, _: seen.append(name))
    executor.forward()
    assert (seen[0], seen[-1], len(seen)) == ("first_output", "last_output", 4)


def test_inlining_puts_the_nodes_back(counting: Counting, rng: np.random.Generator) -> None:
    net = _chain()
    back = Symbol(inlined(net.optimize_for("counting").graph))
    assert sorted(kinds(back)) == sorted(kinds(net))
    assert inlined(net.graph) is net.graph
    args, _ = values(net, rng, x=(2, 3), y=(2, 3))
    np.testing.assert_array_equal(run(back, args)[0], run(net, args)[0])


def test_regions_are_kept_in_files(counting: Counting, rng: np.random.Generator) -> None:
    net = _chain()
    made = net.optimize_for("counting", size=3)
    again = load_json(made.tojson())
    assert again.tojson() == made.tojson()
    args, _ = values(net, rng, x=(2, 3), y=(2, 3))
    np.testing.assert_array_equal(run(again, args)[0], run(net, args)[0])
    np.testing.assert_array_equal(run(copy.deepcopy(made), args)[0], run(net, args)[0])
    node = pickle.loads(pickle.dumps(made)).graph.outputs[0][0]  # noqa: S301  # our own
    assert (node.params["backend"], node.params["options"]) == ("counting", {"size": 3})


def test_a_loaded_region_needs_its_backend(counting: Counting) -> None:
    document = json.loads(_chain().optimize_for("counting").tojson())
    for node in document["nodes"]:
        if node["op"] == "_subgraph":
            node["attrs"]["backend"] = "absent"
    made = load_json(json.dumps(document))
    with pytest.raises(BackendError, match="no backend is called 'absent'"):
        made.eval(x=nd.ones(2), y=nd.ones(2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attrs": {}}, "has 1 graphs for backend None"),
        ({"attrs": {"backend": "b", "options": "[1]"}}, "options that are no JSON object"),
        ({"attrs": {"backend": "b", "options": "["}}, "options that are no JSON object"),
        ({"subgraphs": []}, "has 0 graphs for backend 'counting'"),
        ({"subgraphs": None}, "'subgraphs' must be a list"),
        ({"inputs": []}, "has 0 inputs, its graph 1 variables"),
    ],
)
def test_damaged_regions_are_refused(
    change: dict[str, Any], message: str, counting: Counting
) -> None:
    document = json.loads(sym.exp(sym.var("x"), name="y").optimize_for("counting").tojson())
    document["nodes"][-1] |= change
    with pytest.raises(GraphFormatError, match=message):
        load_json(json.dumps(document))


def test_options_are_checked_at_once(counting: Counting) -> None:
    with pytest.raises(ArgumentError, match="counting: only size"):
        _chain().optimize_for("counting", colour=1)


def test_get_backend_symbol_knows_nothing(counting: Counting) -> None:
    assert kinds(_chain().get_backend_symbol("counting")).count("_subgraph") == 2


def test_gradients_of_a_region_alone_are_refused(counting: Counting) -> None:
    from hy_symbol.passes import gradient  # noqa: PLC0415

    graph = sym.exp(sym.var("x")).optimize_for("counting").graph
    head = (Node(None, "head"), 0)
    with pytest.raises(AutogradError, match=r"_subgraph .* is not differentiable"):
        gradient(graph, [head], [(graph.variables[0], 0)], is_train=True)
