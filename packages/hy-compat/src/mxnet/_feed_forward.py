"""FeedForward: the model class of MXNet's first versions, based on modules."""

import logging
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from hy_gluon import metric
from hy_gluon.batches import DataIter
from hy_gluon.initializer import Uniform
from hy_ndarray import ArgumentError, Context, NDArray, ShapeError, current_context
from hy_ndarray.warning import warn
from hy_symbol import Symbol
from mxnet._checkpoint import BatchEndParam, load_checkpoint, save_checkpoint
from mxnet.callback import LogValidationMetricsCallback
from mxnet.executor_manager import _check_arguments
from mxnet.io import NDArrayIter
from mxnet.module import BucketingModule, Module
from mxnet.module.base_module import called
from mxnet.module.errors import ModuleError, NamesError

__all__ = ["FeedForward"]

_Params = Mapping[str, NDArray]


class FeedForward:
    """Symbol with parameters, to be trained and used for predictions; deprecated, use Module.

    Args:
        symbol: The graph, or a function that returns the graph for a bucket's key.
        ctx: A device, or several; the current context if None.
        num_epoch: Number after the last epoch.
        epoch_size: Number of batches per epoch; all if None.
        optimizer: An optimizer, or its name.
        initializer: Initializer of parameters that are not given.
        numpy_batch_size: Number of samples in a batch if data are arrays.
        arg_params: Parameters by name.
        aux_params: Auxiliary states by name.
        allow_extra_params: Whether to ignore parameters that the graph does not have.
        begin_epoch: Number of the first epoch.
        kwargs: Arguments of the optimizer.

    Example:
        >>> import warnings
        >>> import mxnet as mx
        >>> warnings.simplefilter("ignore", DeprecationWarning)
        >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
        >>> net = mx.sym.SoftmaxOutput(net, name="softmax")
        >>> model = mx.model.FeedForward(net, num_epoch=20, learning_rate=1.0)
        >>> x, y = np.array([[1, 0], [0, 1]] * 8), np.array([0, 1] * 8)
        >>> model.fit(x, y)
        >>> model.predict(x).argmax(axis=1)[:4].tolist()
        [0, 1, 0, 1]
    """

    def __init__(
        self,
        symbol: Symbol | Callable[[Any], Symbol],
        ctx: Any = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = Uniform(0.01),  # noqa: B008  # MXNet's default; it keeps nothing
        numpy_batch_size: int = 128,
        arg_params: _Params | None = None,
        aux_params: _Params | None = None,
        allow_extra_params: bool = False,
        begin_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        warn(
            "mxnet.model.FeedForward has been deprecated. Please use mxnet.mod.Module instead.",
            DeprecationWarning,
        )
        # Anything but a symbol is a function of the bucket key, which makes symbols.
        self.sym_gen = None if isinstance(symbol, Symbol) else symbol
        self.symbol = symbol if isinstance(symbol, Symbol) else None
        self.arg_params: Any = None if arg_params is None else dict(arg_params)
        self.aux_params: Any = None if aux_params is None else dict(aux_params)
        self.allow_extra_params = allow_extra_params
        self.argument_checked = False
        if self.symbol is not None:
            self._check_arguments()
        ctx = current_context() if ctx is None else ctx
        self.ctx = [ctx] if isinstance(ctx, Context) else list(ctx)
        self.num_epoch, self.begin_epoch = num_epoch, begin_epoch
        self.epoch_size = epoch_size
        self.kwargs = dict(kwargs)
        self.optimizer = optimizer
        self.initializer = initializer
        self.numpy_batch_size = numpy_batch_size

    def _check_arguments(self) -> None:
        """Check that names are unique, and that parameters belong to the graph."""
        if self.argument_checked:
            return
        assert self.symbol is not None
        _check_arguments(self.symbol)
        self.argument_checked = True
        arguments, states = self.symbol.list_arguments(), self.symbol.list_auxiliary_states()
        self.arg_params = self._select_params(self.arg_params, arguments)
        self.aux_params = self._select_params(self.aux_params, states)

    def _select_params(self, params: _Params | None, names: list[str]) -> dict[str, NDArray] | None:
        if params is None:
            return None
        for name in params:
            if name not in names and not self.allow_extra_params:
                raise NamesError(
                    f'Find name "{name}" that is not in the arguments; allow_extra_params=True '
                    "ignores it"
                )
        # A module refuses values for names that its graph does not have.
        return {name: array for name, array in params.items() if name in names}

    # --- data -------------------------------------------------------------------------------

    def _init_iter(self, x: Any, y: Any, is_train: bool) -> Any:
        """Return an iterator over batches of arrays; an iterator is returned unchanged.

        Raises:
            ArgumentError: ``x`` is neither iterator nor array, or labels are missing.
            ShapeError: The numbers of labels and samples differ.
        """
        if not isinstance(x, NDArray | np.ndarray):
            if not isinstance(x, DataIter):
                raise ArgumentError(
                    f"X must be DataIter, NDArray or numpy.ndarray, not {type(x).__name__}"
                )
            return x
        if y is None:
            if is_train:
                raise ArgumentError("y must be specified when X is numpy.ndarray")
            # Zeros as labels: a graph of training asks for some, and nobody scores them.
            y = np.zeros(x.shape[0])
        if x.shape[0] != y.shape[0]:
            raise ShapeError(
                f"The numbers of data points and labels not equal: {x.shape[0]} and {y.shape[0]}"
            )
        if len(y.shape) == 2 and y.shape[1] == 1:  # noqa: PLR2004  # a column
            # A column is one label for each sample, as MXNet takes it.
            y = y.reshape((-1,))
        if len(y.shape) != 1:
            raise ShapeError(
                f"Label must be 1D or 2D (with 2nd dimension being 1), not of shape {y.shape}"
            )
        size = min(x.shape[0], self.numpy_batch_size)
        if is_train:
            # As MXNet: training arrays are shuffled, and what does not fill a batch begins the next
            # epoch.
            return NDArrayIter(x, y, size, shuffle=True, last_batch_handle="roll_over")
        return NDArrayIter(x, y, size)

    def _init_eval_iter(self, eval_data: Any) -> Any:
        """Return an iterator over validation data, from an iterator or a pair of arrays."""
        if not isinstance(eval_data, list | tuple):
            return eval_data
        if len(eval_data) != 2 or eval_data[0] is None:  # noqa: PLR2004  # a pair
            raise ArgumentError(f"Eval data must be (data, label), not {len(eval_data)} items")
        x, y = eval_data
        # An iterator brings its labels itself.
        if isinstance(x, DataIter):
            return x
        x, y = (a if isinstance(a, NDArray) or a is None else np.asarray(a) for a in (x, y))
        return self._init_iter(x, y, is_train=False)

    def _module(self, data: Any, for_training: bool, **options: Any) -> Any:
        """Return a module bound to the shapes of the data, with the parameters."""
        data_names = [desc[0] for desc in data.provide_data]
        label_names = [desc[0] for desc in data.provide_label or []]
        if self.sym_gen is not None:
            # The graph of the default bucket has all parameters, so names are checked on it.
            self.symbol = self.sym_gen(data.default_bucket_key)
        assert self.symbol is not None
        self._check_arguments()
        names = self.symbol.list_arguments()
        known = {*data_names, *(self.arg_params or {})}
        if not for_training:  # whatever is neither data nor parameter is a label
            label_names = [name for name in names if name not in known]
        label_names = [name for name in label_names if name in names]
        labels = [desc for desc in data.provide_label or [] if desc[0] in label_names] or None
        options["context"] = self.ctx
        sym_gen = self.sym_gen
        module: Any
        if sym_gen is None:
            module = Module(self.symbol, data_names, label_names, **options)
        else:
            module = BucketingModule(
                lambda key: (sym_gen(key), data_names, label_names),
                data.default_bucket_key,
                **options,
            )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Data provided by label_shapes")  # may be unknown
            module.bind(data.provide_data, labels, for_training=for_training)
        module.init_params(
            self.initializer if for_training else None,
            self.arg_params,
            self.aux_params,
            allow_missing=for_training,
        )
        return module

    # --- training ---------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        monitor: Any = None,
        eval_end_callback: Any = LogValidationMetricsCallback(),  # noqa: B008  # keeps nothing
        eval_batch_end_callback: Any = None,
    ) -> None:
        """Train the model.

        Args:
            X: An iterator over batches, or an array of samples.
            y: Labels of an array.
            eval_data: An iterator, or a pair of arrays, that is scored after each epoch.
            eval_metric: A metric, or an argument of :func:`mxnet.metric.create`.
            epoch_end_callback: Called with epoch, symbol, parameters and auxiliary states.
            batch_end_callback: Called with a :class:`mxnet.model.BatchEndParam`.
            kvstore: Parameter store, its type, or None.
            logger: Logger for messages.
            work_load_list: Relative share of each batch by device.
            monitor: A :class:`mxnet.monitor.Monitor`.
            eval_end_callback: Called after the validation data.
            eval_batch_end_callback: Called after each batch of the validation data.

        Raises:
            ModuleError: ``num_epoch`` was not given.
        """
        if self.num_epoch is None:
            raise ModuleError("FeedForward: num_epoch is None; give num_epoch, how many epochs")
        logger = logging if logger is None else logger
        data = self._init_iter(X, y, is_train=True)
        eval_data = self._init_eval_iter(eval_data)
        module = self._module(data, True, work_load_list=work_load_list)
        self.arg_params, self.aux_params = module.get_params()  # also where there is no epoch
        if monitor is not None:
            module.install_monitor(monitor)
        module.init_optimizer(kvstore, self.optimizer, self.kwargs)
        logger.info("Start training with %s", self.ctx)
        eval_metric = metric.create(eval_metric)
        data.reset()  # as score and predict do: what was read of it before counts for nothing
        for epoch in range(self.begin_epoch, self.num_epoch):
            tic = time.time()
            eval_metric.reset()
            for nbatch, data_batch in enumerate(self._epoch(data, epoch, logger), 1):
                if monitor is not None:
                    monitor.tic()
                module.forward_backward(data_batch)
                module.update()
                if monitor is not None:
                    monitor.toc_print()
                module.update_metric(eval_metric, data_batch.label)
                for callback in called(batch_end_callback):
                    callback(BatchEndParam(epoch, nbatch, eval_metric, locals()))
            logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - tic)
            # Callbacks such as do_checkpoint need the values on the CPU, not on the devices.
            self.arg_params, self.aux_params = module.get_params()
            for callback in called(epoch_end_callback):
                callback(epoch, self.symbol, self.arg_params, self.aux_params)
            if eval_data is not None:
                module.score(
                    eval_data,
                    eval_metric,
                    score_end_callback=eval_end_callback,
                    batch_end_callback=eval_batch_end_callback,
                    epoch=epoch,
                )

    def _epoch(self, data: Any, epoch: int, logger: Any) -> Iterator[Any]:
        """Yield the batches of an epoch: all, or the next ``epoch_size`` batches."""
        # MXNet counts an epoch in batches, so that it may end within the data, or begin the data
        # again.
        left = self.epoch_size
        while True:
            count = 0
            for batch in islice(data, left):
                yield batch
                count += 1
            if left is not None and count == left:
                return
            logger.info("Epoch[%d] Resetting Data Iterator", epoch)
            data.reset()
            if left is None:
                return
            if count == 0:
                raise ArgumentError("FeedForward: the data has no batches")
            left -= count

    # --- prediction -------------------------------------------------------------------------

    def predict(
        self, X: Any, num_batch: int | None = None, return_data: bool = False, reset: bool = True
    ) -> Any:
        """Return the model's outputs for data, as numpy arrays.

        Args:
            X: An iterator over batches, or an array of samples.
            num_batch: Maximum number of batches; all if None.
            return_data: Whether to return the data and the labels as well.
            reset: Whether to reset the iterator first.

        Returns:
            An array, or a list with an array per output; with ``return_data`` a tuple of outputs,
            data and labels.

        Raises:
            ModuleError: The model has no parameters.
        """
        data = self._init_iter(X, None, is_train=False)
        module = self._predictor(data)
        results: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        for outputs, _, batch in module.iter_predict(data, num_batch, reset):
            pad = batch.pad or 0
            # iter_predict has cut the padding off the outputs alone.
            rows = [
                [a[: a.shape[0] - pad] for a in part or []] for part in (batch.data, batch.label)
            ]
            for parts, arrays in zip(results, (outputs, *rows), strict=True):
                parts.append([array.asnumpy() for array in arrays])
        concatenated = [_concatenated(parts) for parts in results]
        return tuple(concatenated) if return_data else concatenated[0]

    def _predictor(self, data: Any) -> Any:
        if self.arg_params is None:
            raise ModuleError("FeedForward: there are no parameters yet; fit or load the model")
        return self._module(data, False)

    def score(
        self,
        X: Any,
        eval_metric: Any = "acc",
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        reset: bool = True,
    ) -> Any:
        """Return the value of a metric over data.

        Args:
            X: An iterator over batches, or an array of samples, whose labels are then 0.
            eval_metric: A metric, or an argument of :func:`mxnet.metric.create`.
            num_batch: Maximum number of batches; all if None.
            batch_end_callback: Called with a :class:`mxnet.model.BatchEndParam`.
            reset: Whether to reset the iterator first.
        """
        data = self._init_iter(X, None, is_train=False)
        eval_metric = metric.create(eval_metric)
        self._predictor(data).score(data, eval_metric, num_batch, batch_end_callback, reset=reset)
        return eval_metric.get()[1]

    # --- files ------------------------------------------------------------------------------

    def save(self, prefix: str, epoch: int | None = None, remove_amp_cast: bool = True) -> None:
        """Write a checkpoint, of ``num_epoch`` if no epoch is given.

        Raises:
            ModuleError: There is no epoch, or there are no parameters.
        """
        epoch = self.num_epoch if epoch is None else epoch
        if epoch is None or self.arg_params is None:
            raise ModuleError("FeedForward: save needs an epoch and parameters")
        args, states = self.arg_params, self.aux_params or {}
        save_checkpoint(prefix, epoch, self.symbol, args, states, remove_amp_cast)

    @staticmethod
    def load(prefix: str, epoch: int, ctx: Any = None, **kwargs: Any) -> "FeedForward":
        """Return the model of a checkpoint, for predictions or further training.

        Args:
            prefix: Prefix of the file names.
            epoch: Number of the epoch.
            ctx: See :class:`FeedForward`.
            kwargs: More arguments of :class:`FeedForward`.

        Raises:
            FileFormatError: A file is damaged.
            FileNotFoundError: A file is missing.
        """
        symbol, args, states = load_checkpoint(prefix, epoch)
        return FeedForward(
            symbol, ctx=ctx, arg_params=args, aux_params=states, begin_epoch=epoch, **kwargs
        )

    @staticmethod
    def create(
        symbol: Any,
        X: Any,
        y: Any = None,
        ctx: Any = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = Uniform(0.01),  # noqa: B008  # MXNet's default; it keeps nothing
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        eval_end_callback: Any = LogValidationMetricsCallback(),  # noqa: B008  # keeps nothing
        eval_batch_end_callback: Any = None,
        **kwargs: Any,
    ) -> "FeedForward":
        """Return a trained model; see the arguments of the class and of :meth:`fit`."""
        model = FeedForward(
            symbol,
            ctx=ctx,
            num_epoch=num_epoch,
            epoch_size=epoch_size,
            optimizer=optimizer,
            initializer=initializer,
            **kwargs,
        )
        model.fit(
            X,
            y,
            eval_data=eval_data,
            eval_metric=eval_metric,
            epoch_end_callback=epoch_end_callback,
            batch_end_callback=batch_end_callback,
            kvstore=kvstore,
            logger=logger,
            work_load_list=work_load_list,
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
        )
        return model


def _concatenated(parts: list[list[Any]]) -> Any:
    """Return the arrays of all batches concatenated: one, or a list of several."""
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return columns[0] if len(columns) == 1 else columns
