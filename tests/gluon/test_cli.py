"""The command `hy-io` with what packages of graphs add, as a user runs it, but in this process."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from hy_gluon import SymbolBlock, nn
from hy_io import (
    load_ndarrays,
    load_npz,
    load_safetensors,
    load_torch,
    save_ndarrays,
    save_npz,
    save_safetensors,
    save_torch,
)
from hy_io.cli import main
from hy_ndarray import nd, random
from hy_symbol import sym

DATA = Path(__file__).parent / "data"
INPUT = "data=2,3,8,8"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def work(*arguments: object) -> tuple[int, str, str]:
        code = main(list(map(str, arguments)))
        return code, *capsys.readouterr()

    return work


def test_a_model_is_exported_by_a_command(exported: str, run: Run) -> None:
    code, text, _ = run("export", f"{exported}-symbol.json", "--input", "data=N,3,8,8")
    assert (code, text.strip()) == (0, f"{exported}.onnx")
    session = onnxruntime.InferenceSession(f"{exported}.onnx", providers=["CPUExecutionProvider"])
    x = np.ones((5, 3, 8, 8), np.float32)
    net = SymbolBlock.imports(f"{exported}-symbol.json", ["data"], f"{exported}-0000.params")
    (found,) = session.run(None, {"data": x})
    np.testing.assert_allclose(found, net(nd.array(x)).asnumpy(), rtol=1e-4, atol=1e-5)
    code, _, error = run("export", f"{exported}-symbol.json")
    assert code == 1
    assert "give the shape of each input, such as --input data=1,3,224,224" in error


def as_json(text: str) -> Any:
    (line,) = text.splitlines()
    return json.loads(line)


@pytest.fixture
def exported(tmp_path: Path) -> str:
    """The prefix of an exported net with a convolution, a normalisation and a dense layer."""
    random.seed(0)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(5))
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 3, 8, 8)))
    net.export(str(tmp_path / "net"))
    return str(tmp_path / "net")


def same(one: Any, other: Any) -> bool:
    return list(one) == list(other) and all((one[name] == other[name]).all() for name in one)


# --- convert ----------------------------------------------------------------------------------


def test_a_model_goes_through_safetensors_with_its_graph(
    run: Run, exported: str, tmp_path: Path
) -> None:
    middle, back = tmp_path / "net.safetensors", tmp_path / "again-0000.params"
    assert run("convert", f"{exported}-0000.params", middle)[0] == 0
    graph = Path(f"{exported}-symbol.json").read_text(encoding="utf-8")
    assert load_safetensors(middle).symbol == graph
    code, text, _ = run("convert", middle, back)
    assert (code, text) == (0, f"{back}, {tmp_path}/again-symbol.json: 8 arrays\n")
    assert back.read_bytes() == Path(f"{exported}-0000.params").read_bytes()
    assert (tmp_path / "again-symbol.json").read_text(encoding="utf-8") == graph


def test_a_model_goes_to_torchs_names_and_back(run: Run, exported: str, tmp_path: Path) -> None:
    state, back = tmp_path / "state.safetensors", tmp_path / "back-0000.params"
    assert run("convert", f"{exported}-0000.params", state, "--to", "torch")[0] == 0
    content = load_safetensors(state)
    assert content.symbol is None
    assert list(content.arrays) == [
        *("net_conv0.weight", "net_conv0.bias"),
        *("net_batchnorm0.weight", "net_batchnorm0.bias"),
        *("net_batchnorm0.running_mean", "net_batchnorm0.running_var"),
        "net_batchnorm0.num_batches_tracked",
        *("net_dense0.weight", "net_dense0.bias"),
    ]
    options = ("--from", "torch", "--symbol", f"{exported}-symbol.json", "--input", INPUT)
    code, _, message = run("convert", state, back, *options)
    assert (code, message) == (0, "")
    first: Any = load_ndarrays(f"{exported}-0000.params")
    second: Any = load_ndarrays(back)
    assert same(first, {name: second[name] for name in first})


def test_names_without_a_graph_are_those_of_the_structure(run: Run, tmp_path: Path) -> None:
    state, target = tmp_path / "state.npz", tmp_path / "net.params"
    save_npz(state, {"0.weight": np.ones(3), "0.bias": np.zeros(3)})
    assert run("convert", state, target, "--from", "torch")[0] == 0
    assert list(load_ndarrays(target)) == ["0.gamma", "0.beta"]
    assert run("convert", target, tmp_path / "b.npz")[0] == 0
    assert list(load_npz(tmp_path / "b.npz")) == ["0.gamma", "0.beta"]


def test_arrays_that_do_not_fit_the_graph_are_all_listed(
    run: Run, exported: str, tmp_path: Path
) -> None:
    arrays: Any = load_ndarrays(f"{exported}-0000.params")
    arrays["arg:other_weight"] = arrays.pop("arg:net_dense0_weight")
    arrays["arg:net_conv0_bias"] = np.zeros(7, np.float32)
    save_ndarrays(f"{exported}-0000.params", arrays)
    target = tmp_path / "net.safetensors"
    code, _, message = run("convert", f"{exported}-0000.params", target, "--input", INPUT)
    assert code == 1
    assert message.splitlines() == [
        "hy-io: the arrays do not fit the graph",
        "  other_weight: is not in the graph",
        "  net_dense0_weight: is missing",
        "  net_conv0_bias: is (7,), the graph wants (4,)",
    ]
    assert not target.exists()


@pytest.mark.parametrize("options", [(), ("--input", INPUT)])
def test_shapes_that_do_not_fit_the_graph_are_all_listed(
    run: Run, exported: str, tmp_path: Path, options: tuple[str, ...]
) -> None:
    arrays: Any = load_ndarrays(f"{exported}-0000.params")
    wrong = {"conv0_weight": (4, 3, 3, 5), "conv0_bias": (7,), "dense0_weight": (6, 144)}
    arrays |= {f"arg:net_{name}": np.zeros(shape, "f") for name, shape in wrong.items()}
    save_ndarrays(f"{exported}-0000.params", arrays)
    target = tmp_path / "net.safetensors"
    code, _, message = run("convert", f"{exported}-0000.params", target, *options)
    assert code == 1
    channels, features = (3, 144) if options else ("?", "?")
    assert message.splitlines() == [
        "hy-io: the arrays do not fit the graph",
        f"  net_conv0_weight: is (4, 3, 3, 5), the graph wants (4, {channels}, 3, 3)",
        "  net_conv0_bias: is (7,), the graph wants (4,)",
        f"  net_dense0_weight: is (6, 144), the graph wants (5, {features})",
    ]
    assert not target.exists()


def test_shapes_that_contradict_each_other_are_told_without_those_of_inputs(
    run: Run, tmp_path: Path
) -> None:
    graph = sym.var("data") * (sym.var("a_weight") + sym.var("b_weight"))
    (tmp_path / "net-symbol.json").write_text(graph.tojson(), encoding="utf-8")
    arrays = {"arg:a_weight": np.ones(3), "arg:b_weight": np.ones(4)}
    save_ndarrays(tmp_path / "net-0000.params", arrays)
    code, _, message = run("convert", tmp_path / "net-0000.params", tmp_path / "a.safetensors")
    assert code == 1
    assert "(3,)" in message
    assert "(4,)" in message


def test_shapes_of_a_state_dict_that_do_not_fit_the_graph_are_listed(
    run: Run, exported: str, tmp_path: Path
) -> None:
    state, target = tmp_path / "state.pt", tmp_path / "back-0000.params"
    assert run("convert", f"{exported}-0000.params", state)[0] == 0
    save_torch(state, {**load_torch(state), "net_conv0.bias": np.zeros(7, np.float32)})
    options = ("--symbol", f"{exported}-symbol.json")
    code, _, message = run("convert", state, target, *options)
    assert code == 1
    assert message.splitlines() == [
        "hy-io: the arrays do not fit the graph",
        "  net_conv0_bias: is (7,), the graph wants (4,)",
    ]
    assert not target.exists()


def test_arrays_that_torch_has_no_names_for_are_all_listed(run: Run, tmp_path: Path) -> None:
    save_ndarrays(tmp_path / "a.params", {n: np.ones(2) for n in ("x", "0.weight", "y")})
    code, _, message = run("convert", tmp_path / "a.params", tmp_path / "b.npz", "--to", "torch")
    assert code == 1
    assert message.splitlines() == [
        "hy-io: these arrays are of no layer that PyTorch has, too; --to mxnet keeps all names",
        "  x",
        "  y",
    ]


def test_arrays_of_torch_that_are_not_in_the_graph_are_all_listed(
    run: Run, exported: str, tmp_path: Path
) -> None:
    state = tmp_path / "state.safetensors"
    save_safetensors(state, {n: np.ones((2, 2), np.float32) for n in ("fc.weight", "out.weight")})
    options = ("--from", "torch", "--symbol", f"{exported}-symbol.json")
    code, _, message = run("convert", state, tmp_path / "b.params", *options)
    assert code == 1
    assert message.splitlines() == [
        "hy-io: these arrays are not in the graph",
        "  fc.weight",
        "  out.weight",
    ]


@pytest.mark.parametrize("with_graph", [False, True])
def test_arrays_of_torch_that_are_of_no_layer_are_all_listed(
    run: Run, exported: str, tmp_path: Path, with_graph: bool
) -> None:
    state = tmp_path / "state.pt"
    names = ("scale", "net_dense0.weight", "net_dense0.offset")
    save_torch(state, {name: np.ones((5, 144), np.float32) for name in names})
    options = ("--symbol", f"{exported}-symbol.json") if with_graph else ()
    code, _, message = run("convert", state, tmp_path / "b.params", *options)
    assert code == 1
    first, *lines = message.splitlines()
    no_layer = "these arrays are of no layer that Gluon has, too; --from mxnet keeps all names"
    assert first == f"hy-io: {'these arrays are not in the graph' if with_graph else no_layer}"
    assert lines == ["  scale", "  net_dense0.offset"]


def test_a_state_dict_goes_both_ways(run: Run, exported: str, tmp_path: Path) -> None:
    state, back = tmp_path / "net.pt", tmp_path / "back-0000.params"
    assert run("convert", f"{exported}-0000.params", state)[0] == 0
    arrays = load_torch(state)
    assert arrays["net_conv0.weight"].shape == (4, 3, 3, 3)
    assert "net_batchnorm0.num_batches_tracked" in arrays
    code, _, message = run("convert", state, back, "--symbol", f"{exported}-symbol.json")
    assert (code, message) == (0, "")
    first: Any = load_ndarrays(f"{exported}-0000.params")
    second: Any = load_ndarrays(back)
    assert same(first, {name: second[name] for name in first})


def test_info_and_verify_read_files_of_torchs(run: Run, tmp_path: Path) -> None:
    state = tmp_path / "net.pth"
    save_torch(state, {"0.weight": np.ones((2, 3), np.float32)})
    assert "torch, 1 arrays, 24 bytes" in run("info", state)[1]
    assert "whole, torch" in run("verify", state)[1]
    content = bytearray(state.read_bytes())
    content[content.index(np.ones(6, np.float32).tobytes())] ^= 1
    state.write_bytes(content)
    code, _, message = run("verify", state)
    assert code == 1
    assert "CRC-32 of 'archive/data/0'" in message


def test_a_file_of_torchs_that_is_something_else_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "net.pth"
    path.write_bytes(b"\x80\x02}q\x00.")
    code, _, text = run("convert", path, tmp_path / "a.params")
    assert code == 1
    assert "expected a ZIP archive, which torch.save writes" in text


def test_an_ending_that_is_not_known_is_refused(run: Run, exported: str, tmp_path: Path) -> None:
    code, out, _ = run("convert", f"{exported}-0000.params", tmp_path / "net.h5", "--json")
    assert code == 1
    assert "net.h5 must be one of .pt, .pth, .params" in as_json(out)["error"]


WATCH = """
import hy_io.cli, json, sys
for words in json.loads(sys.argv[1]):
    assert hy_io.cli.main(words) == 0
    found = sys.modules.keys() & {"hy_io", "hy_ndarray", "hy_symbol", "hy_gluon", "torch"}
    print("imported", *sorted(found))
