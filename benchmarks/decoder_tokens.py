"""Tokens a second of a decoder, training and sampling, beside the same net in PyTorch.

CPU time of one thread, both in turn, the best of several rounds::

    OMP_NUM_THREADS=1 HY_KERNELS=cpu=torch python -m benchmarks.decoder_tokens
    OMP_NUM_THREADS=1 python -m benchmarks.decoder_tokens --alone   # without PyTorch
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hy_gluon import Trainer
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.model_zoo.transformer import Decoder, generate
from hy_ndarray import autograd, nd

VOCAB, UNITS, LAYERS, HEADS, LENGTH, BATCH = 256, 256, 4, 4, 128, 8
PROMPT, TOKENS = 8, 120


def hy_net() -> Decoder:
    """A decoder like Llama."""
    net = Decoder(
        VOCAB, units=UNITS, num_layers=LAYERS, num_heads=HEADS,
        norm="rms", activation="silu", positions="rotary",
        use_bias=False, feed_forward_bias=False, max_length=LENGTH, hidden_units=3 * UNITS,
    )  # fmt: skip
    net.initialize("normal")
    net.hybridize(donate_argnums=2)  # the cache
    return net


def hy_training(rows: Any) -> Callable[[], Any]:
    """A step of AdamW."""
    net, loss_of = hy_net(), SoftmaxCrossEntropyLoss()
    trainer = Trainer(net.collect_params(), "adamw", {"learning_rate": 1e-3, "wd": 0.01})
    tokens, following = (nd.array(x, dtype="int32") for x in (rows[:, :-1], rows[:, 1:]))

    def step() -> None:
        with autograd.record():
            loss = loss_of(net(tokens), following).mean()
        loss.backward()
        trainer.step(1)
        loss.asscalar()

    return step


def hy_sampling() -> Callable[[], Any]:
    """Tokens after a prompt."""
    net = hy_net()
    return lambda: generate(net, list(range(PROMPT)), TOKENS)


def torch_net() -> Any:
    """The same decoder, with a cache that is written in place."""
    import torch  # noqa: PLC0415  # the numpy table is measured without it
    from torch import nn  # noqa: PLC0415
    from torch.nn import functional as F  # noqa: PLC0415

    size = UNITS // HEADS

    class Layer(nn.Module):  # type: ignore[misc]  # of any type, where torch is not installed
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.RMSNorm(UNITS, 1e-5), nn.RMSNorm(UNITS, 1e-5)
            self.q, self.k, self.v, self.o = (nn.Linear(UNITS, UNITS, bias=False) for _ in range(4))
            self.gate = nn.Linear(UNITS, 3 * UNITS, bias=False)
            self.up = nn.Linear(UNITS, 3 * UNITS, bias=False)
            self.down = nn.Linear(3 * UNITS, UNITS, bias=False)

        def forward(self, x: Any, cos: Any, sin: Any, cache: Any = None, position: int = 0) -> Any:
            batch, length, _ = x.shape
            y = self.norm1(x)
            q, k, v = (
                layer(y).view(batch, length, HEADS, size).transpose(1, 2)
                for layer in (self.q, self.k, self.v)
            )
            q, k = self.turn(q, cos, sin), self.turn(k, cos, sin)
            causal = length > 1
            if cache is not None:
                cache[0][:, :, position : position + length] = k
                cache[1][:, :, position : position + length] = v
                k, v = cache[0][:, :, : position + length], cache[1][:, :, : position + length]
            y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            x = x + self.o(y.transpose(1, 2).reshape(batch, length, UNITS))
            y = self.norm2(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

        @staticmethod
        def turn(x: Any, cos: Any, sin: Any) -> Any:
            first, second = x.chunk(2, -1)
            return x * cos + torch.cat((-second, first), -1) * sin

    class Net(nn.Module):  # type: ignore[misc]  # likewise
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(VOCAB, UNITS)
            self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
            self.norm = nn.RMSNorm(UNITS, 1e-5)
            speed = 10000.0 ** (-torch.arange(0, size, 2) / size)
            angles = torch.arange(LENGTH)[:, None] * torch.cat((speed, speed))
            self.cos, self.sin = angles.cos(), angles.sin()

        def forward(self, tokens: Any, caches: Any = None, position: int = 0) -> Any:
            x = self.embedding(tokens)
            length = tokens.shape[1]
            cos, sin = (
                self.cos[position : position + length],
                self.sin[position : position + length],
            )
            for k, layer in enumerate(self.layers):
                x = layer(x, cos, sin, None if caches is None else caches[k], position)
            return F.linear(self.norm(x), self.embedding.weight)

    return Net()


def torch_training(rows: Any) -> Callable[[], Any]:
    """A step of AdamW."""
    import torch  # noqa: PLC0415

    net = torch_net()
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3, weight_decay=0.01)
    tokens, following = (torch.tensor(x) for x in (rows[:, :-1], rows[:, 1:]))

    def step() -> None:
        scores = net(tokens)
        loss = torch.nn.functional.cross_entropy(scores.view(-1, VOCAB), following.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return step


def torch_sampling() -> Callable[[], Any]:
    """Tokens after a prompt."""
    import torch  # noqa: PLC0415

    net = torch_net().eval()
    shape = (1, HEADS, LENGTH, UNITS // HEADS)

    def sample() -> list[int]:
        caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in range(LAYERS)]
        tokens, position = torch.arange(PROMPT)[None], 0
        generated: list[int] = []
        with torch.no_grad():
            for _ in range(TOKENS):
                scores = net(tokens, caches, position)
                position += tokens.shape[1]
                tokens = scores[:, -1:].argmax(-1)
                generated.append(int(tokens))
        return generated

    return sample


def best(ways: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Seconds of CPU of each, in turn."""
    for way in ways.values():
        way(), way(), way()
    best_seconds = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.process_time()
            way()
            best_seconds[name] = min(best_seconds[name], time.process_time() - began)
    return best_seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--alone", action="store_true", help="hy only")
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    rows = np.random.default_rng(0).integers(0, VOCAB, (BATCH, LENGTH + 1))
    kinds: dict[str, tuple[int, dict[str, Callable[[], Any]]]] = {
        "training": (BATCH * LENGTH, {"hy": hy_training(rows)}),
        "sampling": (TOKENS, {"hy": hy_sampling()}),
    }
    if not options.alone:
        import torch  # noqa: PLC0415

        torch.set_num_threads(1)
        kinds["training"][1]["torch"] = torch_training(rows)
        kinds["sampling"][1]["torch"] = torch_sampling()
    for kind, (count, ways) in kinds.items():
        seconds = best(ways, options.rounds)
        line = "  ".join(f"{name} {count / x:8,.0f} tokens/s" for name, x in seconds.items())
        if len(seconds) > 1:
            line += f"  {seconds['hy'] / seconds['torch']:.2f} x the time"
        print(f"{kind}: {line}")


if __name__ == "__main__":
    main()
