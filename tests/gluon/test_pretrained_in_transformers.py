"""Folders that are saved, read by ``transformers``, where it is installed: the same numbers."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import pretrained

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


def computed(model: Any, kind: str, given: Any) -> Any:
    import torch  # noqa: PLC0415  # only where it is installed

    x = torch.from_numpy(given["input"])
    if kind == "bert":
        mask, kinds = (torch.from_numpy(given[name]) for name in ("mask", "kinds"))
        return model(x, attention_mask=mask, token_type_ids=kinds).last_hidden_state
    return model(x).logits


@pytest.mark.parametrize("kind", CLASSES)
def test_transformers_reads_a_saved_folder(kind: str, tmp_path: Path) -> None:
    import torch  # noqa: PLC0415  # only where it is installed
    import transformers  # noqa: PLC0415

    given = np.load(FOLDERS / kind / "expected.npz")
    pretrained.save(pretrained.load(FOLDERS / kind), tmp_path)
    model, report = getattr(transformers, CLASSES[kind]).from_pretrained(
        tmp_path, output_loading_info=True
    )
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    with torch.no_grad():
        found = computed(model.eval(), kind, given).numpy()
    np.testing.assert_allclose(found, given["output"], rtol=1e-4, atol=2e-5)
