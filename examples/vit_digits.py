"""A vision transformer on the handwritten digits that ship inside scikit-learn.

Run ``hatch run demo-vit``: 1,797 images of 8x8 pixels are cut into patches of 2x2. Kill it at any
moment, and start it again. It is saved in the format of Hugging Face.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from examples.loop import fit
from hy_gluon import HybridBlock, Trainer, pretrained
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.lr_scheduler import CosineScheduler
from hy_gluon.model_zoo.transformer import VisionTransformer
from hy_ndarray import NDArray, nd, random

__all__ = ["accuracy", "main"]

TEST = 360
"""How many of the digits are kept for the test."""


def accuracy(net: HybridBlock, images: NDArray, labels: NDArray) -> float:
    """Return the share of images whose highest score is at their label."""
    return float((net(images).argmax(axis=1) == labels).mean().asscalar())


def main() -> None:
    """Train, measure, save, load again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--units", type=int, default=48)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--output", type=Path, default=Path("demo-output/vit"))
    options = parser.parse_args()
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.images))
    images = nd.array(digits.images[order, None] / 16)
    labels = nd.array(digits.target[order])
    random.seed(1)
    net = VisionTransformer(
        classes=10, units=options.units, num_layers=options.layers, num_heads=4,
        hidden_units=2 * options.units, image_size=8, patch_size=2,
        channels=1, prefix="vit_",
    )  # fmt: skip
    net.initialize("xavier")
    net.first.set_data(nd.zeros(net.first.shape))
    net.hybridize()
    schedule = CosineScheduler(options.steps, 2e-3, warmup_steps=min(100, options.steps // 2))
    settings = {"learning_rate": 2e-3, "wd": 0.05, "lr_scheduler": schedule}
    trainer = Trainer(net.collect_params(), "adamw", settings, max_norm=1.0)
    loss_of = SoftmaxCrossEntropyLoss(label_smoothing=0.1)

    def batch(step: int) -> tuple[NDArray, NDArray]:
        indices = np.random.default_rng([5, step]).integers(TEST, len(order), 64)
        rows = nd.array(indices, dtype="int32")
        return images.take(rows), labels.take(rows)

    losses = fit(net, loss_of, trainer, batch, options.steps, options.output, options.every)
    print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last")
    print(f"test accuracy: {accuracy(net, images[:TEST], labels[:TEST]):.1%}")
    pretrained.save(net, options.output / "huggingface")
    again = pretrained.load(options.output / "huggingface")
    difference = (again(images[:9]) - net(images[:9])).abs().max().asscalar()
    print(f"saved for transformers; largest difference when loaded again: {difference:.1e}")


if __name__ == "__main__":
    main()
