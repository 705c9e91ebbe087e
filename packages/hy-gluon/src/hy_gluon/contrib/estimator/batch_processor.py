"""BatchProcessor: training and evaluation of an estimator on a single batch."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.utils import split_and_load
from hy_ndarray import Context, NDArray, autograd

__all__ = ["BatchProcessor", "Processed"]

Processed: TypeAlias = tuple[list[Any], list[Any], list[Any], list[Any]]
"""Data, labels, predictions and losses, each a list with an array for each context."""


class BatchProcessor:
    """Computes gradients or predictions for a batch; subclasses may override both methods.

    A batch is a tuple or list of data ``[N, *shape]`` and labels ``[N, *shape]``; further items are
    ignored. It is split over all contexts, into parts whose sizes differ by at most one.

    Example:
        >>> class TwoInputs(BatchProcessor):
        ...     def fit_batch(self, estimator, train_batch, batch_axis=0):
        ...         (left, right), label = train_batch
        ...         with autograd.record():
        ...             pred = estimator.net(left, right)
        ...             loss = estimator.loss(pred, label)
        ...         loss.backward()
        ...         return [left], [label], [pred], [loss]
    """

    def fit_batch(self, estimator: Any, train_batch: Any, batch_axis: int = 0) -> Processed:
        """Compute the gradients for a batch; a handler updates the parameters afterwards.

        Args:
            estimator: Estimator with net, loss and contexts.
            train_batch: The batch.
            batch_axis: Axis of the examples.

        Returns:
            Data, labels, predictions and losses, as lists of arrays by context.

        Raises:
            EstimatorError: The batch has no label, or fewer examples than there are contexts.
        """
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(*pair) for pair in zip(pred, label, strict=True)]
        autograd.backward(loss)
        return data, label, pred, loss

    def evaluate_batch(self, estimator: Any, val_batch: Any, batch_axis: int = 0) -> Processed:
        """Return data, labels, predictions of ``val_net`` and ``val_loss`` for a batch.

        Args:
            estimator: Estimator with net, loss and contexts.
            val_batch: The batch.
            batch_axis: Axis of the examples.

        Returns:
            As :meth:`fit_batch`.

        Raises:
            EstimatorError: See :meth:`fit_batch`.
        """
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        loss = [estimator.val_loss(*pair) for pair in zip(pred, label, strict=True)]
        return data, label, pred, loss

    def _get_data_and_label(
        self, batch: Any, ctx: Sequence[Context], batch_axis: int = 0
    ) -> tuple[list[NDArray], list[NDArray]]:
        """Return data and labels of a batch as lists by context."""
        if not _has_data_and_labels(batch):
            raise EstimatorError(
                "a batch must be a tuple or list of data and labels, both arrays, not "
                f"{_batch_description(batch)}; for batches of another form give the estimator a "
                "batch_processor of your own"
            )
        size = batch[0].shape[batch_axis]
        if size < len(ctx):
            raise EstimatorError(
                f"a batch of {size} cannot be shared by {len(ctx)} contexts; let the loader "
                "leave it out with last_batch='discard'"
            )
        data, label = (
            split_and_load(part, ctx, batch_axis, even_split=False) for part in batch[:2]
        )
        return data, label


def _has_data_and_labels(batch: Any) -> bool:
    if not isinstance(batch, list | tuple) or len(batch) < 2:  # noqa: PLR2004
        return False
    return all(isinstance(part, NDArray | np.ndarray) for part in batch[:2])


def _batch_description(batch: Any) -> str:
    kind = type(batch).__name__
    if not isinstance(batch, list | tuple):
        return f"a {kind}"
    return f"a {kind} of {', '.join(type(part).__name__ for part in batch) or 'nothing'}"
