"""Estimator: training and evaluation of a net, extended by event handlers."""

import logging
import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, TypeAlias

from hy_gluon.block import Block
from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.contrib.estimator.batch_processor import BatchProcessor
from hy_gluon.contrib.estimator.events import EventHandler, Handlers, by_event
from hy_gluon.contrib.estimator.logs import LoggingHandler
from hy_gluon.contrib.estimator.metrics import MetricHandler
from hy_gluon.contrib.estimator.progress import default_bars
from hy_gluon.contrib.estimator.stopping import StoppingHandler
from hy_gluon.contrib.estimator.updates import GradientUpdateHandler
from hy_gluon.contrib.estimator.utils import (
    TRAINING,
    VALIDATION,
    check_metrics,
    named,
    suggested_metrics,
    validation_copies,
)
from hy_gluon.contrib.estimator.validation import ValidationHandler
from hy_gluon.contrib.estimator.whole_step import WholeStep
from hy_gluon.loss import Loss
from hy_gluon.metric import EvalMetric
from hy_gluon.parameter import Parameter, UninitializedError
from hy_gluon.trainer import Trainer
from hy_ndarray import Context, cpu, gpu, num_gpus
from hy_ndarray.warning import warn

__all__ = ["Estimator"]

_HandlersArg: TypeAlias = Iterable[EventHandler] | EventHandler | None


