"""Private attributes of MXNet's blocks, parameters, trainers, loaders and estimators.

``self`` is an object of the class that gets the attributes.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from hy_gluon import Parameter, Trainer
from hy_gluon.contrib.estimator import BatchProcessor, LoggingHandler, MetricHandler
from hy_gluon.contrib.estimator.utils import named, suggested_metrics, validation_copies
from hy_gluon.loss import Loss
from hy_gluon.parameter import UninitializedError
from hy_ndarray import Context, HyError, NDArray, cpu, gpu, num_gpus
from mxnet._private.computed import computed
from mxnet._private.errors import CheckError, ShapesError
from mxnet._private.estimating import EVENTS


class ParameterMembers:
    """Private members of ``Parameter``."""

    def _get_row_sparse(self, arr_list: Any, ctx: Context, row_id: NDArray) -> Any:
        """Return the rows of a row-sparse parameter on a device."""
        parameter: Any = self
        rows = parameter.list_row_sparse_data(row_id)
        on_ctx = [array for array in rows if array.context == ctx]
        if not on_ctx:
            raise ShapesError(f"Parameter {parameter.name} is not on {ctx}: {parameter.list_ctx()}")
        return on_ctx[0]

    def _init_grad(self) -> None:
        """Create gradients of zeros."""
        parameter: Any = self
        request = parameter.grad_req
        # Setting the request again allocates the gradients.
        parameter.grad_req = "null"
        parameter.grad_req = request

    def _init_impl(self, data: NDArray, ctx_list: Sequence[Context]) -> None:
        """Create the arrays of a parameter on contexts, from a value."""
        parameter: Any = self
        if parameter.shape is None or min(parameter.shape, default=1) <= 0:
            parameter.shape = data.shape
        parameter.initialize(init="zeros", ctx=list(ctx_list), force_reinit=True)
        parameter.set_data(data)

    def _set_trainer(self, trainer: Any) -> None:
        """Set the trainer that pulls rows; a row-sparse parameter has only one trainer."""
        parameter: Any = self
        parameter._trainer = trainer


class ParameterDictMembers:
    """Private members of ``ParameterDict``."""

    def _get_impl(self, name: str) -> Any:
        """Return the parameter with a full name, also from the shared dictionary, or None."""
        parameters: Any = self
        if name in parameters:
            return parameters[name]
        shared = parameters.shared
        if shared is None or name not in shared:
            return None
        # As in MXNet, the dictionary lists what it has taken from the shared one.
        parameters.update({name: shared[name]})
        return shared[name]


class HybridBlockMembers:
    """Private members of ``HybridBlock``."""

    _backend = None
    _callback = None
    _monitor_all = False

    @computed
    def _backend_opts(self) -> dict[str, Any]:
        """Return an empty dictionary: options of backends are arguments of ``optimize_for``."""
        return {}

    @computed
    def _scope(self) -> Any:
        """Return the name scope of the block."""
        block: Any = self
        return block.name_scope()

    def _build_cache(self, *args: Any) -> None:
        """Trace the block for arguments, and infer the shapes of the parameters."""
        block: Any = self
        # In this order: shapes are inferred from the traced graph.
        block._get_graph(*args)
        block.infer_shape(*args)

    def _deferred_infer_shape(self, *args: Any) -> None:
        """Infer the shapes of parameters from arguments.

        Raises:
            ShapesError: The arguments do not determine the shapes.
        """
        block: Any = self
        try:
            block.infer_shape(*args)
        except HyError as error:
            raise ShapesError(
                f"Deferred initialization failed because shape cannot be inferred. {error}"
            ) from error

    def _infer_attrs(self, infer_fn: str, attr: str, *args: Any) -> None:
        """Infer shapes or dtypes of parameters, selected by ``infer_fn``."""
        block: Any = self
        # Any other pair of function and attribute is a mistake.
        if (infer_fn, attr) not in (("infer_shape", "shape"), ("infer_type", "dtype")):
            raise CheckError(f"_infer_attrs: {infer_fn!r} does not find {attr!r}")
        getattr(block, infer_fn)(*args)


class RNNLayerMembers:
    """Private members of ``RNN``, ``LSTM`` and ``GRU``."""

    def _register_param(self, name: str, shape: Any, init: Any, dtype: Any) -> Parameter:
        """Create a parameter, also as an attribute."""
        layer: Any = self
        parameter: Parameter = layer.params.get(
            name, shape=shape, init=init, allow_deferred_init=True, dtype=dtype
        )
        setattr(layer, name, parameter)
        return parameter

    def _forward_kernel(
        self, F: Any, inputs: Any, states: Any, sequence_length: Any, **kwargs: Any
    ) -> tuple[Any, Any]:
        """Return outputs and new states, by operators of ``F`` and parameters by name."""
        layer: Any = self
        lengths = () if sequence_length is None else (sequence_length,)
        outputs, new_states = layer.hybrid_forward(F, inputs, list(states), *lengths, **kwargs)
        return outputs, new_states

    def _initializer(self, name: str) -> Any:
        layer: Any = self
        own = (p for full, p in layer.params.items() if full.endswith(name))
        return getattr(next(own, None), "init", None)

    @computed
    def _i2h_weight_initializer(self) -> Any:
        return RNNLayerMembers._initializer(self, "i2h_weight")

    @computed
    def _h2h_weight_initializer(self) -> Any:
        return RNNLayerMembers._initializer(self, "h2h_weight")

    @computed
    def _h2r_weight_initializer(self) -> Any:
        return RNNLayerMembers._initializer(self, "h2r_weight")

    @computed
    def _i2h_bias_initializer(self) -> Any:
        return RNNLayerMembers._initializer(self, "i2h_bias")

    @computed
    def _h2h_bias_initializer(self) -> Any:
        return RNNLayerMembers._initializer(self, "h2h_bias")


class TrainerMembers:
    """Private members of ``Trainer``."""

    def _check_contexts(self) -> list[Context]:
        """Return the contexts of the parameters, which must be the same for all.

        Raises:
            CheckError: Parameters have different contexts.
        """
        trainer: Any = self
        contexts: list[Context] = []
        for parameter in trainer._params:
            own = parameter.list_ctx()
            if contexts and own != contexts:
                raise CheckError(
                    "All Parameters must be initialized on the same set of contexts, but Parameter "
                    f"{parameter.name} is initialized on {own} while previous Parameters are "
                    f"initialized on {contexts}."
                )
            contexts = own
        return contexts

    @computed
    def _contains_sparse_weight(self) -> bool:
        trainer: Any = self
        return any(parameter.stype != "default" for parameter in trainer._params)

    @computed
    def _contains_sparse_grad(self) -> bool:
        trainer: Any = self
        return any(parameter.grad_stype != "default" for parameter in trainer._params)

    def _init_optimizer(self, optimizer: Any, optimizer_params: Any) -> None:
        """Replace the optimizer, with new optimizer states."""
        trainer: Any = self
        options = trainer._kvstore_params
        for parameter in trainer._params:
            parameter._trainer = None
        fresh = Trainer(list(trainer._params), optimizer, optimizer_params, **options)
        # In place, as users and blocks hold this trainer.
        vars(trainer).update(vars(fresh))

    def _reset_kvstore(self) -> None:
        """Remove the parameter store; the next step creates a new one.

        Raises:
            HyError: The store is distributed over several processes.
        """
        trainer: Any = self
        store = trainer._kvstore
        if store is not None and "dist" in store.type:
            raise HyError("Cannot reset distributed KVStore.")
        TrainerMembers._init_optimizer(self, trainer.optimizer, None)

    def _row_sparse_pull(
        self, parameter: Any, out: NDArray, row_id: NDArray, full_idx: bool = False
    ) -> None:
        """Write rows of a parameter into a row-sparse array."""
        store = getattr(self, "_kvstore", None)
        number = self._param2idx.get(parameter.name)  # type: ignore[attr-defined]  # a trainer's
        if store is not None and not full_idx:
            store.row_sparse_pull(number, out=out, row_ids=row_id)
        else:
            parameter.row_sparse_data(row_id).copyto(out)


class DataLoaderMembers:
    """Private members of ``DataLoader``."""

    _iter = None
    _worker_pool = None

    def _prefetch_iter(self) -> Any:
        """Return an iterator over the batches; loading of the first ones has begun."""
        loader: Any = self
        loader.refresh()
        return iter(loader)


class EstimatorMembers:
    """Private members of ``Estimator``."""

    def _check_loss(self, loss: Any) -> Loss:
        if not isinstance(loss, Loss):
            raise ShapesError(f"loss must be a Loss, refer to gluon.loss.Loss:{loss}")
        return loss

    def _check_context(self, context: Any) -> list[Context]:
        if not context:
            # MXNet's estimator trains on all GPUs where no context is given.
            return [gpu(i) for i in range(num_gpus())] or [cpu()]
        contexts = list(context) if isinstance(context, list | tuple) else [context]
        if not all(isinstance(one, Context) for one in contexts):
            raise ShapesError(
                "context must be a Context or a list of Context, for example mx.cpu() or "
                f"[mx.gpu(0), mx.gpu(1)], refer to mxnet.Context:{context}"
            )
        return contexts

    def _check_trainer(self, trainer: Any) -> Trainer:
        if not trainer:
            estimator: Any = self
            return Trainer(estimator.net.collect_params(), "sgd", {"learning_rate": 0.001})
        if not isinstance(trainer, Trainer):
            raise ShapesError(
                f"Trainer must be a Gluon Trainer instance, refer to gluon.Trainer:{trainer}"
            )
        return trainer

    def _check_batch_processor(self, batch_processor: Any) -> Any:
        if batch_processor is None:
            return BatchProcessor()
        methods = ("fit_batch", "evaluate_batch")
        if not all(callable(getattr(batch_processor, name, None)) for name in methods):
            raise ShapesError(
                "Customized Batch Processor must contain fit_batch() and evaluate_batch() methods"
            )
        return batch_processor

    def _is_initialized(self) -> bool:
        """Return whether all parameters have values."""
        estimator: Any = self
        for parameter in estimator.net.collect_params().values():
            try:
                parameter.list_ctx()
            except UninitializedError:
                return False
        return True

    def _initialize(self, initializer: Any) -> None:
        """Initialize the parameters that have no values yet."""
        estimator: Any = self
        if not EstimatorMembers._is_initialized(self):
            estimator.net.initialize(init=initializer, ctx=estimator.context)

    def _add_default_training_metrics(self) -> None:
        """Add metrics of the loss and, for classifiers, the accuracy, if there are no metrics."""
        estimator: Any = self
        if not estimator.train_metrics:
            estimator.train_metrics.extend(named(suggested_metrics(estimator.loss), "training"))

    def _add_validation_metrics(self) -> None:
        """Add validation copies of the training metrics, if there are none."""
        estimator: Any = self
        if not estimator.val_metrics:
            estimator.val_metrics.extend(validation_copies(estimator.train_metrics))

    def _get_data_and_label(
        self, batch: Any, ctx: Sequence[Context], batch_axis: int = 0
    ) -> tuple[list[NDArray], list[NDArray]]:
        """Return data and labels of a batch, split by device."""
        estimator: Any = self
        data, label = estimator.batch_processor._get_data_and_label(batch, ctx, batch_axis)
        return data, label

    def _categorize_handlers(self, event_handlers: Iterable[Any]) -> tuple[list[Any], ...]:
        """Return lists of handlers by event, from ``train_begin`` to ``train_end``."""
        handlers = list(event_handlers)
        kinds = (EVENTS[0], EVENTS[1], EVENTS[2], EVENTS[3], EVENTS[4], EVENTS[5])
        by_kind = tuple([h for h in handlers if isinstance(h, kind)] for kind in kinds)
        for handlers_of_event in by_kind:
            handlers_of_event.sort(key=lambda handler: getattr(handler, "priority", 0))
        return by_kind

    def _prepare_default_validation_handlers(self, event_handlers: Any) -> list[Any]:
        """Return the given handlers of a validation, with default metric and logging handlers."""
        estimator: Any = self
        handlers = list(event_handlers)
        metrics = estimator.val_metrics
        for default in (MetricHandler(metrics), LoggingHandler(metrics=metrics)):
            if not any(isinstance(handler, type(default)) for handler in handlers):
                handlers.append(default)
        return handlers
