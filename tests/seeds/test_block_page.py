"""The pages of gluon.block and of HybridBlock: every method they name, and what each promises."""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import nn
from tests.seeds.lenet import fresh_names

METHODS = {
    "apply": ["fn"],
    "cast": ["dtype"],
    "collect_params": ["select"],
    "export": ["path", "epoch", "remove_amp_cast"],
    "forward": ["x", "args"],
    "hybrid_forward": ["F", "x", "args", "kwargs"],
    "hybridize": ["active", "backend", "backend_opts", "kwargs"],
    "infer_shape": ["args"],
    "infer_type": ["args"],
    "initialize": ["init", "ctx", "verbose", "force_reinit"],
    "load_parameters": [
        *("filename", "ctx", "allow_missing", "ignore_extra", "cast_dtype", "dtype_source")
    ],
    "load_params": ["filename", "ctx", "allow_missing", "ignore_extra"],
    "name_scope": [],
    "optimize_for": ["x", "args", "backend", "backend_opts", "kwargs"],
    "register_child": ["block", "name"],
    "register_forward_hook": ["hook"],
    "register_forward_pre_hook": ["hook"],
    "register_op_hook": ["callback", "monitor_all"],
    "save_parameters": ["filename", "deduplicate"],
    "save_params": ["filename"],
    "summary": ["inputs"],
}


class Model(gluon.Block):
    """The model of the page."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense0 = nn.Dense(20)
            self.dense1 = nn.Dense(20)

    def forward(self, *args: Any) -> Any:
        x = nd.relu(self.dense0(args[0]))
        return nd.relu(self.dense1(x))


class HybridModel(gluon.HybridBlock):
    """The same, hybrid."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense0 = nn.Dense(20)
            self.dense1 = nn.Dense(20)

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        x = F.relu(self.dense0(x))
        return F.relu(self.dense1(x))


@pytest.fixture
def model() -> Model:
    with fresh_names():
        made = Model()
    made.initialize(ctx=mx.cpu(0))
    made(nd.zeros((10, 10), ctx=mx.cpu(0)))
    return made


@pytest.mark.parametrize("name", METHODS)
def test_a_method_of_the_page_takes_its_arguments(name: str) -> None:
    parameters = list(inspect.signature(getattr(gluon.HybridBlock, name)).parameters)[1:]
    assert [p for p in parameters if p in METHODS[name]] == METHODS[name]


def test_attributes_of_the_page(model: Model) -> None:
    assert (model.name, model.prefix) == ("model0", "model0_")
    assert list(model.params) == []
    assert list(model.dense0.params) == ["model0_dense0_weight", "model0_dense0_bias"]


# --- Block: children and parameters ------------------------------------------------------------


def test_children_are_registered_as_attributes_or_by_hand(model: Model) -> None:
    assert list(model._children) == ["dense0", "dense1"]
    model.register_child(nn.Dense(3))
    model.register_child(nn.Dense(3), "last")
    assert list(model._children) == ["dense0", "dense1", "2", "last"]
    assert repr(model) == (
        "Model(\n  (dense0): Dense(10 -> 20, linear)\n  (dense1): Dense(20 -> 20, linear)\n)"
    )


def test_an_attribute_keeps_its_type(model: Model) -> None:
    with pytest.raises(TypeError, match="dense0"):
        model.dense0 = 3  # type: ignore[assignment]  # that is what is tested
    model.weight = model.params.get("weight", shape=(1,))
    with pytest.raises(TypeError, match="weight"):
        model.weight = 3


def test_blocks_in_a_plain_container_are_not_collected() -> None:
    model = Model()
    first, second = nn.Dense(1), nn.Dense(2)
    model.more = [[first], {"x": second}]
    with pytest.warns(UserWarning, match='"Model.more" is a container with blocks'):
        model.collect_params()
    for block in (first, second):
        model.register_child(block)
    assert len(model.collect_params()) == 8


def test_collect_params_selects_by_a_regular_expression(model: Model) -> None:
    chosen = "model0_dense0_weight|model0_dense1_bias"
    assert list(model.collect_params(chosen)) == ["model0_dense0_weight", "model0_dense1_bias"]
    assert len(model.collect_params(".*weight|.*bias")) == 4
    assert list(model.collect_params("weight")) == []  # from the beginning of the name


def test_parameters_are_shared_by_a_constructor() -> None:
    first = nn.Dense(20, in_units=3)
    second = nn.Dense(20, params=first.collect_params())
    assert second.weight is first.weight


def test_apply_goes_through_the_children_first(model: Model) -> None:
    seen: list[str] = []
    assert model.apply(lambda block: seen.append(block.name)) is model
    assert seen == ["model0_dense0", "model0_dense1", "model0"]


