"""LoRA, rotary positions and masked attention: numbers and gradients are PyTorch's."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from hy_gluon import HybridBlock, Trainer, lora, nn
from hy_gluon.nn.rotary import rotated
from hy_ndarray import autograd, nd, np as hnp, npx
from tests.gluon.pytorch.test_recent_layers import WAYS, assert_close, check, drawn, of, tensor

# --- LoRA ------------------------------------------------------------------------------------


class TorchLoRA(torch.nn.Module):
    """Hu et al. 2021, section 4.1: ``W x + alpha / rank * B A x``, where ``W`` is frozen."""

    def __init__(self, layer: Any, alpha: float) -> None:
        super().__init__()
        self.weight, self.bias = of(layer.weight), of(layer.bias)
        self.down = torch.nn.Parameter(of(layer.lora_down))
        self.up = torch.nn.Parameter(of(layer.lora_up))
        self.scale = alpha / len(self.down)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        more = functional.linear(functional.linear(x, self.down), self.up)
        return torch.tanh(functional.linear(x, self.weight, self.bias) + self.scale * more)


def adapted(rank: int, alpha: float) -> tuple[Any, Any]:
    """A net with one wrapped layer, and that layer."""
    net: Any = nn.HybridSequential()
    net.add(nn.Dense(5, in_units=6, flatten=False, activation="tanh"))
    net.initialize("normal")
    net[0].bias.set_data(nd.array(drawn(5)))
    lora.wrap(net, rank, alpha, layers=("0",))
    return net, net[0]


@WAYS
def test_lora(hybrid: bool) -> None:
    net, layer = adapted(rank=2, alpha=6)
    layer.lora_up.set_data(nd.array(drawn(5, 2)))
    check(net, TorchLoRA(layer, 6), drawn(3, 4, 6), hybrid=hybrid)


@WAYS
def test_lora_learns_as_in_pytorch(hybrid: bool) -> None:
    net, layer = adapted(rank=2, alpha=4)
    net.hybridize(hybrid)
    theirs = TorchLoRA(layer, 4)
    trainer = Trainer(lora.parameters(net), "adam", {"learning_rate": 0.05})
    optimizer = torch.optim.Adam(theirs.parameters(), lr=0.05)
    x, wanted = drawn(8, 6), drawn(8, 5)
    for _ in range(5):
        with autograd.record():
            total = (net(nd.array(x)) - nd.array(wanted)).square().sum()
        total.backward()
        trainer.step(1)
        optimizer.zero_grad()
        (theirs(torch.from_numpy(x)) - torch.from_numpy(wanted)).square().sum().backward()
        optimizer.step()
    assert_close(layer.lora_down.data(), theirs.down)
    assert_close(layer.lora_up.data(), theirs.up)
    lora.merge(net)
    assert_close(net(nd.array(x)), theirs(torch.from_numpy(x)))


# --- rotary positions ------------------------------------------------------------------------

LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}


def speeds(size: int, base: float, scaling: Any) -> torch.Tensor:
    """Angles of one position: those of the papers, one at a time."""
    found = []
    for k in range(0, size, 2):
        speed = base ** -(k / size)
        if scaling and scaling["rope_type"] == "linear":
            speed /= scaling["factor"]
        if scaling and scaling["rope_type"] == "llama3":
            length, whole = scaling["original_max_position_embeddings"], 2 * math.pi / speed
            slow, fast = scaling["low_freq_factor"], scaling["high_freq_factor"]
            if whole > length / slow:
                speed /= scaling["factor"]
            elif whole > length / fast:
                share = (length / whole - slow) / (fast - slow)
                speed = (1 - share) * speed / scaling["factor"] + share * speed
        found.append(speed)
    return torch.tensor(found, dtype=torch.float64)


def turned(x: torch.Tensor, positions: torch.Tensor, speed: torch.Tensor) -> torch.Tensor:
    """Pairs of elements as complex numbers, times those of the angles."""
    half = x.shape[-1] // 2
    pairs = torch.complex(x[..., :half].double(), x[..., half:].double())
    angles = positions[:, None] * speed
    pairs = pairs * torch.polar(torch.ones_like(angles), angles)[:, None]
    return torch.cat([pairs.real, pairs.imag], -1).float()


class Turned(HybridBlock):
    """Turns vectors ``[B, L, H, D]`` by the angles of their positions."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__()
        self.rotary = nn.RotaryEmbedding(*arguments)

    def hybrid_forward(self, F: Any, x: Any, positions: Any) -> Any:
        return rotated(F, x, *self.rotary(positions))


@WAYS
@pytest.mark.parametrize("scaling", [None, {"rope_type": "linear", "factor": 4.0}, LLAMA3])
def test_rotary_positions(scaling: Any, hybrid: bool) -> None:
    layer = Turned(16, 500.0, scaling)
    layer.initialize()
    speed = speeds(16, 500.0, scaling)

    def compute(x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        return turned(x, positions.double(), speed)

    positions = np.array([0, 1, 2, 7, 300], "float32")
    check(layer, compute, drawn(2, 5, 3, 16), positions, hybrid=hybrid)


# --- attention of NumPy's interface ----------------------------------------------------------


@npx.use_np
class Attends(HybridBlock):
    """The operator with keyword arguments."""

    def __init__(self, repeat: int) -> None:
        super().__init__()
        self.repeat = repeat

    def forward(self, query: Any, key: Any, value: Any, mask: Any, bias: Any) -> Any:
        return npx.scaled_dot_product_attention(
            query, key, value, mask=mask, bias=bias, kv_repeat=self.repeat
        )


@WAYS
@pytest.mark.parametrize("repeat", [1, 2])
def test_attention_with_a_mask_and_a_bias(repeat: int, hybrid: bool) -> None:
    layer = Attends(repeat)
    layer.hybridize(hybrid)
    inputs = [drawn(2, 4, 5, 8), *(drawn(2, 4 // repeat, 6, 8, seed=k) for k in (1, 2))]
    bias, seen = drawn(1, 4, 5, 6), np.random.default_rng(3).random((2, 1, 5, 6)) < 0.6
    seen[..., 0] = True
    theirs = [tensor(x) for x in inputs]
    slope = tensor(bias)
    desired = functional.scaled_dot_product_attention(
        *theirs,
        attn_mask=slope.masked_fill(~torch.from_numpy(seen), -math.inf),
        enable_gqa=repeat > 1,
    )
    (desired * desired).sum().backward()
    ours = [hnp.array(x) for x in (*inputs, bias)]
    for x in ours:
        x.attach_grad()
    for _ in range(2):
        with autograd.record():
            y = layer(*ours[:3], hnp.array(seen), ours[3])
            total = (y * y).sum()
        total.backward()
        assert_close(y, desired)
        for x, wanted in zip(ours, [*theirs, slope], strict=True):
            assert wanted.grad is not None
            assert_close(x.grad, wanted.grad)
