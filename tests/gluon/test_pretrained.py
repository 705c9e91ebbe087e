"""Folders of Hugging Face: nets that compute what ``transformers`` did, and folders written."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import nn, pretrained
from hy_gluon.pretrained.architecture import PretrainedError
from hy_io import load_safetensors, save_safetensors
from hy_ndarray import nd

FOLDERS = Path(__file__).parent / "pretrained"
DECODERS = ("gpt2", "llama", "llama3", "qwen2")
IMAGES = ("vit", "resnet", "resnet_basic")
ALL = (*DECODERS, "bert", *IMAGES)


def assert_close(actual: Any, desired: Any, rtol: float = 1e-4, atol: float = 2e-5) -> None:
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol)


def expected(kind: str) -> Any:
    return np.load(FOLDERS / kind / "expected.npz")


def arrays_of(path: Path) -> dict[str, Any]:
    arrays = load_safetensors(path).arrays
    assert isinstance(arrays, dict)
    return arrays


def results(net: Any, given: Any) -> list[np.ndarray[Any, Any]]:
    if "mask" in given:
        found = net(*(nd.array(given[name]) for name in ("input", "kinds", "mask")))
        return [x.asnumpy() for x in found]
    return [net(nd.array(given["input"])).asnumpy()]


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("kind", ALL)
def test_nets_compute_what_transformers_did(kind: str, hybrid: bool) -> None:
    net, given = pretrained.load(FOLDERS / kind), expected(kind)
    net.hybridize(hybrid)
    first, *more = results(net, given)
    assert_close(first, given["output"])
    for value in more:
        assert_close(value, given["pooled"])


@pytest.mark.parametrize("kind", DECODERS)
def test_decoders_generate_the_same_tokens(kind: str) -> None:
    net: Any = pretrained.load(FOLDERS / kind)
    net.hybridize()
    given = expected(kind)
    assert net.generate(given["input"][0], 12) == given["generated"].tolist()


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_decoders_of_16_bit_generate(kind: str, dtype: str, hybrid: bool) -> None:
    net: Any = pretrained.load(FOLDERS / kind, dtype=dtype)
    net.hybridize(hybrid)
    tokens = expected(kind)["input"][0].tolist()
    drawn = net.generate(tokens, 6)
    # The cache holds what a call without one computes anew.
    scores = net(nd.array([tokens + drawn], dtype="int32"))[0].astype("float32").asnumpy()
    for k, token in enumerate(drawn, len(tokens) - 1):
        assert scores[k, token] >= scores[k].max() - 0.05


def test_bfloat16_files_become_floats() -> None:
    net, given = pretrained.load(FOLDERS / "gpt2_bfloat16"), expected("gpt2_bfloat16")
    assert_close(results(net, given)[0], given["output"])
    half = pretrained.load(FOLDERS / "gpt2_bfloat16", dtype="float16")
    assert_close(results(half, given)[0], given["output"], rtol=0.05, atol=0.05)


@pytest.mark.parametrize("kind", ALL)
def test_a_saved_folder_holds_the_same(kind: str, tmp_path: Path) -> None:
    net = pretrained.load(FOLDERS / kind)
    pretrained.save(net, tmp_path)
    before: dict[str, Any] = {}
    for path in FOLDERS.joinpath(kind).glob("*.safetensors"):
        before |= arrays_of(path)
    after = arrays_of(tmp_path / "model.safetensors")
    counters = {name for name in before if name.endswith("num_batches_tracked")}
    base = "bert." if kind == "bert" else ""  # recorded from the bare model, whose names lack it
    assert after.keys() == {base + name for name in before}
    assert None not in json.loads((tmp_path / "config.json").read_text()).values()
    for name in before.keys() - counters:
        np.testing.assert_array_equal(after[base + name], before[name])
    given = expected(kind)
    again = pretrained.load(tmp_path)
    np.testing.assert_array_equal(results(again, given)[0], results(net, given)[0])
    config = json.loads((tmp_path / "config.json").read_text())
    original = json.loads((FOLDERS / kind / "config.json").read_text())
    same = config.keys() & original.keys()
    assert {k: config[k] for k in same} == {k: original[k] for k in same}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDERS / "gpt2", tmp_path / "gpt2"))


def changed(folder: Path, **config: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | config))


def test_an_unknown_model_names_those_there_are(folder: Path) -> None:
    changed(folder, model_type="lama")
    with pytest.raises(PretrainedError, match=r"model_type 'lama' is unknown.*llama"):
        pretrained.load(folder)


def test_a_model_that_computes_something_else_is_refused(folder: Path) -> None:
    changed(folder, scale_attn_by_inverse_layer_idx=True)
    with pytest.raises(PretrainedError, match="scale_attn_by_inverse_layer_idx=True"):
        pretrained.load(folder)


def test_mistral_computes_like_llama_without_a_window(tmp_path: Path) -> None:
    root = Path(shutil.copytree(FOLDERS / "llama", tmp_path / "mistral"))
    given = expected("llama")
    changed(root, model_type="mistral", architectures=["MistralForCausalLM"], sliding_window=None)
    assert_close(results(pretrained.load(root), given)[0], given["output"])
    changed(root, sliding_window=4)
    with pytest.raises(PretrainedError, match="mistral: sliding_window=4 is not supported"):
        pretrained.load(root)


def test_missing_and_foreign_arrays_are_named(folder: Path) -> None:
    arrays = arrays_of(folder / "model.safetensors")
    gone = arrays.pop("transformer.h.1.ln_2.bias")
    save_safetensors(folder / "model.safetensors", arrays)
    with pytest.raises(PretrainedError, match=r"no arrays for layers\.1\.norm2\.beta"):
        pretrained.load(folder)
    save_safetensors(folder / "model.safetensors", arrays | {"transformer.h.1.ln_3.bias": gone})
    with pytest.raises(PretrainedError, match=r"gpt2 has no array 'transformer\.h\.1\.ln_3\.bias'"):
        pretrained.load(folder)


def test_an_array_of_another_shape_is_named(folder: Path) -> None:
    changed(folder, n_positions=31)
    with pytest.raises(PretrainedError, match=r"wpe\.weight' has shape \(32, 16\)"):
        pretrained.load(folder)


def test_an_index_stays_in_its_folder(tmp_path: Path) -> None:
    root = Path(shutil.copytree(FOLDERS / "llama", tmp_path / "llama"))
    index = root / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"lm_head.weight": "../gpt2/model.safetensors"}}))
    with pytest.raises(PretrainedError, match="outside the folder"):
        pretrained.load(root)
    index.write_text("[]")
    with pytest.raises(PretrainedError, match="no index"):
        pretrained.load(root)


def test_a_folder_is_replaced_by_a_save(tmp_path: Path) -> None:
    root = Path(shutil.copytree(FOLDERS / "llama", tmp_path / "llama"))  # in several files
    net: Any = pretrained.load(root)
    net.norm.gamma.set_data(net.norm.gamma.data() * 2)
    before = (root / "config.json").read_bytes()
    (tmp_path / "link").hardlink_to(root / "config.json")
    pretrained.save(net, root)
    again: Any = pretrained.load(root)
    np.testing.assert_array_equal(
        again.norm.gamma.data().asnumpy(), net.norm.gamma.data().asnumpy()
    )
    # Another file took its place: a crash in between would have left the old one.
    assert (tmp_path / "link").read_bytes() == before != (root / "config.json").read_bytes()


def test_a_net_of_no_known_kind_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(PretrainedError, match="Dense"):
        pretrained.save(nn.Dense(2), tmp_path)