def test_cast_changes_every_parameter(model: Model) -> None:
    model.cast("float64")
    assert {p.data().dtype for p in model.collect_params().values()} == {np.float64}
    assert model(nd.zeros((1, 10), dtype="float64")).dtype is np.float64


def test_forward_has_to_be_defined() -> None:
    with pytest.raises(NotImplementedError):
        gluon.Block()(nd.zeros((1,)))
    with pytest.raises(NotImplementedError):
        gluon.HybridBlock()(nd.zeros((1,)))


# --- Block: files ------------------------------------------------------------------------------


def test_parameters_are_saved_and_loaded(model: Model, tmp_path: Path) -> None:
    file = str(tmp_path / "model.params")
    model.save_parameters(file)
    other = Model()
    other.load_parameters(file, ctx=mx.cpu(0))
    x = nd.ones((2, 10))
    np.testing.assert_array_equal(other(x).asnumpy(), model(x).asnumpy())
    another = nn.HybridSequential()
    another.add(nn.Dense(20))
    with pytest.raises(AssertionError, match=r"'0\.weight' is missing"):
        another.load_parameters(file)
    with pytest.raises(ValueError, match="ignore_extra=True"):
        another.load_parameters(file, allow_missing=True)
    another.load_parameters(file, allow_missing=True, ignore_extra=True)


def test_shared_parameters_are_saved_once_if_asked(tmp_path: Path) -> None:
    class Shared(gluon.Block):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.first = nn.Dense(2, in_units=2)
            self.second = nn.Dense(2, params=self.first.collect_params())

    model = Shared()
    model.initialize()
    file = str(tmp_path / "shared.params")
    model.save_parameters(file)
    assert len(nd.load(file)) == 4
    model.save_parameters(file, deduplicate=True)
    assert sorted(nd.load(file)) == ["second.bias", "second.weight"]
    Shared().load_parameters(file)


@pytest.mark.parametrize(("source", "dtype"), [("current", np.float32), ("saved", np.float16)])
def test_loading_casts_if_asked(source: str, dtype: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "half.params")
    half = nn.Dense(2, in_units=2)
    half.cast("float16")
    half.initialize()
    half.save_parameters(file)
    layer = nn.Dense(2, in_units=2)
    layer.initialize()
    with pytest.raises(AssertionError, match="cast_dtype=True"):
        layer.load_parameters(file)
    layer.load_parameters(file, cast_dtype=True, dtype_source=source)
    assert layer.weight.data().dtype is dtype


def test_deprecated_names_warn_and_work(model: Model, tmp_path: Path) -> None:
    file = str(tmp_path / "old.params")
    with pytest.warns(UserWarning, match="save_params is deprecated"):
        model.save_params(file)
    assert min(nd.load(file)) == "dense0_bias"  # without the prefix of the block
    with pytest.warns(UserWarning, match="load_params is deprecated"):
        model.load_params(file)


# --- Block: hooks and summary ------------------------------------------------------------------


def test_hooks_come_before_and_after_forward(model: Model) -> None:
    calls: list[Any] = []
    before = model.register_forward_pre_hook(lambda b, x: calls.append(("before", x[0].shape)))
    after = model.register_forward_hook(lambda b, x, y: calls.append(("after", y.shape)))
    model(nd.zeros((2, 10)))
    assert calls == [("before", (2, 10)), ("after", (2, 20))]
    before.detach()
    with after:
        assert isinstance(after, gluon.utils.HookHandle)
    model(nd.zeros((2, 10)))
    assert len(calls) == 2


def test_op_hooks_see_the_tensors_of_hybridized_blocks(model: Model) -> None:
    seen: list[tuple[str, str]] = []
    model.register_op_hook(lambda name, op, array: seen.append((name, op)), monitor_all=True)
    model.hybridize()
    model(nd.zeros((2, 10)))
    names = [name for name, _ in seen]
    assert "model0_dense0_fwd_output" in names
    assert "model0_dense1_fwd_weight" in names