"""


def test_a_command_imports_what_it_needs(exported: str, tmp_path: Path) -> None:
    alone, middle = tmp_path / "alone.params", tmp_path / "middle.safetensors"
    shutil.copy(f"{exported}-0000.params", alone)
    commands = [
        ("convert", alone, middle),
        ("convert", middle, tmp_path / "a.npz", "--to", "torch"),
        ("convert", alone, tmp_path / "a.pt"),
        ("verify", middle),
        ("convert", f"{exported}-0000.params", tmp_path / "b.safetensors"),
    ]
    words = json.dumps([list(map(str, command)) for command in commands])
    call = [sys.executable, "-c", WATCH, words]
    done = subprocess.run(call, check=True, capture_output=True, text=True)  # noqa: S603  # ours
    imported = [line for line in done.stdout.splitlines() if line.startswith("imported")]
    assert imported == ["imported hy_io"] * 4 + ["imported hy_io hy_ndarray hy_symbol"]


# --- info, verify, draw, time ----------------------------------------------------------------


def test_info_shows_layers_or_arrays(run: Run, exported: str) -> None:
    code, text, _ = run("info", f"{exported}-symbol.json", "--input", INPUT)
    assert code == 0
    assert "net_conv0_fwd(Convolution)" in text
    assert "4x6x6" in text
    assert "not all sizes" not in text
    code, text, _ = run("info", f"{exported}-symbol.json")
    assert code == 0
    assert "not all sizes are known: give those of each input, such as --input data=" in text
    done = as_json(run("info", f"{exported}-symbol.json", "--json")[1])
    assert done["params"] == f"{exported}-0000.params"
    assert done["inputs"][0] == "data"
    code, text, _ = run("info", f"{exported}-0000.params")
    assert text.splitlines()[0] == f"{exported}-0000.params: params, 8 arrays, 3412 bytes"


def test_info_shows_a_graph_without_inputs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(sym.zeros((2, 3)).tojson(), encoding="utf-8")
    code, text, message = run("info", tmp_path / "a.json")
    assert (code, message) == (0, "")
    assert "not all sizes" not in text


def test_verify_checks_a_file_the_fit_and_the_numbers(run: Run, exported: str) -> None:
    graph = f"{exported}-symbol.json"
    assert run("verify", f"{exported}-0000.params")[0] == 0
    code, text, _ = run("verify", graph)
    assert (code, text) == (0, f"{exported}-0000.params: 8 arrays, all fit {graph}\n")
    code, text, _ = run("verify", graph, "--input", INPUT)
    assert code == 0
    assert len(text.splitlines()) > 3
    save_ndarrays(f"{exported}-0003.params", {"arg:a": np.ones(2)})
    code, _, message = run("verify", graph)
    assert code == 1
    assert "a: is not in the graph" in message


@pytest.mark.parametrize("name", ["float", "naive"])
def test_models_that_mxnet_wrote_are_verified(run: Run, name: str) -> None:
    """One of them is on integers, which have no gradient."""
    graph = DATA / "quantized" / f"{name}-symbol.json"
    code, text, message = run("verify", graph, "--input", "data=2,4,6,6", "--json")
    assert (code, message) == (0, "")
    assert sorted(as_json(text)["differences"]) == ["hybrid", "reimported", "static"]


def test_draw_writes_a_picture(run: Run, exported: str, tmp_path: Path) -> None:
    assert run("draw", f"{exported}-symbol.json", tmp_path / "a.svg", "--input", INPUT)[0] == 0
    assert "net_dense0_fwd" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    code, text, _ = run("draw", f"{exported}-symbol.json")
    assert (code, text) == (0, f"{exported}-symbol.svg\n")
    assert Path(f"{exported}-symbol.svg").read_text(encoding="utf-8").startswith("<svg")


def test_time_times_calls(run: Run, exported: str) -> None:
    options = (f"{exported}-symbol.json", "--input", INPUT, "--calls", 3)
    done = as_json(run("time", *options, "--json")[1])
    assert done["calls"] == 3
    assert 0 < done["fastest_ms"] <= done["median_ms"]
    assert "items each second, on cpu(0)" in run("time", *options)[1]


def test_a_model_in_one_file_is_a_model(run: Run, exported: str, tmp_path: Path) -> None:
    one = tmp_path / "net.safetensors"
    run("convert", f"{exported}-0000.params", one)
    assert run("time", one, "--input", INPUT, "--calls", 1)[0] == 0


def test_what_is_missing_is_told(run: Run, exported: str, tmp_path: Path) -> None:
    graph = f"{exported}-symbol.json"
    assert "such as --input data=1,3,224,224" in run("time", graph)[2]
    assert "no input x; there are data, net_conv0_weight" in run("time", graph, "--input", "x=1")[2]
    shutil.copy(graph, tmp_path / "alone-symbol.json")
    assert "give --params" in run("verify", tmp_path / "alone-symbol.json")[2]
    save_ndarrays(tmp_path / "b.params", {"a": np.ones(2)})
    assert "holds no graph" in run("draw", tmp_path / "b.params")[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("time", "--input", "data=2,x"), "'data=2,x': give a number in the place of x"),
        (("time", "--input", "data"), "'data': give a name and sizes, such as data=1,3,224,224"),
        (("verify", "--input", "data=-1,3"), "give a name and sizes"),
        (("info", "--input", "data="), "give a name and sizes"),
        (("convert", "b.npz", "--input", "=3"), "give a name and sizes"),
        (("convert", "b.npz", "--input", "data=3,,4"), "give a name and sizes"),
        (("time", "--calls", "0"), "must be a number of 1 or more, got '0'"),
        (("time", "--calls", "few"), "must be a number of 1 or more, got 'few'"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(
    run: Run, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(words[0], "net-symbol.json", *words[1:])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_a_drawing_has_no_other_format(run: Run, exported: str, tmp_path: Path) -> None:
    code, _, message = run("draw", f"{exported}-symbol.json", tmp_path / "a.png")
    assert code == 1
    assert "a.png: the ending must be .svg" in message
    assert not (tmp_path / "a.png").exists()


def test_a_damaged_graph_is_named(run: Run, exported: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{", encoding="utf-8")
    for words in (
        ("info", tmp_path / "a.json"),
        ("convert", f"{exported}-0000.params", tmp_path / "b.npz", "--symbol", tmp_path / "a.json"),
    ):
        code, _, message = run(*words)
        assert code == 1
        assert f"hy-io: {tmp_path / 'a.json'}: symbol JSON: not JSON" in message


def test_every_command_is_listed(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("--help")
    listed = capsys.readouterr().out
    with pytest.raises(SystemExit):
        run("frobnicate")
    refused = capsys.readouterr().err
    for name in ("convert", "info", "verify", "draw", "time", "rec", "im2rec", "rec2idx"):
        assert f"    {name} " in listed
        assert f"'{name}'" in refused


def test_commands_of_files_are_those_of_hy_io(run: Run) -> None:
    assert run("info", "nothing.params")[2].startswith("hy-io: ")
    with pytest.raises(SystemExit) as stopped:
        run("rec", "--help")
    assert stopped.value.code == 0
    with pytest.raises(SystemExit) as stopped:
        run("nothing")
    assert stopped.value.code == 2


def test_what_was_converted_predicts_the_same(run: Run, exported: str, tmp_path: Path) -> None:
    state, back = tmp_path / "state.npz", tmp_path / "back-0000.params"
    graph = f"{exported}-symbol.json"
    run("convert", f"{exported}-0000.params", state, "--to", "torch")
    run("convert", state, back, "--from", "torch", "--symbol", graph)
    x = nd.array(np.random.default_rng(0).normal(size=(2, 3, 8, 8)))
    one, other = (
        SymbolBlock.imports(file, ["data"], params)(x).asnumpy()
        for file, params in (
            (graph, f"{exported}-0000.params"),
            (str(tmp_path / "back-symbol.json"), str(back)),
        )
    )
    assert (one == other).all()


# --- ONNX -------------------------------------------------------------------------------------


def of_runtime(path: Path, x: Any) -> Any:
    session = onnxruntime.InferenceSession(str(path))
    return session.run(None, {session.get_inputs()[0].name: x})[0]


def of_block(prefix: str, x: Any) -> Any:
    block = SymbolBlock.imports(f"{prefix}-symbol.json", ["data"], f"{prefix}-0000.params")
    return block(nd.array(x)).asnumpy()


def test_a_model_goes_to_onnx_and_back_by_every_format(
    run: Run, exported: str, tmp_path: Path
) -> None:
    model, middle, again = tmp_path / "a.onnx", tmp_path / "b.safetensors", tmp_path / "c.onnx"
    back = tmp_path / "back-0000.params"
    shape = ("--input", "data=N,3,8,8")
    for step in (
        (f"{exported}-0000.params", model, *shape),
        (model, middle),
        (middle, again, *shape),
        (again, back),
    ):
        code, _, message = run("convert", *step)
        assert (code, message) == (0, "")
    for count in (1, 4):
        x = np.random.default_rng(count).normal(size=(count, 3, 8, 8)).astype(np.float32)
        expected = of_block(exported, x)
        np.testing.assert_allclose(of_runtime(model, x), expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(of_runtime(again, x), expected, rtol=1e-4, atol=1e-5)
        found = of_block(str(tmp_path / "back"), x)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_an_onnx_model_becomes_a_state_dict_and_comes_back(
    run: Run, exported: str, tmp_path: Path
) -> None:
    model, state, again = tmp_path / "a.onnx", tmp_path / "state.npz", tmp_path / "b.onnx"
    graph, shape = f"{exported}-symbol.json", ("--input", "data=2,3,8,8")
    assert run("convert", f"{exported}-0000.params", state, "--to", "torch")[0] == 0
    options = ("--from", "torch", "--symbol", graph, *shape)
    assert run("convert", state, model, *options)[0] == 0
    x = np.random.default_rng(0).normal(size=(2, 3, 8, 8)).astype(np.float32)
    np.testing.assert_allclose(of_runtime(model, x), of_block(exported, x), rtol=1e-4, atol=1e-5)
    other = tmp_path / "other.npz"
    code, _, message = run("convert", model, other, "--to", "torch")
    assert (code, message) == (0, "")
    assert run("convert", other, again, *options)[0] == 0
    np.testing.assert_allclose(of_runtime(again, x), of_runtime(model, x), rtol=1e-6)


def test_halves_stay_halves_in_onnx(run: Run, tmp_path: Path) -> None:
    net = nn.Dense(2, in_units=3, prefix="fc_")
    net.initialize("normal")
    net.cast("float16")
    net.hybridize()
    x = np.ones((2, 3), np.float16)
    expected = net(nd.array(x, dtype="float16")).asnumpy()
    net.export(str(tmp_path / "net"))
    model = tmp_path / "a.onnx"
    assert run("convert", tmp_path / "net-0000.params", model, "--input", "data=N,3")[0] == 0
    np.testing.assert_allclose(of_runtime(model, x), expected, rtol=1e-2)


def test_an_onnx_model_is_told_checked_drawn_and_timed(
    run: Run, exported: str, tmp_path: Path
) -> None:
    model = tmp_path / "a.onnx"
    run("convert", f"{exported}-0000.params", model, "--input", INPUT)
    for command in ("info", "verify", "time"):
        code, _, message = run(command, model, "--input", INPUT)
        assert (code, message) == (0, "")
    assert run("draw", model, tmp_path / "a.svg")[0] == 0


def test_inputs_of_an_onnx_model_that_are_missing_or_unknown_are_all_listed(
    run: Run, tmp_path: Path
) -> None:
    graph = sym.dot(sym.var("one"), sym.var("w_weight")) + sym.var("two")
    (tmp_path / "net-symbol.json").write_text(graph.tojson(), encoding="utf-8")
    save_ndarrays(tmp_path / "net-0000.params", {"arg:w_weight": np.ones((3, 4), np.float32)})
    parts = ("convert", tmp_path / "net-0000.params", tmp_path / "a.onnx")
    code, _, message = run(*parts)
    assert code == 1
    assert message.splitlines() == [
        "hy-io: the inputs do not fit the graph",
        "  one: has no shape; give --input one=N,3,224,224, where N stands for any size",
        "  two: has no shape; give --input two=N,3,224,224, where N stands for any size",
    ]
    code, _, message = run(*parts, "--input", "one=2,3", "--input", "two=4", "--input", "x=N,1")
    assert code == 1
    assert message.splitlines()[1:] == ["  x: is not in the graph"]
    assert not (tmp_path / "a.onnx").exists()
    save_npz(tmp_path / "b.npz", {"w": np.ones(2)})
    assert "an ONNX model needs the graph" in run("convert", tmp_path / "b.npz", parts[2])[2]


def test_a_file_that_is_no_onnx_model_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"no model")
    code, _, message = run("convert", tmp_path / "a.onnx", tmp_path / "a.params")
    assert code == 1
    assert "a.onnx" in message
