"""Backends of blocks: folded normalisation that follows parameters, groups that run as one."""

import copy
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import BlockError, HybridBlock, SymbolBlock, Trainer, model_zoo, nn
from hy_gluon.execution.optimized import OptimizedOp
from hy_ndarray import ArgumentError, Buffer, Device, NDArray, autograd, cpu, nd
from hy_symbol import (
    BackendError,
    Facts,
    Graph,
    NameManager,
    Node,
    Program,
    Rewritten,
    TypedGraph,
    is_op,
    new_node,
    register_backend,
    rewrite,
    unregister_backend,
)
from hy_symbol.backends import Run

FOLD = "fold_batch_norm"


class Counting:
    """Runs element-wise operators on the device's kernels, and counts."""

    calls = 0

    def prepare(self, options: Mapping[str, Any]) -> None:
        if options:
            raise ArgumentError("counting: no options")

    def takes(self, node: Node) -> bool:
        return is_op(node, "Activation", "_mul_scalar", "tanh")

    def compile(
        self,
        typed: TypedGraph,
        constants: Mapping[Node, NDArray],
        device: Device,
        options: Mapping[str, Any],  # noqa: ARG002
    ) -> Run:
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


class Offset:
    """Adds a fixed number to the output."""

    def rewrite(
        self,
        graph: Graph,
        facts: Facts,  # noqa: ARG002
        options: Mapping[str, Any],
    ) -> Rewritten:
        last, number = graph.outputs[0], Node(None, "number")

        def shifted(node: Node, inputs: tuple[Any, ...]) -> list[Any] | None:
            if node is not last[0]:
                return None
            twin = node.copy(inputs=inputs)
            return [(new_node("broadcast_add", [(twin, 0), (number, 0)], name="shifted"), 0)]

        return Rewritten(rewrite(graph, shifted), {"number": nd.array([options["by"]])})


@pytest.fixture
def counting() -> Iterator[Counting]:
    backend = Counting()
    register_backend("counting", backend)
    yield backend
    unregister_backend("counting")


def net(**kwargs: Any) -> nn.HybridSequential:
    with NameManager():
        made = nn.HybridSequential(prefix="net_")
        with made.name_scope():
            made.add(
                nn.Conv2D(4, 3, padding=1),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2D(6, 3, use_bias=False),
                nn.BatchNorm(scale=False),
                nn.Flatten(),
                nn.Dense(3),
                nn.BatchNorm(axis=-1),
            )
    made.initialize(**kwargs)
    return made


@pytest.fixture
def x(rng: np.random.Generator) -> NDArray:
    return nd.array(rng.standard_normal((2, 3, 6, 6)))


@pytest.fixture
def trained(x: NDArray) -> nn.HybridSequential:
    """A net whose moving statistics are not those it began with."""
    made = net()
    with autograd.record():
        made(x)
    return made


def eager(block: HybridBlock, x: NDArray) -> Any:
    """What the block computes without a graph."""
    before = block._active
    block._active = False
    try:
        return block(x).asnumpy()
    finally:
        block._active = before


def operator_names(block: HybridBlock) -> list[str]:
    op = block._cached_op
    assert isinstance(op, OptimizedOp)
    return [node.op.name for node in op.prediction().symbol.graph.nodes if node.op is not None]


def agree(block: HybridBlock, x: NDArray) -> None:
    np.testing.assert_allclose(block(x).asnumpy(), eager(block, x), rtol=1e-4, atol=1e-5)


# --- the choice -------------------------------------------------------------------------------


def test_an_unknown_backend_is_refused_with_the_known_ones(x: NDArray) -> None:
    block = net()
    with pytest.raises(BackendError, match="'onnx'; known are channels_last, fold"):
        block.hybridize(backend="onnx")
    with pytest.raises(BackendError, match="'onnx'"):
        block.optimize_for(x, backend="onnx")
    with pytest.raises(BlockError, match="say for which backend; known are channels_last"):
        block.optimize_for(x)
    with pytest.raises(BlockError, match="backend_opts without a backend"):
        block.hybridize(backend_opts={"mode": None})