def test_the_summary_counts(model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    model.summary(nd.zeros((2, 10)))
    out = capsys.readouterr().out
    assert "Total params: 640" in out
    assert "Trainable params: 640" in out
    assert "Unique parameters in model: 640" in out
    hybrid = HybridModel()
    hybrid.initialize()
    hybrid.hybridize()
    with pytest.raises(mx.MXNetError, match="must not be hybridized to print a summary"):
        hybrid.summary(nd.zeros((2, 10)))


# --- HybridBlock -------------------------------------------------------------------------------


def test_the_hybrid_model_of_the_page() -> None:
    model = HybridModel()
    model.initialize(ctx=mx.cpu(0))
    x = nd.ones((10, 10), ctx=mx.cpu(0))
    expected = model(x).asnumpy()
    model.hybridize()
    np.testing.assert_allclose(model(x).asnumpy(), expected, rtol=1e-6)
    assert model(mx.sym.var("data")).list_arguments()[0] == "data"


def test_children_of_hybrid_blocks_are_hybrid() -> None:
    with pytest.raises(ValueError, match="HybridSequential"):
        HybridModel().register_child(nn.Sequential())


def test_shapes_and_types_are_inferred_from_inputs() -> None:
    model = HybridModel()
    model.infer_shape(nd.zeros((2, 7)))
    assert model.dense0.weight.shape == (20, 7)
    model.infer_type(nd.zeros((2, 7), dtype="float64"))
    assert np.dtype(model.dense1.weight.dtype) == np.float64


def test_what_is_neither_array_nor_symbol_is_refused() -> None:
    model = HybridModel()
    model.initialize()
    for wrong in (None, "text", [None]):
        with pytest.raises(ValueError, match="takes NDArrays or Symbols"):
            model(wrong)
    with pytest.raises(ValueError, match="mix NDArrays and Symbols"):
        model(nd.zeros((1, 2)), mx.sym.var("x"))


def test_export_needs_a_graph(tmp_path: Path) -> None:
    model = HybridModel()
    model.initialize()
    model(nd.zeros((2, 3)))
    other = nn.Sequential()
    other.add(model)
    fresh = HybridModel()
    with pytest.raises(RuntimeError, match=r"call block.hybridize\(\)"):
        fresh.export(str(tmp_path / "model"))


def test_export_names_two_files(tmp_path: Path) -> None:
    model = HybridModel()
    model.initialize()
    model.hybridize()
    model(nd.zeros((2, 3)))
    files = model.export(str(tmp_path / "model"), epoch=7)
    assert [Path(str(f)).name for f in files] == ["model-symbol.json", "model-0007.params"]
    assert {name[:4] for name in nd.load(str(files[1]))} == {"arg:"}


def test_optimize_for_changes_the_graph_without_running_it(tmp_path: Path) -> None:
    model = nn.HybridSequential()
    model.add(nn.Conv2D(2, 3), nn.BatchNorm())
    model.initialize()
    x = nd.ones((1, 3, 5, 5))
    expected = model(x).asnumpy()
    model.optimize_for(x, backend="fold_batch_norm")
    np.testing.assert_allclose(model(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    symbol_file, _ = model.export(str(tmp_path / "partitioned"))
    assert "BatchNorm" not in Path(symbol_file).read_text(encoding="utf-8")


# --- SymbolBlock -------------------------------------------------------------------------------


def test_a_feature_extractor_shares_the_parameters() -> None:
    net = nn.HybridSequential(prefix="model_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"), nn.Dense(3, activation="relu"), nn.Dense(2))
    net.initialize()
    x = nd.ones((2, 5))
    net(x)
    inputs = mx.sym.var("data")
    internals = net(inputs).get_internals()
    names = ["model_dense0_relu_fwd_output", "model_dense1_relu_fwd_output"]
    assert [n for n in internals.list_outputs() if n in names] == names
    features = gluon.SymbolBlock(
        [internals[name] for name in names], inputs, params=net.collect_params()
    )
    first, second = features(x)
    np.testing.assert_allclose(first.asnumpy(), net[0](x).asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(second.asnumpy(), net[1](first).asnumpy(), rtol=1e-6)
    assert features.params["model_dense0_weight"] is net[0].weight


def test_inputs_of_a_symbol_block_are_variables() -> None:
    data = mx.sym.var("data")
    with pytest.raises(ValueError, match="must be variables"):
        gluon.SymbolBlock(data * 2, data + 1)


def test_a_symbol_block_composes_and_infers_its_types(tmp_path: Path) -> None:
    model = HybridModel()
    model.initialize()
    model.cast("float16")
    model.hybridize()
    x = nd.ones((2, 3), dtype="float16")
    expected = model(x).asnumpy()
    symbol_file, params_file = model.export(str(tmp_path / "half"))
    imported = gluon.SymbolBlock.imports(symbol_file, ["data"], params_file, ctx=mx.cpu(0))
    assert {p.data().dtype for p in imported.collect_params().values()} == {np.float16}
    np.testing.assert_array_equal(imported(x).asnumpy(), expected)
    bare = gluon.SymbolBlock.imports(symbol_file, "data")
    assert {np.dtype(p.dtype).name for p in bare.collect_params().values()} == {"float16"}
    composed = imported(mx.sym.var("other"))
    assert composed.list_arguments()[0] == "other"
    assert repr(imported).startswith("SymbolBlock(\n")
    with pytest.raises(NotImplementedError):
        imported.hybrid_forward(mx.nd, x)
