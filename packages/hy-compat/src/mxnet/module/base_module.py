"""BaseModule: training, evaluation and prediction loops of modules."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from hy_gluon import metric
from hy_gluon.batches import DataBatch
from hy_gluon.initializer import Uniform
from hy_ndarray import ArgumentError, NDArray, nd
from hy_symbol import Symbol
from mxnet._checkpoint import BatchEndParam
from mxnet.base import _as_list
from mxnet.module.errors import (
    ModuleError,
    NoBatchError,
    check_input_names,
    check_module,
    parse_data_desc as _parse_data_desc,
)
from mxnet.module.interface import ModuleInterface

__all__ = ["BaseModule", "_as_list", "_check_input_names", "_parse_data_desc", "called"]


def _check_input_names(symbol: Symbol, names: Sequence[str], typename: str, throw: bool) -> None:
    """Raise an error, or warn, if a name is not an argument of the symbol.

    Args:
        symbol: The graph.
        names: Names that should be arguments of the graph.
        typename: ``"data"``, ``"label"``, ``"state"`` or ``"fixed_param"``.
        throw: Whether to raise an error instead of a warning.

    Raises:
        NamesError: A name is not an argument, and ``throw`` is True.
    """
    check_input_names(symbol, names, f"{typename}_names", throw)


class BaseModule(ModuleInterface):
    """Base class of modules; subclasses implement :class:`ModuleInterface`.

    Args:
        logger: Logger for messages, or the module ``logging``.
    """

    def fit(
        self,
        train_data: Any,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        initializer: Any = Uniform(0.01),  # noqa: B008  # MXNet's default; it keeps nothing
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: int | None = None,
        validation_metric: Any = None,
        monitor: Any = None,
        sparse_row_id_fn: Any = None,
    ) -> None:
        """Train the module.

        Args:
            train_data: An iterator over batches, such as those of :mod:`mxnet.io`.
            eval_data: An iterator over validation batches, evaluated after each epoch, or None.
            eval_metric: A metric, or an argument of :func:`mxnet.metric.create`.
            epoch_end_callback: Called with epoch, symbol, parameters and auxiliary states.
            batch_end_callback: Called with a :class:`mxnet.model.BatchEndParam`.
            kvstore: See :meth:`init_optimizer`.
            optimizer: See :meth:`init_optimizer`.
            optimizer_params: See :meth:`init_optimizer`.
            eval_end_callback: Called after the validation data.
            eval_batch_end_callback: Called after each batch of the validation data.
            initializer: See :meth:`init_params`.
            arg_params: See :meth:`init_params`.
            aux_params: See :meth:`init_params`.
            allow_missing: See :meth:`init_params`.
            force_rebind: See :meth:`bind`.
            force_init: See :meth:`init_params`.
            begin_epoch: Number of the first epoch.
            num_epoch: Number after the last epoch; must be given.
            validation_metric: Metric for ``eval_data``; ``eval_metric`` if None.
            monitor: A :class:`mxnet.monitor.Monitor`.
            sparse_row_id_fn: Function that returns the rows of sparse parameters a batch needs.

        Raises:
            ModuleError: ``num_epoch`` is not given.
            NoBatchError: ``train_data`` have no batch left, as after :meth:`score`.

        Example:
            >>> import mxnet as mx
            >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
            >>> net = mx.sym.SoftmaxOutput(net, name="softmax")
            >>> x = mx.nd.array([[1, 0], [0, 1], [2, 0], [0, 2]])
            >>> data = mx.io.NDArrayIter(x, mx.nd.array([0, 1, 0, 1]), batch_size=2)
            >>> module = mx.mod.Module(net)
            >>> module.fit(data, num_epoch=5, optimizer_params={"learning_rate": 0.5})
            >>> module.score(data, "acc")
            [('accuracy', 1.0)]
        """
        check_module(num_epoch is not None, "please specify number of epochs")
        self.bind(
            data_shapes=train_data.provide_data,
            label_shapes=train_data.provide_label,
            for_training=True,
            force_rebind=force_rebind,
        )
        if monitor is not None:
            self.install_monitor(monitor)
        self.init_params(
            initializer=initializer,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
        )
        self.init_optimizer(kvstore=kvstore, optimizer=optimizer, optimizer_params=optimizer_params)
        eval_metric = metric.create(eval_metric)
        if validation_metric is None:
            validation_metric = eval_metric
        assert num_epoch is not None
        for epoch in range(begin_epoch, num_epoch):
            self._hy_train_epoch(
                epoch,
                train_data,
                eval_metric,
                batch_end_callback,
                monitor,
                sparse_row_id_fn,
                locals(),
            )
            # Devices may differ by rounding; what is saved is what training goes on with.
            arg_params, aux_params = self._hy_unified_params()
            for callback in called(epoch_end_callback):
                callback(epoch, self.symbol, arg_params, aux_params)
            if eval_data:
                values = self.score(
                    eval_data,
                    validation_metric,
                    score_end_callback=eval_end_callback,
                    batch_end_callback=eval_batch_end_callback,
                    epoch=epoch,
                )
                for name, value in values:
                    self.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, value)
            train_data.reset()

    def _hy_unified_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states by name, set to their means over devices."""
        arg_params, aux_params = self.get_params()
        self.set_params(arg_params, aux_params)
        return arg_params, aux_params

    def _hy_train_epoch(
        self,
        epoch: int,
        train_data: Any,
        eval_metric: Any,
        batch_end_callback: Any,
        monitor: Any,
        sparse_row_id_fn: Any,
        scope: Mapping[str, Any],
    ) -> None:
        """Train on each batch once, and log the metric."""
        tic = time.time()
        eval_metric.reset()
        eval_name_vals: list[tuple[str, Any]] = []
        data_iter = iter(train_data)
        following = next(data_iter, None)
        if following is None:
            raise NoBatchError(
                f"fit: epoch {epoch}: train_data have no batch left; call reset() after other uses"
            )
        nbatch = 0
        while following is not None:
            data_batch = following
            if monitor is not None:
                monitor.tic()
            self.forward_backward(data_batch)
            self.update()
            self._hy_score_batch(eval_metric, data_batch)
            # Fetched once this batch is done with: iterators may reuse its arrays.
            following = next(data_iter, None)
            if following is not None:
                self.prepare(following, sparse_row_id_fn=sparse_row_id_fn)
            if monitor is not None:
                monitor.toc_print()
            # Before callbacks, which may reset the metric.
            if following is None:
                eval_name_vals = eval_metric.get_global_name_value()
            for callback in called(batch_end_callback):
                # MXNet passes the frame's locals to callbacks, which read names out of them.
                callback(BatchEndParam(epoch, nbatch, eval_metric, {**scope, **locals()}))
            nbatch += 1
        for name, value in eval_name_vals:
            self.logger.info("Epoch[%d] Train-%s=%f", epoch, name, value)
        self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - tic)

    def _hy_score_batch(self, eval_metric: Any, data_batch: Any) -> None:
        if isinstance(data_batch, list):
            labels = [batch.label for batch in data_batch]
            self.update_metric(eval_metric, labels, pre_sliced=True)
        else:
            self.update_metric(eval_metric, data_batch.label)

    def score(
        self,
        eval_data: Any,
        eval_metric: Any,
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        score_end_callback: Any = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: Any = None,
    ) -> list[tuple[str, Any]]:
        """Return the names and values of a metric, evaluated on data.

        Args:
            eval_data: An iterator over batches.
            eval_metric: A metric, or an argument of :func:`mxnet.metric.create`.
            num_batch: Maximum number of batches; all if None.
            batch_end_callback: Called with a :class:`mxnet.model.BatchEndParam`.
            score_end_callback: Called with a :class:`mxnet.model.BatchEndParam` at the end.
            reset: Whether to reset the iterator first.
            epoch: Number of the epoch, for callbacks.
            sparse_row_id_fn: Function that returns the rows of sparse parameters a batch needs.

        Returns:
            Names and values.
        """
        self._hy_check_ready()
        if reset:
            eval_data.reset()
        eval_metric = metric.create(eval_metric)
        eval_metric.reset()
        actual_num_batch = 0
        for nbatch, eval_batch in enumerate(islice(eval_data, num_batch)):
            self.prepare(eval_batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(eval_batch, is_train=False)
            self._hy_score_batch(eval_metric, eval_batch)
            for callback in called(batch_end_callback):
                callback(BatchEndParam(epoch, nbatch, eval_metric, locals()))
            actual_num_batch += 1
        for callback in called(score_end_callback):
            callback(BatchEndParam(epoch, actual_num_batch, eval_metric, locals()))
        values: list[tuple[str, Any]] = eval_metric.get_name_value()
        return values

    def iter_predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        reset: bool = True,
        sparse_row_id_fn: Any = None,
    ) -> Iterator[tuple[list[NDArray], int, Any]]:
        """Yield, for each batch, the outputs without padding, the batch's number, and the batch.

        Args:
            eval_data: An iterator over batches.
            num_batch: Maximum number of batches; all if None.
            reset: Whether to reset the iterator first.
            sparse_row_id_fn: Function that returns the rows of sparse parameters a batch needs.
        """
        self._hy_check_ready()
        if reset:
            eval_data.reset()
        for nbatch, eval_batch in enumerate(islice(eval_data, num_batch)):
            self.prepare(eval_batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(eval_batch, is_train=False)
            pad = eval_batch.pad or 0
            # The next batch fills the arrays of the outputs.
            detached = [out.detach() for out in self.get_outputs()]
            outputs = [out[: out.shape[0] - pad] if pad else out for out in detached]
            yield outputs, nbatch, eval_batch

    def predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: Any = None,
    ) -> Any:
        """Return the module's outputs for data.

        Args:
            eval_data: An iterator over batches, or one array.
            num_batch: Maximum number of batches; all if None.
            merge_batches: Whether to concatenate the outputs of all batches.
            reset: Whether to reset the iterator first.
            always_output_list: Whether to return a list even for a single output.
            sparse_row_id_fn: Function that returns the rows of sparse parameters a batch needs.

        Returns:
            An array, or a list with an array per output; without ``merge_batches``, a list of the
            outputs of each batch.

        Raises:
            ArgumentError: ``eval_data`` is of another type.
            ModuleError: Batches to be concatenated differ in the number of outputs.
        """
        self._hy_check_ready()
        if isinstance(eval_data, NDArray | np.ndarray):
            array = eval_data if isinstance(eval_data, NDArray) else nd.array(eval_data)
            self.forward(DataBatch([array]))
            return self.get_outputs()[0].detach()
        if not isinstance(eval_data, Iterable):
            raise ArgumentError(
                f"eval_data must be of type NDArray or DataIter, not {type(eval_data).__name__}"
            )
        outputs_all = [
            outputs
            for outputs, _, _ in self.iter_predict(eval_data, num_batch, reset, sparse_row_id_fn)
        ]
        if not outputs_all or not merge_batches:
            return outputs_all
        if len({len(outputs) for outputs in outputs_all}) > 1:
            raise ModuleError(
                "Cannot merge batches, as num of outputs is not the same in mini-batches. Maybe "
                "bucketing is used?"
            )
        # Batches are joined at the end: each may have padding cut off.
        concatenated = [nd.concat(*column, dim=0) for column in zip(*outputs_all, strict=True)]
        return concatenated if always_output_list or len(concatenated) > 1 else concatenated[0]


def called(callbacks: Any) -> list[Any]:
    """Return callbacks (a list, or a single one) as a list."""
    if callbacks is None:
        return []
    return list(callbacks) if isinstance(callbacks, list | tuple) else [callbacks]
