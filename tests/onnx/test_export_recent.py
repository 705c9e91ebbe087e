"""Losses, masked attention, caches of keys and values, and LoRA as ONNX models."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, initializer, lora, loss, nn
from hy_gluon.model_zoo.transformer import Decoder
from hy_gluon.onnx import export_model
from hy_ndarray import nd, random
from tests.onnx.runtime import agree, outputs_of


def rows(shape: tuple[int, ...], seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def started(net: Any) -> Any:
    random.seed(1)
    net.initialize(initializer.Uniform(0.5))
    net.hybridize()
    return net


def exported(net: Any, inputs: dict[str, Any], folder: Path) -> list[Any]:
    """What the net gives, after the exported one has given the same."""
    found = net(*(nd.array(x, dtype=x.dtype) for x in inputs.values()))
    wanted = [x.asnumpy() for x in (found if isinstance(found, list | tuple) else [found])]
    path = str(folder / "net.onnx")
    shapes, dtypes = ([getattr(x, name) for x in inputs.values()] for name in ("shape", "dtype"))
    export_model(net, None, shapes, dtypes, onnx_file_path=path)
    agree(outputs_of(path, inputs), wanted)
    return wanted


LABELS = np.array([0, 3, 1, 4], np.float32)


@pytest.mark.parametrize(
    ("made", "labels"),
    [
        (lambda: loss.SoftmaxCELoss(label_smoothing=0.1), LABELS),
        (loss.FocalLoss, np.eye(5, dtype=np.float32)[LABELS.astype(int)]),
        (lambda: loss.ContrastiveLoss(0.5), rows((4, 5), 1)),
    ],
    ids=["label smoothing", "focal", "contrastive"],
)
def test_losses(made: Any, labels: Any, tmp_path: Path) -> None:
    exported(started(made()), {"data0": rows((4, 5)), "data1": labels}, tmp_path)


class Masked(HybridBlock):
    """Attention with a mask."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.attention = nn.MultiHeadAttention(8, 4, num_kv_heads=2, in_units=8)

    def hybrid_forward(self, F: Any, x: Any, mask: Any) -> Any:  # noqa: ARG002
        return self.attention(x, None, mask)


def test_attention_with_a_mask(tmp_path: Path) -> None:
    seen = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], np.float32).reshape(2, 1, 1, 5)
    net, x = started(Masked()), rows((2, 5, 8))
    (y,) = exported(net, {"data0": x, "data1": seen}, tmp_path)
    x[1, 3:] = 7  # what is hidden makes no difference to the others
    (again,) = exported(net, {"data0": x, "data1": seen}, tmp_path)
    np.testing.assert_allclose(again[1, :3], y[1, :3], rtol=1e-5, atol=1e-6)


class WithCache(HybridBlock):
    """Decoder of one token with flat arguments, as engines take them."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.decoder = Decoder(
            11, 8, 1, 4, num_kv_heads=2, norm="rms", activation="silu", positions="rotary",
            max_length=6,
        )  # fmt: skip

    def hybrid_forward(
        self,
        F: Any,  # noqa: ARG002
        tokens: Any,
        positions: Any,
        keys: Any,
        values: Any,
    ) -> Any:
        y, ((keys, values),) = self.decoder(tokens, positions, [(keys, values)])
        return y, keys, values


def test_a_decoder_with_a_cache(tmp_path: Path) -> None:
    net, tokens = started(WithCache()), np.array([[3, 1, 4, 1, 5]], np.float32)
    whole = net.decoder(nd.array(tokens)).asnumpy()
    keys = values = np.zeros((6, 1, 2, 2), np.float32)
    for places in ([0, 1, 2], [3], [4]):
        inputs = {
            "data0": tokens[:, places],
            "data1": np.array(places, np.int32),
            "data2": keys,
            "data3": values,
        }
        y, keys, values = exported(net, inputs, tmp_path)
        np.testing.assert_allclose(y, whole[:, places], rtol=1e-4, atol=1e-5)


def test_lora(tmp_path: Path) -> None:
    net, x = started(nn.MultiHeadAttention(8, 2, in_units=8)), rows((2, 5, 8))
    for parameter in lora.wrap(net, 2).values():
        parameter.set_data(nd.array(rows(parameter.data().shape, 3)))
    (beside,) = exported(net, {"data": x}, tmp_path)
    lora.merge(net)
    (merged,) = exported(net, {"data": x}, tmp_path)
    np.testing.assert_allclose(merged, beside, rtol=1e-4, atol=1e-5)
