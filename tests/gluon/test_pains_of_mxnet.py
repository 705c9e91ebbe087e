"""Pains of MXNet 1.9.1 that end here, one test each, named after what is true instead.

What a test shows fails under MXNet: with an exception, a silent difference, or a lost structure.
"""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import (
    Block,
    BlockError,
    HybridBlock,
    SymbolBlock,
    VerificationError,
    nn,
    rnn,
    verify,
)
from hy_gluon.parameter import MismatchError
from hy_io import load_ndarrays, save_ndarrays
from hy_ndarray import NDArray, ShapeError, autograd, nd, random


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6, atol=1e-7)


def dense(units: int = 3, inputs: int = 4, **kwargs: Any) -> nn.Dense:
    layer = nn.Dense(units, in_units=inputs, **kwargs)
    layer.initialize("normal")
    return layer


def reloaded(block: Any, folder: Path, *names: str) -> SymbolBlock:
    symbol_file, params_file = block.export(str(folder / "net"))
    return SymbolBlock.imports(symbol_file, list(names or ["data"]), params_file)


# --- code that runs eagerly, and not hybridized ------------------------------------------------


class Inside(HybridBlock):
    """Does to its argument what ``use`` says."""

    def __init__(self, use: Any) -> None:
        super().__init__()
        self.use = use

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        return self.use(F, x)


def same_both_ways(use: Any, x: NDArray) -> NDArray:
    block = Inside(use)
    eager = block(x)
    block.hybridize()
    close(block(x), eager)
    result: NDArray = block(x)
    return result


def test_a_shape_can_be_read_inside_a_hybridized_block(rng: np.random.Generator) -> None:
    x = nd.array(rng.normal(size=(2, 3)))
    flat = same_both_ways(lambda F, x: F.reshape(x, shape=(x.shape[0] * x.shape[1],)), x)
    assert flat.shape == (6,)


def test_a_dtype_can_be_read_inside_a_hybridized_block() -> None:
    half = same_both_ways(lambda F, x: F.cast(x, x.dtype) + 1, nd.ones((2,), dtype="float16"))
    assert half.dtype is np.float16


def test_intermediates_can_be_indexed_inside_a_hybridized_block() -> None:
    x = nd.arange(12).reshape((3, 4))
    found = same_both_ways(lambda F, x: (x * 2)[1:, -1], x)
    assert found.asnumpy().tolist() == [14, 22]


def test_intermediates_can_be_changed_in_place_inside_a_hybridized_block() -> None:
    def use(F: Any, x: Any) -> Any:
        y = x * 2
        y += x
        return y

    assert same_both_ways(use, nd.ones((2,))).asnumpy().tolist() == [3, 3]


def test_code_can_branch_on_a_shape_inside_a_hybridized_block() -> None:
    block = Inside(lambda F, x: x.sum() if len(x.shape) > 1 else x * 2)
    block.hybridize()
    assert block(nd.ones((2, 2))).asscalar() == 4
    assert block(nd.ones((2,))).asnumpy().tolist() == [2, 2]


def test_a_plain_forward_is_hybridized() -> None:
    calls = []

    class Plain(HybridBlock):
        def forward(self, x: Any, *_: Any) -> Any:
            calls.append(type(x).__name__)
            return nd.relu(x) * 2

    block = Plain()
    block.hybridize()
    for _ in range(3):
        assert block(nd.array([-1, 3])).asnumpy().tolist() == [0, 6]
    assert calls == ["Symbol"]


def test_an_argument_that_was_none_can_be_left_out() -> None:
    class Optional(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *args: Any, **_: Any) -> Any:
            return F.relu(x) if not args or args[0] is None else x + args[0]

    for first, then in (((None,), ()), ((), (None,))):
        block = Optional()
        block.hybridize()
        x = nd.ones((2,))
        close(block(x, *first), block(x, *then))