class Estimator:
    """Trains and evaluates a net; event handlers do everything besides gradients.

    Handlers are called at the events in :mod:`hy_gluon.contrib.estimator.events`. They update
    parameters and metrics, validate, log, save checkpoints, and stop the training.

    While ``fit`` runs, the estimator has the attributes ``max_epoch`` and ``max_batch`` (limits,
    one of them None), ``current_epoch`` (from 0), ``batches_per_epoch`` (None if the data has no
    length), ``batch_axis``, and ``trained_epochs`` and ``trained_batches`` (numbers from a resumed
    checkpoint).

    A hybridized net on one context is trained by :class:`~hy_gluon.TrainStep`, unless the batch
    processor or the update handler is user-defined, or another handler runs before the update.

    Args:
        net: The net.
        loss: The loss of training.
        train_metrics: A metric or list of metrics; if None, the loss, and for
            ``SoftmaxCrossEntropyLoss`` the accuracy. Names get the prefix ``training``.
        val_metrics: Metrics of validation; copies of ``train_metrics`` if None. Names get the
            prefix ``validation``.
        initializer: Initializer of parameters that are not initialized yet.
        trainer: Trainer of the parameters; SGD with a learning rate of 0.001 if None.
        context: Context or list of contexts of the net; if None, all GPUs, or the CPU if there are
            none.
        val_net: The net of validation; ``net`` if None.
        val_loss: The loss of validation; ``loss`` if None.
        batch_processor: Processor of single batches; a :class:`BatchProcessor` if None.

    Raises:
        EstimatorError: An argument has a wrong type, or a context does not exist.

    Example:
        >>> from hy_gluon import nn
        >>> from hy_gluon.loss import L2Loss
        >>> net = nn.Dense(1)
        >>> net.initialize()
        >>> trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        >>> estimator = Estimator(net, L2Loss(), trainer=trainer)
        >>> estimator.logger.setLevel("WARNING")
        >>> x = nd.array([[0.0], [1.0], [2.0], [3.0]])
        >>> estimator.fit([(x, 2 * x + 1)], epochs=200)
        >>> net(nd.array([[4.0]])).asnumpy().round(1)
        array([[9.]], dtype=float32)
    """

    logger: logging.Logger = logging.getLogger("Estimator")
    """Each estimator has one of its own."""

    def __init__(
        self,
        net: Block,
        loss: Loss,
        train_metrics: Any = None,
        val_metrics: Any = None,
        initializer: Any = None,
        trainer: Trainer | None = None,
        context: Context | list[Context] | None = None,
        val_net: Block | None = None,
        val_loss: Loss | None = None,
        batch_processor: BatchProcessor | None = None,
    ) -> None:
        self.net = net
        self.loss = _checked_loss(loss)
        learning = check_metrics(train_metrics) or suggested_metrics(self.loss)
        self._train_metrics = named(learning, TRAINING)
        val_list = check_metrics(val_metrics)
        self._val_metrics = named(val_list, VALIDATION) if val_list else validation_copies(learning)
        self.val_loss = self.loss if val_loss is None else _checked_loss(val_loss)
        self.val_net = net if val_net is None else val_net
        # Not by getLogger, whose handlers would add up with each estimator.
        self.logger = logging.Logger("Estimator", logging.INFO)
        self.logger.addHandler(logging.StreamHandler(sys.stdout))
        self.context = _checked_contexts(context)
        _initialize(net, initializer, self.context)
        self.trainer = _checked_trainer(net, trainer)
        self.batch_processor = _checked_processor(batch_processor)
        self.max_epoch: int | None = None
        self.max_batch: int | None = None
        self.batch_axis = 0
        self.batches_per_epoch: int | None = None
        self.current_epoch = 0
        self.trained_epochs = 0
        self.trained_batches = 0
        self._whole: WholeStep | None = None

    @property
    def train_metrics(self) -> list[EvalMetric]:
        """The metrics of training."""
        return self._train_metrics

    @property
    def val_metrics(self) -> list[EvalMetric]:
        """The metrics of validation."""
        return self._val_metrics

    def fit(
        self,
        train_data: Iterable[Any],
        val_data: Iterable[Any] | None = None,
        epochs: int | None = None,
        event_handlers: _HandlersArg = None,
        batches: int | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Train for a number of epochs or batches.

        Args:
            train_data: Batches of data and labels: a :class:`DataLoader`, a list, or another
                iterable that can be iterated once per epoch.
            val_data: Batches to evaluate after each epoch.
            epochs: Number of epochs.
            event_handlers: Handlers; those for updates, metrics, validation, logging and progress
                replace the defaults. By default a progress bar is shown only on terminals.
            batches: Number of batches, instead of ``epochs``.
            batch_axis: Axis of the examples.

        Raises:
            EstimatorError: Not exactly one of ``epochs`` and ``batches`` is given, the data can be
                iterated only once, a handler uses metrics that are not the estimator's, or a batch
                has no label.
        """
        self.max_epoch, self.max_batch = _checked_length(epochs, batches)
        self.current_epoch = self.trained_epochs = self.trained_batches = 0
        _check_iterable(train_data, "train_data")
        selected = self._prepare_default_handlers(val_data, event_handlers)
        with self._pass_over(train_data, batch_axis):
            self._whole = WholeStep.of(self, selected)
            if self._whole is not None:
                # The executable updates parameters, too; the handler would do it a second time.
                selected = [handler for handler in selected if handler is not self._whole.update]
            handlers = self._checked_handlers(selected)
            handlers.call("train_begin", self)
            self.current_epoch = self.trained_epochs  # a handler may have resumed a checkpoint
            stop = False
            while not stop:
                handlers.call("epoch_begin", self)
                self._train_epoch(train_data, handlers)
                stop = handlers.call("epoch_end", self)
                self.current_epoch += 1
            handlers.call("train_end", self)

    def _train_epoch(self, train_data: Iterable[Any], handlers: Handlers) -> None:
        empty = True
        for batch in train_data:
            empty = False
            handlers.call("batch_begin", self, batch=batch)
            fit = self.batch_processor if self._whole is None else self._whole
            _, label, pred, loss = fit.fit_batch(self, batch, self.batch_axis)
            if handlers.call("batch_end", self, batch=batch, pred=pred, label=label, loss=loss):
                break
        if empty:
            raise _no_batches("train_data")

    def evaluate(
        self,
        val_data: Iterable[Any],
        batch_axis: int = 0,
        event_handlers: _HandlersArg = None,
    ) -> None:
        """Update ``val_metrics`` with the predictions of ``val_net`` for all batches.

        Args:
            val_data: Batches of data and labels.
            batch_axis: Axis of the examples.
            event_handlers: Handlers, for the events of epochs and batches; those for metrics,
                logging and progress replace the estimator's own.

        Raises:
            EstimatorError: There are no batches, a handler uses metrics that are not the
                estimator's, or a batch has no label.
        """
        _check_iterable(val_data, "val_data")
        handler_list = _as_list(event_handlers)
        own: list[EventHandler] = [
            MetricHandler(self._val_metrics),
            LoggingHandler(metrics=self._val_metrics),
            *default_bars(),
        ]
        handlers = self._checked_handlers(_completed(handler_list, own))
        empty = True
        with self._pass_over(val_data, batch_axis):
            handlers.call("epoch_begin", self)
            for batch in val_data:
                empty = False
                handlers.call("batch_begin", self, batch=batch)
                _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
                handlers.call("batch_end", self, batch=batch, pred=pred, label=label, loss=loss)
            if empty:
                raise _no_batches("val_data")
            handlers.call("epoch_end", self)

    @contextmanager
    def _pass_over(self, data: Iterable[Any], batch_axis: int) -> Iterator[None]:
        """Scope of one pass over data, which restores the training state after an evaluation."""
        before = self.batches_per_epoch, self.batch_axis
        self.batches_per_epoch = len(data) if isinstance(data, Sized) else None
        self.batch_axis = batch_axis
        try:
            yield
        finally:
            self.batches_per_epoch, self.batch_axis = before

    def _prepare_default_handlers(
        self, val_data: Iterable[Any] | None, event_handlers: _HandlersArg
    ) -> list[EventHandler]:
        """Return the given and the default handlers, sorted by priority; may be overridden."""
        handler_list = [*_as_list(event_handlers), StoppingHandler()]
        own: list[EventHandler] = [GradientUpdateHandler(), MetricHandler(self._train_metrics)]
        if val_data is not None:
            _check_iterable(val_data, "val_data")
            own.append(ValidationHandler(val_data, self.evaluate))
        own += [LoggingHandler(metrics=self._train_metrics), *default_bars()]
        handlers = _completed(handler_list, own)
        return sorted(handlers, key=lambda handler: getattr(handler, "priority", 0))

    def _categorize_handlers(
        self, event_handlers: Iterable[EventHandler]
    ) -> tuple[list[EventHandler], ...]:
        """Return a list of handlers for each event; for end events in reverse nesting order."""
        return by_event(event_handlers)

    def _checked_handlers(self, handlers: list[EventHandler]) -> Handlers:
        known = {id(metric) for metric in (*self._train_metrics, *self._val_metrics)}
        for handler in handlers:
            if isinstance(handler, MetricHandler | LoggingHandler):
                for metric in handler.metrics:
                    if id(metric) not in known:
                        raise EstimatorError(
                            f"{type(handler).__name__} has a metric {metric.name!r} that is not of "
                            "this estimator; use those in estimator.train_metrics and "
                            "estimator.val_metrics"
                        )
        return Handlers(handlers)


# --- handlers --------------------------------------------------------------------------------


def _as_list(handlers: _HandlersArg) -> list[EventHandler]:
    if handlers is None:
        return []
    if isinstance(handlers, EventHandler):
        return [handlers]
    if not isinstance(handlers, Iterable):
        raise EstimatorError(f"event_handlers must be a list of handlers, not {handlers!r}")
    return list(handlers)


def _completed(handlers: list[EventHandler], own: Iterable[EventHandler]) -> list[EventHandler]:
    """Return the given handlers and, for each class without a given handler, a default one."""
    missing = [
        handler
        for handler in own
        if not any(isinstance(other, type(handler)) for other in handlers)
    ]
    return handlers + missing


# --- checks ----------------------------------------------------------------------------------


def _checked_loss(loss: Any) -> Loss:
    if not isinstance(loss, Loss):
        raise EstimatorError(f"loss must be a gluon.loss.Loss, not {loss!r}")
    return loss


def _checked_contexts(context: Any) -> list[Context]:
    if context is None:
        return [gpu(i) for i in range(num_gpus())] or [cpu()]
    contexts = list(context) if isinstance(context, list | tuple) else [context]
    if not contexts or not all(isinstance(one, Context) for one in contexts):
        raise EstimatorError(f"context must be a Context or a list of them, not {context!r}")
    for one in contexts:
        if one.device_type == "gpu" and one.device_id >= num_gpus():
            raise EstimatorError(f"{one} is not there: this machine has {num_gpus()} GPUs")
    return contexts


def _checked_trainer(net: Block, trainer: Any) -> Trainer:
    if trainer is None:
        warn("No trainer specified, default SGD optimizer with learning rate 0.001 is used.")
        return Trainer(net.collect_params(), "sgd", {"learning_rate": 0.001})
    if not isinstance(trainer, Trainer):
        raise EstimatorError(f"trainer must be a gluon.Trainer, not {trainer!r}")
    return trainer


def _checked_processor(processor: Any) -> BatchProcessor:
    if processor is None:
        return BatchProcessor()
    for method in ("fit_batch", "evaluate_batch"):
        if not callable(getattr(processor, method, None)):
            raise EstimatorError(f"batch_processor {processor!r} has no method {method}")
    checked: BatchProcessor = processor  # anything with these two methods will do
    return checked


def _checked_length(epochs: Any, batches: Any) -> tuple[int | None, int | None]:
    lengths = [number for number in (epochs, batches) if number is not None]
    if len(lengths) != 1 or not isinstance(lengths[0], int) or lengths[0] < 1:
        raise EstimatorError(
            "fit takes either a number of epochs or a number of batches, 1 or more, not "
            f"epochs={epochs!r} and batches={batches!r}"
        )
    return epochs, batches


def _check_iterable(data: Any, name: str) -> None:
    if not isinstance(data, Iterable):
        raise EstimatorError(
            f"{name} must be a DataLoader or another iterable of batches, not {data!r}"
        )


def _no_batches(name: str) -> EstimatorError:
    return EstimatorError(
        f"{name} gave no batches. It is empty, or an iterator that was used up by an earlier "
        "epoch: use a list or a DataLoader, which can be gone through again"
    )


def _initialize(net: Block, initializer: Any, contexts: list[Context]) -> None:
    ready = [_is_initialized(parameter) for parameter in net.collect_params().values()]
    if not all(ready):
        net.initialize(init=initializer, ctx=contexts)
    elif initializer is not None:
        warn(
            "Network already fully initialized, skipping initialization: the initializer has no "
            "effect; net.initialize(..., force_reinit=True) would initialize it again"
        )


def _is_initialized(parameter: Parameter) -> bool:
    try:
        parameter.list_ctx()
    except UninitializedError:
        return False
    return True
