"""Training in mixed precision: losses are scaled up, and gradients down again."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hy_gluon.amp.policy import AMPError
from hy_gluon.amp.switch import active
from hy_gluon.loss_scaler import LossScaler
from hy_gluon.optimizer import Optimizer
from hy_gluon.trainer import Trainer
from hy_ndarray import ArgumentError, NDArray, autograd

__all__ = ["init_trainer", "scale_loss", "unscale"]


def init_trainer(optimizer_or_trainer: Any) -> None:
    """Give a trainer a dynamic loss scaler; steps with overflowing gradients are then skipped.

    Args:
        optimizer_or_trainer: A :class:`Trainer`; an existing scaler is kept.

    Raises:
        AMPError: Mixed precision is off, or the argument is an optimizer.
        ArgumentError: The argument is neither a trainer nor an optimizer.
    """
    policy = active()
    if policy is None:
        raise AMPError("init_trainer: mixed precision is off; call amp.init() first")
    trainer = _checked("init_trainer", optimizer_or_trainer)
    if trainer._amp_loss_scaler is None:
        trainer._amp_loss_scaler = LossScaler()
        trainer._amp_original_scale = trainer._scale
    # SoftmaxOutput and its like ignore the head gradient, so that they scale their own; the policy
    # has room for one scaler, that of the first trainer.
    policy.loss_scaler = policy.loss_scaler or trainer._amp_loss_scaler


@contextmanager
def scale_loss(
    loss: NDArray | Sequence[NDArray], optimizer_or_trainer: Any
) -> Iterator[NDArray | list[NDArray]]:
    """Scope that yields the loss multiplied by the trainer's loss scale, for ``backward``.

    The trainer's next step divides the gradients by the scale.

    Args:
        loss: A loss, or a list of losses, such as those of several devices.
        optimizer_or_trainer: A :class:`Trainer` after :func:`init_trainer`.

    Raises:
        AMPError: The trainer has no loss scaler.

    Example:
        >>> from hy_gluon import amp, nn
        >>> from hy_ndarray import nd
        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize()
        >>> trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        >>> with amp.autocast("bfloat16"):
        ...     amp.init_trainer(trainer)
        ...     with autograd.record():
        ...         loss = net(nd.ones((4, 2))).sum()
        ...         with amp.scale_loss(loss, trainer) as scaled:
        ...             autograd.backward(scaled)
        ...     trainer.step(4)
        >>> net.bias.data().asnumpy()
        array([-0.1], dtype=float32)
    """
    trainer = _checked("scale_loss", optimizer_or_trainer)
    scaler = trainer._amp_loss_scaler
    if scaler is None:
        raise AMPError("scale_loss: the trainer has no loss scaler; call amp.init_trainer(trainer)")
    # The step multiplies gradients by this anyway, so that dividing by the loss scale costs
    # nothing.
    trainer._scale = trainer._amp_original_scale / scaler.loss_scale
    if isinstance(loss, NDArray):
        yield loss * scaler.loss_scale
    else:
        yield [x * scaler.loss_scale for x in loss]


def unscale(optimizer_or_trainer: Any) -> None:
    """Divide the gradients by the loss scale now, before clipping, instead of in the step.

    Does nothing for a trainer without a loss scaler.

    Args:
        optimizer_or_trainer: A :class:`Trainer`.
    """
    trainer = _checked("unscale", optimizer_or_trainer)
    if trainer._amp_loss_scaler is None:
        return
    with autograd.pause():
        for parameter in trainer._params:
            if parameter.grad_req != "null":
                for gradient in parameter.list_grad():
                    # Into the same arrays: programs hold references to gradients, and so does the
                    # autograd.
                    gradient[:] = gradient * trainer._scale
    trainer._scale = 1.0


def _checked(what: str, trainer: Any) -> Trainer:
    if isinstance(trainer, Optimizer):
        raise AMPError(
            f"{what}: mixed precision works with a gluon.Trainer, not with an optimizer alone"
        )
    if not isinstance(trainer, Trainer):
        raise ArgumentError(f"{what}: takes a gluon.Trainer, not a {type(trainer).__name__}")
    return trainer