# --- hooks, threads, random numbers ------------------------------------------------------------


def test_hooks_of_children_fire_when_the_parent_is_hybridized() -> None:
    net = nn.HybridSequential()
    net.add(dense(), nn.Activation("relu"))
    seen: list[Any] = []
    net[0].register_forward_pre_hook(lambda block, inputs: seen.append(inputs[0].shape))
    net[1].register_forward_hook(lambda block, inputs, out: seen.append(out.shape))
    for hybrid in (False, True):
        net.hybridize(hybrid)
        seen.clear()
        for _ in range(2):
            net(nd.ones((2, 4)))
        assert seen == [(2, 4), (2, 3)] * 2


def test_dropout_masks_are_those_of_eager_calls() -> None:
    layer = nn.Dropout(0.5)
    masks = []
    for hybrid in (False, True):
        layer.hybridize(hybrid)
        random.seed(4)
        with autograd.train_mode():
            masks.append(layer(nd.ones((8, 8))).asnumpy())
    np.testing.assert_array_equal(masks[1], masks[0])


def test_a_hybridized_block_gives_right_answers_to_several_threads(
    rng: np.random.Generator,
) -> None:
    layer = dense()
    batches = [nd.array(rng.normal(size=(2, 4))) for _ in range(8)]
    expected = [layer(x).asnumpy() for x in batches]
    layer.hybridize(static_alloc=True, static_shape=True)
    found: dict[int, Any] = {}

    def call(i: int) -> None:
        for _ in range(20):
            found[i] = layer(batches[i]).asnumpy()

    threads = [threading.Thread(target=call, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, values in enumerate(expected):
        np.testing.assert_allclose(found[i], values, rtol=1e-6)


# --- export ------------------------------------------------------------------------------------


class Nested(HybridBlock):
    """Arguments and results in lists of lists."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **_: Any) -> Any:
        (y, (z,)) = args[0]
        return x + y, [[y * z], F.split(z, num_outputs=2, axis=0)]


def test_export_keeps_that_inputs_and_outputs_were_nested(tmp_path: Path) -> None:
    block = Nested()
    block.hybridize()
    x, y, z = (nd.array(v) for v in ([1, 2], [3, 4], [5, 6]))
    expected = block(x, [y, [z]])
    again = reloaded(block, tmp_path, "data0", "data1", "data2")
    twice = reloaded(again, tmp_path, "data0", "data1", "data2")
    for found in (again(x, [y, [z]]), again(x, y, z), twice(x, [y, [z]])):
        first, ((second,), parts) = found
        close(first, expected[0])
        close(second, expected[1][0][0])
        assert [part.asscalar() for part in parts] == [5, 6]


def test_export_of_a_block_that_is_called_twice_keeps_its_parameters(tmp_path: Path) -> None:
    class Twice(HybridBlock):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            with self.name_scope():
                self.same = nn.Dense(4, in_units=4)

        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            return self.same(F.relu(self.same(x)))

    block = Twice()
    block.initialize("normal")
    block.hybridize()
    x = nd.ones((2, 4))
    expected = block(x)
    close(reloaded(block, tmp_path)(x), expected)


def test_a_sequential_can_be_exported(tmp_path: Path) -> None:
    net = nn.Sequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, in_units=4, activation="tanh"), nn.Dense(2, in_units=3))
    net.initialize("normal")
    x = nd.ones((2, 4))
    again = reloaded(net, tmp_path)
    close(again(x), net(x))
    assert list(again.collect_params()) == list(net.collect_params())
    net.add(nn.Lambda("relu"))
    with pytest.raises(BlockError, match="block 2 is a Lambda, which has no graph"):
        net.export(str(tmp_path / "net"))


def test_a_hybridized_child_of_a_sequential_can_be_exported_alone(tmp_path: Path) -> None:
    net = nn.Sequential()
    inner = nn.HybridSequential()
    inner.add(dense(), nn.Activation("tanh"))
    net.add(inner, nn.Lambda("relu"))
    net.hybridize()
    x = nd.ones((2, 4))
    net(x)
    close(reloaded(inner, tmp_path)(x), inner(x))


def test_a_symbol_block_can_be_exported_again(tmp_path: Path) -> None:
    layer = dense(activation="relu")
    layer.hybridize()
    x = nd.ones((2, 4))
    layer(x)
    first = reloaded(layer, tmp_path)
    text = (tmp_path / "net-symbol.json").read_text(encoding="utf-8")
    second = reloaded(first, tmp_path)
    close(second(x), layer(x))
    assert (tmp_path / "net-symbol.json").read_text(encoding="utf-8") == text


# --- files of parameters -----------------------------------------------------------------------


def two_layers(prefix: str = "net_") -> nn.HybridSequential:
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(3, in_units=4), nn.BatchNorm(in_channels=3))
    net.initialize("normal")
    return net


def write_places(net: Any, file: Path) -> None:
    net.save_parameters(str(file))


def write_export(net: Any, file: Path) -> None:
    net.hybridize()
    net(nd.ones((1, 4)))
    Path(net.export(str(file))[1]).rename(file)


def write_prefixed(net: Any, file: Path) -> None:
    net.collect_params().save(str(file))


def write_stripped(net: Any, file: Path) -> None:
    with pytest.warns(UserWarning, match="deprecated"):
        net.save_params(str(file))


@pytest.mark.parametrize("write", [write_places, write_export, write_prefixed, write_stripped])
def test_load_parameters_takes_files_that_name_parameters_otherwise(
    write: Any, tmp_path: Path
) -> None:
    net, other = two_layers(), two_layers()
    write(net, tmp_path / "file.params")
    other.load_parameters(str(tmp_path / "file.params"))
    x = nd.ones((2, 4))
    close(other(x), net(x))


@pytest.mark.parametrize("write", [write_places, write_prefixed])
def test_a_missing_parameter_is_told_with_the_nearest_name(write: Any, tmp_path: Path) -> None:
    net = two_layers()
    write(net, tmp_path / "whole.params")
    file = str(tmp_path / "file.params")
    arrays = load_ndarrays(tmp_path / "whole.params")
    assert isinstance(arrays, dict)
    save_ndarrays(file, {name.replace("gamma", "gama"): a for name, a in arrays.items()})
    with pytest.raises(
        MismatchError, match=r"gamma' is missing in file: .*; the nearest name is '.*gama'"
    ):
        net.load_parameters(file)
    with pytest.raises(
        MismatchError, match=r"gama' .*is not present .*; the nearest name is '.*gamma'"
    ):
        net.load_parameters(file, allow_missing=True)
    net.load_parameters(file, allow_missing=True, ignore_extra=True)


# --- errors ------------------------------------------------------------------------------------


def test_an_error_says_in_which_block_it_happened() -> None:
    class Model(Block):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            with self.name_scope():
                self.features = nn.HybridSequential()
                with self.features.name_scope():
                    self.features.add(nn.Activation("relu"), nn.Dense(3, in_units=5))

        def forward(self, *args: Any) -> Any:
            return self.features(args[0])

    model = Model(prefix="model_")
    model.initialize()
    with pytest.raises(ShapeError) as caught:
        model(nd.ones((2, 4)))
    assert "in block model.features.1" in caught.value.__notes__


def test_verify_proves_that_a_graph_computes_what_the_code_does() -> None:
    layer = rnn.GRU(3)
    layer.initialize()
    differences = verify(layer, nd.ones((2, 1, 4)), nd.zeros((1, 1, 3)))
    assert max(differences.values()) < 1e-6
    with pytest.raises(VerificationError, match="hybrid differs from eager"):
        verify(Inside(lambda F, x: x * 2 if F is nd else x * 3), nd.ones((1,)))
