"""A training loop that goes on where it was killed, with a progress bar and its curve as a picture.

Every few steps the parameters, the states of the optimizer and the losses so far go into a new
folder, which takes its name when it is complete. Batches follow from the number of the step alone,
and all steps are one program: a run that was killed at any moment and started again has the numbers
of one that was not.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from tqdm import tqdm

from hy_gluon import Block, Trainer, TrainStep
from hy_ndarray import NDArray

__all__ = ["draw", "fit", "latest"]


def latest(folder: Path) -> Path | None:
    """Return the newest complete checkpoint."""
    checkpoints = [x for x in folder.glob("step-*") if x.suffix != ".new"]
    return max(checkpoints, key=lambda x: int(x.name[5:]), default=None)


def fit(
    net: Block,
    loss_of: Block,
    trainer: Trainer,
    batch_of: Callable[[int], tuple[NDArray, NDArray]],
    steps: int,
    folder: Path,
    every: int = 50,
) -> list[float]:
    """Train the net, and return the loss of each step.

    Args:
        net: The net, initialized.
        loss_of: The losses of examples.
        trainer: Of the parameters that are trained.
        batch_of: The data and labels of a step.
        steps: How many steps there are in all.
        folder: Where checkpoints and the picture are.
        every: Steps between two checkpoints.
    """
    folder.mkdir(parents=True, exist_ok=True)
    losses: list[float] = []
    if (last := latest(folder)) is not None:
        net.load_parameters(str(last / "net.params"))
        trainer.load_states(str(last / "trainer.states"))
        losses = json.loads((last / "losses.json").read_text())
    learn = TrainStep(net, loss_of, trainer)
    bar = tqdm(range(len(losses), steps), initial=len(losses), total=steps, unit="step")
    for step in bar:
        data, labels = batch_of(step)
        losses.append(float(learn(data, labels).mean().asscalar()))
        bar.set_postfix(loss=f"{losses[-1]:.3f}")
        if (step + 1) % every == 0 or step + 1 == steps:
            _save(net, trainer, losses, folder)
    draw(losses, folder / "curve.png")
    return losses


def _save(net: Block, trainer: Trainer, losses: list[float], folder: Path) -> None:
    before = [*folder.glob("step-*")]
    new = folder / f"step-{len(losses)}.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    net.save_parameters(str(new / "net.params"))
    trainer.save_states(str(new / "trainer.states"))
    (new / "losses.json").write_text(json.dumps(losses))
    new.rename(new.with_suffix(""))
    for old in before:
        if old != new:
            shutil.rmtree(old)


def draw(losses: list[float], path: Path) -> None:
    """Draw the loss of each step as a picture."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415  # the backend has to be chosen first

    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(losses)
    axes.set(xlabel="step", ylabel="loss")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