@pytest.mark.usefixtures("counting")
def test_options_reach_the_backend_at_once() -> None:
    block = net()
    with pytest.raises(ArgumentError, match="counting: no options"):
        block.hybridize(backend="counting", backend_opts={"speed": 1})
    with pytest.raises(ArgumentError, match="counting: no options"):
        block.hybridize(backend="counting", speed=1)
    block.hybridize(backend="counting", static_alloc=True)  # an option of hybridize
    with pytest.raises(BlockError, match="unknown option 'speed'"):
        block.hybridize(speed=1)


# --- fold_batch_norm --------------------------------------------------------------------------


def test_folding_keeps_the_numbers(trained: nn.HybridSequential, x: NDArray) -> None:
    trained.hybridize(backend=FOLD)
    agree(trained, x)
    assert "BatchNorm" not in operator_names(trained)
    agree(trained, nd.ones((5, 3, 6, 6)))  # of another shape


def test_parameters_are_folded_again_only_after_a_change(
    trained: nn.HybridSequential, x: NDArray
) -> None:
    trained.hybridize(backend=FOLD)
    trained(x)
    op = trained._cached_op
    assert isinstance(op, OptimizedOp)
    prepared = op.prediction().inputs.values._cached
    first = next(iter(prepared.values())).values
    trained(x)
    assert next(iter(prepared.values())).values is first
    trained[1].gamma.set_data(nd.full(4, 3))
    agree(trained, x)
    trained[0].weight.data()[:] = 0.5
    agree(trained, x)
    trained[4].running_var.data()[1:2] += 1
    agree(trained, x)
    trained[6].bias.data()._assign_from(nd.array([1, 2, 3]))
    agree(trained, x)


def test_training_uses_the_original_graph(trained: nn.HybridSequential, x: NDArray) -> None:
    other = net()
    for own, source in zip(
        other.collect_params().values(), trained.collect_params().values(), strict=True
    ):
        assert source.shape is not None
        own.shape = source.shape
        own.set_data(source.data())
    trained.hybridize(backend=FOLD)
    results = []
    for block in (other, trained):
        trainer = Trainer(block.collect_params(), "sgd", {"learning_rate": 0.05})
        for _ in range(3):
            with autograd.record():
                loss = (block(x) ** 2).sum()
            loss.backward()
            trainer.step(2)
        results.append([p.data().asnumpy() for p in block.collect_params().values()])
        results[-1].append(block(x).asnumpy())
    for want, found in zip(*results, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-4)


def test_gradients_in_prediction_mode_reach_the_parameters(
    trained: nn.HybridSequential, x: NDArray
) -> None:
    trained.hybridize(backend=FOLD)
    with autograd.record(train_mode=False):
        y = trained(x)
    y.backward()
    assert np.abs(trained[1].gamma.grad().asnumpy()).max() > 0


def test_deferred_parameters_may_come_later(x: NDArray) -> None:
    block = net()
    block.hybridize(backend=FOLD)
    agree(block, x)
    assert "BatchNorm" not in operator_names(block)


def test_sixteen_bit_nets_stay_such(trained: nn.HybridSequential, x: NDArray) -> None:
    trained.cast("float16")
    half = x.astype("float16")
    before = eager(trained, half)
    trained.hybridize(backend=FOLD)
    after = trained(half)
    assert after.dtype == np.float16
    assert "BatchNorm" not in operator_names(trained)
    np.testing.assert_allclose(after.asnumpy(), before, rtol=0.05, atol=0.05)


