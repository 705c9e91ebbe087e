"""Folders read and written by ``transformers``, where it is installed: the same numbers."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import pretrained
from hy_ndarray import nd

FOLDERS = Path(__file__).parent / "pretrained"
CLASSES = {
    "gpt2": "AutoModelForCausalLM",
    "llama": "AutoModelForCausalLM",
    "llama3": "AutoModelForCausalLM",
    "qwen2": "AutoModelForCausalLM",
    "bert": "AutoModel",
    "vit": "AutoModelForImageClassification",
    "resnet": "AutoModelForImageClassification",
    "resnet_basic": "AutoModelForImageClassification",
}
pytestmark = pytest.mark.skipif(
    not (find_spec("torch") and find_spec("transformers")), reason="transformers is not installed"
)


def read(folder: Path, kind: str) -> Any:
    """The model that transformers reads from a folder, in float32."""
    import torch  # noqa: PLC0415  # only where it is installed
    import transformers  # noqa: PLC0415

    model, report = getattr(transformers, CLASSES[kind]).from_pretrained(
        folder, output_loading_info=True, dtype=torch.float32
    )
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    return model.eval()


def assert_same(model: Any, net: Any, kind: str) -> None:
    """Compare a model of transformers with a net, on the inputs of the recorded folder."""
    import torch  # noqa: PLC0415  # only where it is installed

    given = np.load(FOLDERS / kind / "expected.npz")
    x = torch.from_numpy(given["input"])
    with torch.no_grad():
        if kind == "bert":
            mask, kinds = (torch.from_numpy(given[name]) for name in ("mask", "kinds"))
            expected = model(x, attention_mask=mask, token_type_ids=kinds).last_hidden_state
            found, _ = net(*(nd.array(given[name]) for name in ("input", "kinds", "mask")))
        else:
            expected, found = model(x).logits, net(nd.array(given["input"]))
    np.testing.assert_allclose(found.asnumpy(), expected.numpy(), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("kind", CLASSES)
def test_a_folder_of_transformers_is_read(kind: str, dtype: str, tmp_path: Path) -> None:
    import torch  # noqa: PLC0415  # only where it is installed

    from tests.gluon.pretrained.record import MODELS, with_random_weights  # noqa: PLC0415

    torch.manual_seed(3)
    model = with_random_weights(MODELS[kind]()).to(getattr(torch, dtype))
    model.save_pretrained(tmp_path, max_shard_size="2KB")
    assert len([*tmp_path.glob("*.safetensors")]) > 1
    assert_same(read(tmp_path, kind), pretrained.load(tmp_path), kind)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("kind", CLASSES)
def test_transformers_reads_a_saved_folder(kind: str, dtype: str, tmp_path: Path) -> None:
    import torch  # noqa: PLC0415  # only where it is installed
    import transformers  # noqa: PLC0415

    net = pretrained.load(FOLDERS / kind, dtype=dtype)
    pretrained.save(net, tmp_path)
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    assert config.dtype is getattr(torch, dtype)
    net.cast("float32")
    assert_same(read(tmp_path, kind), net, kind)
    assert_same(read(tmp_path, kind), pretrained.load(tmp_path), kind)
