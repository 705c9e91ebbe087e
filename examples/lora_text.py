"""LoRA on the decoder of ``examples.decoder_text``: from docstrings to code, by a hundredth of it.

Run ``hatch run demo-decoder`` first, then ``hatch run demo-lora`` with the same sizes. Two small
matrices beside each projection learn; they are saved apart, and merged in the end.
"""

from pathlib import Path

from examples.decoder_text import decoder, options_of, written
from examples.loop import fit, latest
from examples.texts import Batches, sources
from hy_gluon import Trainer, lora
from hy_gluon.loss import SoftmaxCrossEntropyLoss

__all__ = ["main"]


def main() -> None:
    """Load the decoder, train the matrices, save and merge them."""
    parser = options_of(__doc__.splitlines()[0])
    parser.add_argument("--rank", type=int, default=4)
    parser.add_argument("--base", type=Path, default=Path("demo-output/decoder"))
    parser.set_defaults(steps=400, output=Path("demo-output/lora"))
    options = parser.parse_args()
    net, loss_of = decoder(options), SoftmaxCrossEntropyLoss()
    base = latest(options.base)
    if base is None:
        raise SystemExit(f"there is no decoder in {options.base}: run hatch run demo-decoder first")
    net.load_parameters(str(base / "net.params"))
    adapters = lora.wrap(net, options.rank, layers=("query", "key", "value", "out"))
    whole = sum(parameter.data().size for parameter in net.collect_params().values())
    own = sum(parameter.data().size for parameter in adapters.values())
    print(f"{own:,} of {whole:,} parameters learn")
    trainer = Trainer(list(adapters.values()), "adamw", {"learning_rate": 3e-3}, max_norm=1.0)
    batches = Batches(sources(), options.batch, options.length)
    losses = fit(net, loss_of, trainer, batches, options.steps, options.output, options.every)
    print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last\n")
    adapter = options.output / "adapter.safetensors"
    lora.save(net, adapter)
    before = written(net, "def ", options.length)
    lora.merge(net)
    after = written(net, "def ", options.length)
    print(after)
    print(f"\n{adapter.stat().st_size:,} bytes; the merged net writes the same: {before == after}")


if __name__ == "__main__":
    main()