def test_shapes_read_while_tracing_keep_a_graph_each(rng: np.random.Generator) -> None:
    class Reading(HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            with self.name_scope():
                self.layer, self.norm = nn.Dense(4), nn.BatchNorm(axis=-1)

        def forward(self, x: Any) -> Any:
            return self.norm(self.layer(x)) * x.shape[0]

    block = Reading()
    block.initialize()
    block.optimize_for(nd.ones((2, 3)), backend=FOLD)
    for batch in (2, 5, 2):
        agree(block, nd.array(rng.standard_normal((batch, 3))))
    assert "BatchNorm" not in operator_names(block)
    assert len(block._hy_traces) == 2


def test_several_devices_keep_values_of_their_own(x: NDArray) -> None:
    block = net(ctx=[cpu(0), cpu(1)])
    block.hybridize(backend=FOLD)
    first, second = block(x), block(x.as_in_context(cpu(1)))
    assert second.context == cpu(1)
    np.testing.assert_allclose(second.asnumpy(), first.asnumpy(), rtol=1e-5)


def test_hybridizing_anew_forgets_the_backend(trained: nn.HybridSequential, x: NDArray) -> None:
    trained.hybridize(backend=FOLD)
    trained(x)
    trained.hybridize()
    trained(x)
    op = trained._cached_op
    assert isinstance(op, OptimizedOp)
    assert not op.is_requested


def test_a_monitor_sees_the_graph_that_runs(trained: nn.HybridSequential, x: NDArray) -> None:
    trained.hybridize(backend=FOLD)
    trained(x)
    seen: list[str] = []
    trained.register_op_hook(lambda _, op, __: seen.append(op))
    trained(x)
    assert "Convolution" in seen
    assert "BatchNorm" not in seen


@pytest.mark.slow
@pytest.mark.parametrize("name", ["resnet18_v1", "mobilenet0.25"])
def test_nets_of_the_zoo_lose_their_normalisations(name: str, rng: np.random.Generator) -> None:
    block = model_zoo.vision.get_model(name)
    block.initialize()
    x = nd.array(rng.standard_normal((1, 3, 64, 64)))
    block.optimize_for(x, backend=FOLD)
    agree(block, x)
    assert "BatchNorm" not in operator_names(block)


# --- optimize_for and export ------------------------------------------------------------------


def test_optimize_for_runs_nothing(x: NDArray) -> None:
    block = net()
    calls: list[Any] = []
    block.register_forward_hook(lambda *_: calls.append(1))
    assert block.optimize_for(x, backend=FOLD) is None  # type: ignore[func-returns-value]
    assert "BatchNorm" not in operator_names(block)
    assert calls == []
    assert block[0].weight.shape == (4, 3, 3, 3)
    agree(block, x)


@pytest.mark.parametrize("how", ["optimize_for", "hybridize"])
def test_export_writes_the_optimized_graph(
    how: str, trained: nn.HybridSequential, x: NDArray, tmp_path: Path
) -> None:
    want = eager(trained, x)
    if how == "optimize_for":
        trained.optimize_for(x, backend=FOLD)
    else:
        trained.hybridize(backend=FOLD)
        trained(x)
    symbol_file, params_file = trained.export(str(tmp_path / "net"))
    again = SymbolBlock.imports(symbol_file, "data", params_file)
    assert set(again.params) == {
        f"net_{layer}_fwd_folded_{what}"
        for layer in ("conv0", "conv1", "dense0")
        for what in ("weight", "bias")
    }
    np.testing.assert_allclose(again(x).asnumpy(), want, rtol=1e-4, atol=1e-5)


def test_export_needs_the_backend_to_have_run(
    trained: nn.HybridSequential, x: NDArray, tmp_path: Path
) -> None:
    trained.hybridize()
    trained(x)
    symbol_file, params_file = trained.export(str(tmp_path / "net"))
    block = SymbolBlock.imports(symbol_file, "data", params_file)
    block.hybridize(backend=FOLD)
    with pytest.raises(BlockError, match="run the block once, or call optimize_for"):
        block.export(str(tmp_path / "again"))
    block.optimize_for(x, backend=FOLD)
    assert "BatchNorm" not in operator_names(block)
    agree_with = trained(x).asnumpy()
    np.testing.assert_allclose(block(x).asnumpy(), agree_with, rtol=1e-4, atol=1e-5)
    symbol_file, _ = block.export(str(tmp_path / "again"))
    assert "BatchNorm" not in Path(symbol_file).read_text(encoding="utf-8")


# --- other backends ---------------------------------------------------------------------------


def test_groups_run_in_prediction_alone(
    counting: Counting, trained: nn.HybridSequential, x: NDArray
) -> None:
    trained.hybridize(backend="counting")
    agree(trained, x)
    assert counting.calls == 1
    with autograd.record():
        y = trained(x)
    y.backward()
    assert counting.calls == 1
    seen: list[str] = []
    trained.register_op_hook(lambda _, op, __: seen.append(op))
    agree(trained, x)
    assert "_subgraph" in seen
    seen.clear()
    with autograd.record(train_mode=False):
        trained(x).backward()
    assert "_subgraph" not in seen


def test_backends_add_up(counting: Counting, trained: nn.HybridSequential, x: NDArray) -> None:
    trained.optimize_for(x, backend=FOLD)
    trained.optimize_for(x, backend="counting")
    assert operator_names(trained).count("_subgraph") == 1
    assert "BatchNorm" not in operator_names(trained)
    agree(trained, x)
    trained.optimize_for(x, backend="counting", clear=True)
    assert "BatchNorm" in operator_names(trained)


def test_regions_are_exported_as_the_operators_they_were(
    counting: Counting, trained: nn.HybridSequential, x: NDArray, tmp_path: Path
) -> None:
    trained.hybridize()
    trained(x)
    want, _ = trained.export(str(tmp_path / "plain"))
    trained.optimize_for(x, backend="counting")
    symbol_file, params_file = trained.export(str(tmp_path / "net"))
    assert Path(symbol_file).read_text("utf-8") == Path(want).read_text("utf-8")
    again = SymbolBlock.imports(symbol_file, "data", params_file)
    np.testing.assert_allclose(again(x).asnumpy(), eager(trained, x), rtol=1e-5)
    assert counting.calls == 0


def test_explain_shows_what_a_backend_runs_and_leaves_out(
    counting: Counting, trained: nn.HybridSequential, x: NDArray
) -> None:
    trained.hybridize(backend="counting")
    told = trained.explain(x)
    assert [row.operators for row in told.rows if row.how == "counting"] == [("Activation",)]
    assert told.left["Flatten 'net_flatten0_flatten0'"] == "counting does not take it"
    assert "left to the table: Flatten 'net_flatten0_flatten0': counting does not" in str(told)
    assert "left to the table" in told._repr_html_()
    trained.hybridize()
    assert not trained.explain(x).left


@pytest.mark.usefixtures("counting")
def test_optimized_blocks_can_be_copied(trained: nn.HybridSequential, x: NDArray) -> None:
    trained.optimize_for(x, backend="counting")
    want = trained(x).asnumpy()
    np.testing.assert_array_equal(copy.deepcopy(trained)(x).asnumpy(), want)


def test_fixed_values_come_along(x: NDArray, tmp_path: Path) -> None:
    register_backend("offset", Offset())
    try:
        block = net()
        block.optimize_for(x, backend="offset", backend_opts={"by": 7})
        np.testing.assert_allclose(block(x).asnumpy(), eager(block, x) + 7, rtol=1e-5)
        symbol_file, params_file = block.export(str(tmp_path / "net"))
        again = SymbolBlock.imports(symbol_file, "data", params_file)
        np.testing.assert_allclose(again(x).asnumpy(), eager(block, x) + 7, rtol=1e-5)
        block.optimize_for(x, backend=FOLD)
        np.testing.assert_allclose(block(x).asnumpy(), eager(block, x) + 7, rtol=1e-4)
    finally:
        unregister_backend("offset")


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
def test_pytorch_runs_whole_nets(trained: nn.HybridSequential, x: NDArray) -> None:
    trained.optimize_for(x, backend=FOLD)
    trained.optimize_for(x, backend="torch_compile", compiler=None)
    assert operator_names(trained) == ["_subgraph"]
    agree(trained, x)
    trained[1].gamma.set_data(nd.full(4, 2))
    agree(trained, x)


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
def test_without_pytorch_the_error_has_the_remedy(x: NDArray) -> None:
    with pytest.raises(BackendError, match="PyTorch is not installed; `pip install torch`"):
        net().optimize_for(x, backend="torch_compile")
