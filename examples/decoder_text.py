"""A small decoder learns the docstrings of Python's library byte by byte, and writes more.

Run ``hatch run demo-decoder`` for some minutes of training, samples with a cache of keys and
values, and an exported model; kill it at any moment, and start it again. ``--serve 8000`` answers
``curl -N localhost:8000/?text=Return`` with text as it is written. ``--units 768 --layers 12
--heads 12 --length 1024`` is the size of GPT-2 small.
"""

import argparse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from examples.loop import fit
from examples.texts import Batches, docstrings
from hy_gluon import SymbolBlock, Trainer
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.lr_scheduler import CosineScheduler
from hy_gluon.model_zoo.transformer import Decoder, stream
from hy_ndarray import random

__all__ = ["decoder", "options_of", "server", "written"]


def options_of(description: str) -> argparse.ArgumentParser:
    """Return the arguments that the examples with this decoder share."""
    parser = argparse.ArgumentParser(description=description)
    for name, default in (
        ("units", 128), ("layers", 4), ("heads", 4), ("length", 128), ("batch", 16),
        ("steps", 1500), ("every", 50),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--output", type=Path, default=Path("demo-output/decoder"))
    return parser


def decoder(options: argparse.Namespace) -> Decoder:
    """Return the net: like Llama, of bytes."""
    random.seed(1)
    net = Decoder(
        vocab_size=256, units=options.units, num_layers=options.layers, num_heads=options.heads,
        norm="rms", activation="silu",
        positions="rotary", use_bias=False, feed_forward_bias=False, max_length=2 * options.length,
        hidden_units=3 * options.units, prefix="decoder_",
    )  # fmt: skip
    net.initialize("normal")
    net.hybridize(donate_argnums=2)  # the cache
    return net


def written(net: Decoder, text: str, count: int) -> str:
    """Return a text continued by the net."""
    tokens = net.generate(list(text.encode()), count, temperature=0.7, top_k=40, seed=3)
    return text + bytes(tokens).decode("utf-8", "replace")


def server(net: Decoder, port: int) -> ThreadingHTTPServer:
    """Answers requests with text, each byte as soon as it is known."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlparse(self.path).query)
            text = query.get("text", ["Return"])[0].encode()[-net.max_length // 2 :]
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.end_headers()
            for token in stream(net, [*text], net.max_length // 2, temperature=0.7, top_k=40):
                self.wfile.write(bytes([token]))

    return ThreadingHTTPServer(("localhost", port), Answer)


def main() -> None:
    """Train, write, export, and perhaps serve."""
    parser = options_of(__doc__.splitlines()[0])
    parser.add_argument("--serve", type=int, metavar="PORT")
    options = parser.parse_args()
    net, loss_of = decoder(options), SoftmaxCrossEntropyLoss()
    batches = Batches(docstrings(), options.batch, options.length)
    schedule = CosineScheduler(options.steps, 2e-3, warmup_steps=min(50, options.steps // 2))
    settings = {"learning_rate": 2e-3, "wd": 0.01, "lr_scheduler": schedule}
    trainer = Trainer(net.collect_params(), "adamw", settings, max_norm=1.0)
    losses = fit(net, loss_of, trainer, batches, options.steps, options.output, options.every)
    print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last\n")
    print(written(net, "Return ", options.length))
    tokens, _ = batches(0)
    expected = net(tokens)
    files = net.export(str(options.output / "exported"))
    again = SymbolBlock.imports(files[0], ["data"], files[1])
    print(f"\nexported; largest difference {(again(tokens) - expected).abs().max().asscalar():.1e}")
    if options.serve:
        server(net, options.serve).serve_forever()


if __name__ == "__main__":
    main()
