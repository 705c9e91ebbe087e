"""What searches for hyperparameters by reinforcement, and what they are searched for."""

from functools import partial
from typing import Any

import autogluon.core as ag
import numpy as np
from autogluon.core.scheduler.rl_scheduler import RLScheduler
from autogluon.mxnet import optimizer
from autogluon.mxnet.loss import SoftmaxCrossEntropyLoss
from autogluon.mxnet.scheduler.rl_scheduler import (
    AlphaController,
    AttenController,
    LSTMController,
)
from autogluon.mxnet.utils import collect_params, update_params

import mxnet as mx
from tests.clients.formula import filled, prescribed, uniform, words
from tests.clients.program import Checks

CONTROLLERS = {"lstm": LSTMController, "attention": AttenController, "alpha": AlphaController}
SPACES = {"width": ag.space.Categorical(1, 2, 3), "depth": ag.space.Categorical(4, 5)}


def checks(_: str) -> Checks:
    """Each controller; its scheduler; optimizers and a loss as objects of a search."""
    found: Checks = {f"controller, {name}": partial(controlled, name) for name in CONTROLLERS}
    for kind in ("Adam", "NAG", "SGD"):
        found[kind] = partial(optimized, kind)
    return found | {"scheduler": scheduled}


def made(name: str) -> Any:
    """A controller, its weights by formula."""
    controller = CONTROLLERS[name](SPACES, hidden_size=8)
    prescribed(controller)
    controller.initialize(mx.cpu())
    return controller


def controlled(name: str) -> Any:
    """What it would choose, before a step towards more chance and after it; draws by shape."""
    controller = made(name)
    chosen = controller.inference()
    for config in (*controller.sample(batch_size=20), *controller.pre_sample()):
        assert all(0 <= config[key] < len(space) for key, space in SPACES.items())
    trainer = mx.gluon.Trainer(controller.collect_params(), "sgd", {"learning_rate": 1})
    with mx.autograd.record():
        _, logarithms, entropies = controller.sample(3, with_details=True, with_entropy=True)
        loss = -entropies.sum()
    loss.backward()
    trainer.step(3)
    again = made(name)
    update_params(again, collect_params(controller))
    found = [chosen, logarithms.shape, again.inference()]
    # What follows from one's own draws is chance as well.
    return found if name == "lstm" else [*found, loss, list(collect_params(again).values())]


def optimized(kind: str) -> Any:
    """A network trained by an optimizer and a loss that a search would choose."""
    rate = ag.space.Real(0.1, 0.1 + 1e-9)
    chosen = getattr(optimizer, kind)(learning_rate=rate, wd=1e-3).init()
    loss_of = SoftmaxCrossEntropyLoss().init()
    net = mx.gluon.nn.Dense(3, in_units=4)
    filled(net)
    trainer = mx.gluon.Trainer(net.collect_params(), chosen)
    x, y = mx.nd.array(uniform("x", (5, 4))), mx.nd.array(words("y", (5,), 3))
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(5)
        losses.append(loss)
    return [losses, [p.data() for p in net.collect_params().values()]]


@ag.args(width=ag.space.Categorical(1, 2, 3), depth=ag.space.Categorical(4, 5))  # type: ignore[untyped-decorator]  # AutoGluon has no types
def played(args: Any, reporter: Any) -> None:
    """Something to search: its best is the widest."""
    reporter(epoch=1, accuracy=args.width / 3 + args.depth / 100)


def scheduled() -> Any:
    """Trials that a controller chooses, one after another."""
    np.random.seed(0)  # noqa: NPY002  # what AutoGluon draws from
    scheduler = RLScheduler(
        played,
        resource={"num_cpus": 1, "num_gpus": 0},
        num_trials=4,
        reward_attr="accuracy",
        time_attr="epoch",
        controller_batch_size=2,
    )
    scheduler.run()
    scheduler.join_jobs()
    return [scheduler.num_finished_tasks, sorted(scheduler.get_best_config())]
