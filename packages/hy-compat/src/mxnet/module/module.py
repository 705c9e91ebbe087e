"""Module: a symbol with parameters and an optimizer, bound to one or more devices."""

import logging
from collections.abc import Sequence
from typing import Any

from hy_gluon import optimizer as opt
from hy_gluon.batches import DataBatch, DataDesc
from hy_gluon.optimizer import Optimizer
from hy_io import atomic_write, open_file
from hy_ndarray import ArgumentError
from hy_ndarray.warning import warn
from mxnet._checkpoint import load_checkpoint, save_checkpoint
from mxnet._updating import (
    create_kvstore,
    initialize_kvstore,
    update_params,
    update_params_on_kvstore,
)
from mxnet.module.errors import check_module, descriptions
from mxnet.module.symbol_module import SymbolModule

__all__ = ["Module"]


class Module(SymbolModule):
    """Module of one symbol, with its parameters and optimizer, for training and prediction.

    Args:
        symbol: The graph.
        data_names: Arguments that are inputs.
        label_names: Arguments that are labels.
        logger: Logger for messages.
        context: A device, or several, each of which gets a slice of every batch.
        work_load_list: Relative share of each batch by device.
        fixed_param_names: Parameters that are not trained.
        state_names: Arguments that are states, neither inputs nor trained.
        group2ctxs: Contexts by group (the nodes' attribute ``ctx_group``); see
            :class:`~mxnet.module.executor_group.DataParallelExecutorGroup`.
        compression_params: Gradient compression of the parameter store.

    Raises:
        NamesError: A name is no argument of the graph; for labels, this is a warning.
        ArgumentError: ``work_load_list`` does not have one number per device.

    Example:
        >>> import mxnet as mx
        >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
        >>> module = mx.mod.Module(net, label_names=None)
        >>> module.bind([("data", (1, 3))], for_training=False)
        >>> module.init_params(mx.init.One())
        >>> module.predict(mx.nd.array([[1, 2, 3]])).asnumpy()
        array([[6., 6.]], dtype=float32)
    """

    # --- files ------------------------------------------------------------------------------

    @staticmethod
    def load(
        prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any
    ) -> "Module":
        """Return a module with the graph and parameters of a checkpoint.

        Args:
            prefix: Prefix of the file names.
            epoch: Number of the epoch.
            load_optimizer_states: Whether :meth:`init_optimizer` is to load the optimizer's states.
            kwargs: Arguments of :class:`Module`.

        Raises:
            FileFormatError: A file is damaged.
            FileNotFoundError: A file is missing.
        """
        symbol, args, auxs = load_checkpoint(prefix, epoch)
        # Not bound yet: bind copies these arrays to the devices.
        module = Module(symbol, **kwargs)
        module._arg_params = args
        module._aux_params = auxs
        module.params_initialized = True
        if load_optimizer_states:
            module._preload_opt_states = f"{prefix}-{epoch:04d}.states"
        return module

    def save_checkpoint(
        self,
        prefix: str,
        epoch: int,
        save_optimizer_states: bool = False,
        remove_amp_cast: bool = True,
    ) -> None:
        """Write ``prefix-symbol.json``, ``prefix-0003.params``, and the optimizer's states.

        Files of graph and parameters are replaced as a pair, and ``prefix-0003.states`` atomically.

        Args:
            prefix: Prefix of the file names.
            epoch: Number of the epoch, from 0.
            save_optimizer_states: Whether to write the optimizer's states.
            remove_amp_cast: Omit casts inserted by mixed precision.
        """
        # Refused before anything is written.
        if save_optimizer_states:
            self._check_optimizer()
        save_checkpoint(prefix, epoch, self._net, *self.get_params(), remove_amp_cast)
        if save_optimizer_states:
            path = f"{prefix}-{epoch:04d}.states"
            self.save_optimizer_states(path)
            logging.info('Saved optimizer state to "%s"', path)

    def save_optimizer_states(self, fname: str) -> None:
        """Write the optimizer's states to a file, atomically."""
        self._check_optimizer()
        if self._update_on_kvstore:
            self._kvstore.save_optimizer_states(fname)
            return
        assert self._updater is not None
        # Serialized before the file is opened: a failure leaves the old file.
        content = self._updater.get_states()
        with atomic_write(fname) as file:
            file.write(content)

    def load_optimizer_states(self, fname: str) -> None:
        """Load optimizer states from a file of hy or MXNet, all or none.

        Raises:
            StatesError: The file is damaged, or of another kind.
        """
        self._check_optimizer()
        self._load_optimizer_states(fname)

    def _load_optimizer_states(self, fname: str) -> None:
        if self._update_on_kvstore:
            self._kvstore.load_optimizer_states(fname)
            return
        assert self._updater is not None
        with open_file(fname) as file:
            self._updater.set_states(file.read())

    def _check_optimizer(self) -> None:
        check_module(self.optimizer_initialized, "call init_optimizer before that")

    # --- the optimizer ----------------------------------------------------------------------

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Create the optimizer; see :meth:`BaseModule.init_optimizer`.

        By default, ``rescale_grad`` divides gradients by the batch size, summed over all workers.

        Raises:
            ModuleError: The module is not bound and initialized.
            ArgumentError: ``optimizer`` or ``kvstore`` is of another type.
        """
        group = self._ready()
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring...")
            return
        if self._params_dirty:
            self._sync_params_from_devices()
        arg_params = self._arg_params or {}
        store, on_store = create_kvstore(kvstore, len(self._context), arg_params)
        batch_size = group.batch_size
        # A synchronous store sums the gradients of all workers before a step.
        kind = getattr(store, "type", "")
        if "dist" in kind and "async" not in kind:
            batch_size *= store.num_workers
        created = self._new_optimizer(optimizer, optimizer_params, 1.0 / batch_size, on_store)
        updater = None if on_store else opt.get_updater(created)
        if store is not None:
            if self._compression_params:
                store.set_gradient_compression(self._compression_params)
            if on_store:
                store.set_optimizer(created)
            initialize_kvstore(store, group.param_arrays, arg_params, group.param_order, on_store)
        self._optimizer, self._updater = created, updater
        self._kvstore, self._update_on_kvstore = store, on_store
        self.optimizer_initialized = True
        # MXNet loads states that `load` only named as soon as there is an optimizer.
        if self._preload_opt_states is not None:
            self.optimizer_initialized = False  # unless the states can be loaded
            self._load_optimizer_states(self._preload_opt_states)
            self._preload_opt_states, self.optimizer_initialized = None, True

    def _new_optimizer(
        self, optimizer: Any, optimizer_params: Any, rescale_grad: float, on_store: bool
    ) -> Optimizer:
        """Return an optimizer with the names of the parameters."""
        names = self._group().param_order
        if on_store:
            idx2name: dict[Any, str] = {name: name for name in names}
        else:
            count = len(self._context)
            # MXNet's index of parameter i on device k: each device has an updater state of its own.
            idx2name = {i * count + k: n for i, n in enumerate(names) for k in range(count)}
        if isinstance(optimizer, str):
            settings = {"rescale_grad": rescale_grad, **dict(optimizer_params)}
            return opt.create(optimizer, sym=self._net, param_idx2name=idx2name, **settings)
        if not isinstance(optimizer, Optimizer):
            raise ArgumentError(
                f"optimizer must be an Optimizer or the name of one, not {optimizer!r}"
            )
        # A user's optimizer is taken as it is, with MXNet's warning.
        if optimizer.rescale_grad != rescale_grad:
            warn(
                "Optimizer created manually outside Module but rescale_grad is not normalized to "
                f"1.0/batch_size/num_workers ({optimizer.rescale_grad} vs. {rescale_grad}). Is "
                "this intended?"
            )
        if not optimizer.idx2name:
            optimizer.idx2name = idx2name
        return optimizer

    def update(self) -> None:
        """Update the parameters by the gradients of the last backward pass."""
        group = self._ready()
        self._check_optimizer()
        # The arrays on the CPU are read from the devices when they are asked for.
        self._params_dirty = True
        if self._update_on_kvstore:
            update_params_on_kvstore(
                group.param_arrays, group.grad_arrays, self._kvstore, group.param_order
            )
            return
        assert self._updater is not None
        update_params(
            group.param_arrays,
            group.grad_arrays,
            self._updater,
            len(self._context),
            self._kvstore,
            group.param_order,
        )

    # --- running ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Run the forward pass; batches of other shapes are accepted.

        Args:
            data_batch: Batch with lists of arrays ``data`` and (optional) ``label``; or a list of
                batches, one per device.
            is_train: Whether in training mode; if None, as given to :meth:`bind`.

        Raises:
            ShapeError: Shapes of arrays and parameters do not match.
        """
        group = self._ready()
        batch = _one_batch(data_batch)
        label, provided = getattr(batch, "label", None), getattr(batch, "provide_label", None)
        data = _shapes_of(batch.data, getattr(batch, "provide_data", None), self.data_shapes)
        labels = self._label_shapes
        if labels is not None and label:
            labels = _shapes_of(label, provided, labels)
        elif label and provided:
            labels = descriptions(provided)
        elif data != self._data_shapes:
            labels = None  # whatever follows from the data
        # Executors of the last few shapes are kept, so alternating shapes bind nothing.
        if data != self._data_shapes or labels != self._label_shapes:
            group.reshape(data, labels)
            self._data_shapes, self._label_shapes = data, labels
        group.forward(batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Run the backward pass; gradients of outputs are required unless these are losses."""
        self._ready().backward(out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the last forward pass, concatenated over devices or by device."""
        return self._ready().get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the inputs, concatenated over devices or by device."""
        return self._ready().get_input_grads(merge_multi_context)

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the states by device, as they cannot be concatenated."""
        return self._ready().get_states(merge_multi_context)

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Set the states to the arrays of :meth:`get_states`, or to a number."""
        self._ready().set_states(states, value)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels (per device if ``pre_sliced``) and the last outputs."""
        self._group().update_metric(eval_metric, labels or [], pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Install a :class:`mxnet.monitor.Monitor` on the executors."""
        self._group().install_monitor(mon)


def _one_batch(data_batch: Any) -> Any:
    """Return a batch unchanged; for a list of batches, one with each input's arrays by device."""
    if not isinstance(data_batch, list):
        return data_batch
    data = zip(*(batch.data for batch in data_batch), strict=True)
    label = zip(*(batch.label or [] for batch in data_batch), strict=True)
    return DataBatch([list(row) for row in data], [list(row) for row in label])


def _shapes_of(arrays: Any, described: Any, known: Sequence[DataDesc]) -> list[DataDesc]:
    """Return descriptions of a batch: given ones, or ``known`` ones with new shapes."""
    if described:
        return descriptions(described)
    shapes = [_whole_shape(array, desc) for array, desc in zip(arrays, known, strict=False)]
    if all(shape == tuple(desc.shape) for shape, desc in zip(shapes, known, strict=False)):
        # The bound descriptions themselves: equal shapes must not bind again.
        return list(known)
    return [
        DataDesc(desc.name, shape, desc.dtype, desc.layout)
        for shape, desc in zip(shapes, known, strict=True)
    ]


def _whole_shape(array: Any, desc: DataDesc) -> tuple[int, ...]:
    """Return the shape of an array, or of the concatenation of all devices' arrays."""
    if not isinstance(array, list):
        return tuple(array.shape)
    shape, axis = list(array[0].shape), DataDesc.get_batch_axis(desc.layout)
    if axis >= 0:
        shape[axis] = sum(part.shape[axis] for part in array)
    return tuple(shape)
