"""What ``torch.onnx.export`` writes comes into Gluon, learns, and goes back; needs PyTorch."""

from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.onnx import export_model, import_to_gluon
from hy_ndarray import autograd, nd, random
from tests.onnx.runtime import agree, outputs_of

torch = pytest.importorskip("torch")
MODES = ("EVAL", "TRAINING")
"""Of exports; one for training keeps what differs there, normalisation and dropout."""


def conv(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> Any:
    """A convolution and its normalisation, with statistics as after training."""
    norm = torch.nn.BatchNorm2d(outputs)
    norm.running_mean.uniform_(-1, 1)
    norm.running_var.uniform_(0.5, 2)
    how = {"padding": kernel // 2, "groups": groups, "bias": False}
    return torch.nn.Sequential(torch.nn.Conv2d(inputs, outputs, kernel, stride, **how), norm)


def head(count: int) -> Any:
    pool = torch.nn.AdaptiveAvgPool2d(1)
    return torch.nn.Sequential(pool, torch.nn.Flatten(), torch.nn.Linear(count, 5))


def module(forward: Callable[[Any, Any], Any], **parts: Any) -> Any:
    """A module of parts, called with itself and its input."""
    made = torch.nn.Module()
    for name, part in parts.items():
        setattr(made, name, part)
    made.forward = lambda x: forward(made, x)
    return made


def residual(body: Any, side: Any, last: Any) -> Any:
    parts = {"body": body, "side": side, "last": last}
    return module(lambda m, x: m.last(m.body(x) + m.side(x)), **parts)


def resnet() -> Any:
    relu, same = torch.nn.ReLU(), torch.nn.Identity()
    stem = torch.nn.Sequential(conv(3, 8, 7, 2), relu, torch.nn.MaxPool2d(3, 2, 1))
    plain = torch.nn.Sequential(conv(8, 8, 3), relu, conv(8, 8, 3))
    half = torch.nn.Sequential(conv(8, 12, 3, 2), relu, conv(12, 12, 3))
    blocks = residual(plain, same, relu), residual(half, conv(8, 12, 1, 2), relu)
    return torch.nn.Sequential(stem, *blocks, head(12))


def mobilenet() -> Any:
    six, swish, same = torch.nn.ReLU6(), torch.nn.Hardswish(), torch.nn.Identity()
    body = torch.nn.Sequential(conv(8, 16, 1), six, conv(16, 16, 3, 1, 16), swish, conv(16, 8, 1))
    return torch.nn.Sequential(conv(3, 8, 3, 2), swish, residual(body, same, same), head(8))


def vit() -> Any:
    def forward(m: Any, x: Any) -> Any:
        count = x.shape[0]
        x = m.patches(x).reshape(count, 16, -1).permute(0, 2, 1)
        x = torch.cat([m.token.expand(count, -1, -1), x], 1) + m.places
        return m.head(m.layers(x)[:, 0])

    how = {"activation": "gelu", "batch_first": True, "norm_first": True}
    layer = torch.nn.TransformerEncoderLayer(16, 4, 32, **how)
    return module(
        forward,
        patches=torch.nn.Conv2d(3, 16, 8, 8),
        token=torch.nn.Parameter(torch.randn(1, 1, 16)),
        places=torch.nn.Parameter(torch.randn(1, 17, 16)),
        layers=torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
        head=torch.nn.Sequential(torch.nn.LayerNorm(16), torch.nn.Linear(16, 5)),
    )


@cache
def written(made: Callable[[], Any], mode: str) -> tuple[Any, bytes]:
    """A module, and the file that the exporter makes of it."""
    torch.manual_seed(0)
    net = made().train(mode == "TRAINING")
    how = {"opset_version": 17, "input_names": ["x"], "dynamic_axes": {"x": {0: "batch"}}}
    training = getattr(torch.onnx.TrainingMode, mode)
    file = BytesIO()
    x = torch.randn(2, 3, 32, 32)
    torch.onnx.export(net, (x,), file, dynamo=False, training=training, **how)
    return net.eval(), file.getvalue()


def images(count: int) -> Any:
    return np.random.default_rng(0).uniform(-1, 1, (count, 3, 32, 32)).astype(np.float32)


@pytest.mark.filterwarnings("ignore")  # the exporter's own
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [resnet, mobilenet, vit])
def test_a_model_of_pytorch_comes_and_goes_back(made: Any, mode: str, tmp_path: Path) -> None:
    path, back = tmp_path / "torch.onnx", str(tmp_path / "back.onnx")
    net, content = written(made, mode)
    path.write_bytes(content)
    x = images(3)
    wanted = [net(torch.from_numpy(x)).detach().numpy()]
    block = import_to_gluon(path)
    agree([block(nd.array(x)).asnumpy()], wanted)
    block.hybridize()
    block(nd.array(x))
    export_model(block, None, [("batch", 3, 32, 32)], onnx_file_path=back)
    agree(outputs_of(back, {"x": x}), wanted)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [resnet, mobilenet, vit])
def test_a_model_of_pytorch_learns(made: Any, mode: str, tmp_path: Path) -> None:
    path = tmp_path / "torch.onnx"
    path.write_bytes(written(made, mode)[1])
    random.seed(0)  # of dropout
    block = import_to_gluon(path)
    block.hybridize()
    before = {name: p.data().asnumpy() for name, p in block.params.items()}
    trainer = Trainer(block.collect_params(), "adam", {"learning_rate": 0.03})
    classes = np.arange(10) % 5
    x = nd.array(images(10) + classes.reshape(-1, 1, 1, 1) - 2)  # dark and bright ones
    labels = nd.array(classes)
    criterion, losses = SoftmaxCrossEntropyLoss(), []
    for _ in range(15):
        with autograd.record():
            loss = criterion(block(x), labels).mean()
        loss.backward()
        trainer.step(1)
        losses.append(float(loss.asscalar()))
    assert losses[-1] < 0.6 * losses[0]
    states = [name for name in before if "running" in name]
    assert bool(states) == (made is not vit and mode == "TRAINING")
    for name in states:  # they follow the batches
        assert np.abs(block.params[name].data().asnumpy() - before[name]).max() > 0.01
