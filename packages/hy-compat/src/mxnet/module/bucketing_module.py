"""BucketingModule: modules for inputs of different lengths, with shared parameters."""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from hy_gluon.files import load as load_arrays, save as save_arrays
from hy_gluon.initializer import Uniform
from hy_ndarray import ArgumentError, Context, NDArray, cpu, nd
from hy_ndarray.warning import warn
from hy_symbol import NameManager, Symbol, load as load_symbol
from mxnet._checkpoint import load_params, save_checkpoint
from mxnet.module.base_module import BaseModule
from mxnet.module.errors import ModuleError, check_input_names, check_module
from mxnet.module.module import Module

__all__ = ["BucketingModule"]

_Generated = tuple[Symbol, Sequence[str] | None, Sequence[str] | None]


class BucketingModule(BaseModule):
    """Modules by bucket (such as the length of the input), with shared parameters.

    Args:
        sym_gen: Function of a bucket's key that returns the symbol, the names of the data, and the
            names of the labels. Unnamed layers are numbered from 0 in each bucket.
        default_bucket_key: Key of the bucket that is bound first, and has all parameters.
        logger: Logger for messages.
        context: See :class:`Module`.
        work_load_list: See :class:`Module`.
        fixed_param_names: See :class:`Module`.
        state_names: See :class:`Module`.
        group2ctxs: See :class:`Module`.
        compression_params: See :class:`Module`.

    Raises:
        ModuleError: ``default_bucket_key`` is not given.
        NamesError: A name is not an argument of the graph.

    Example:
        >>> import mxnet as mx
        >>> def generate(length):
        ...     total = mx.sym.sum(mx.sym.var("data"), axis=1, keepdims=True)
        ...     net = mx.sym.FullyConnected(total, num_hidden=2, name=f"fc")
        ...     return mx.sym.SoftmaxOutput(net, name="softmax"), ["data"], ["softmax_label"]
        >>> module = mx.mod.BucketingModule(generate, default_bucket_key=5)
        >>> module.bind([("data", (2, 5))], [("softmax_label", (2,))])
        >>> module.init_params()
        >>> module.switch_bucket(3, [("data", (2, 3))], [("softmax_label", (2,))])
        >>> module.data_shapes[0].shape
        (2, 3)
    """

    def __init__(
        self,
        sym_gen: Callable[[Any], _Generated],
        default_bucket_key: Any = None,
        logger: Any = logging,
        context: Context | Sequence[Context] = cpu(),  # noqa: B008  # a value
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(logger=logger)
        check_module(default_bucket_key is not None, "default_bucket_key must be given")
        self._default_bucket_key = default_bucket_key
        self._sym_gen = sym_gen
        self._compression_params = compression_params
        self._fixed_param_names = list(fixed_param_names or [])
        self._state_names = list(state_names or [])
        self._context = context
        self._work_load_list = work_load_list
        self._group2ctxs = group2ctxs
        # Names are checked here, where the error points to the constructor's line.
        symbol, data_names, label_names = self._call_sym_gen(default_bucket_key)
        check_input_names(symbol, list(data_names or []), "data_names", True)
        check_input_names(symbol, list(label_names or []), "label_names", False)
        check_input_names(symbol, self._state_names, "state_names", True)
        check_input_names(symbol, self._fixed_param_names, "fixed_param_names", True)
        self._buckets: dict[Hashable, Module] = {}
        self._curr_module: Module | None = None
        self._curr_bucket_key: Any = None
        self._params_dirty = False
        self._monitor: Any = None
        self._grad_req: Any = None

    def _call_sym_gen(self, bucket_key: Any) -> _Generated:
        with NameManager():  # unnamed layers have the same names in all buckets, which share them
            return self._sym_gen(bucket_key)

    def _module_of(self, bucket_key: Any) -> Module:
        """Return the module of a bucket; a missing one is created, but not bound."""
        if bucket_key not in self._buckets:
            symbol, data_names, label_names = self._call_sym_gen(bucket_key)
            self._buckets[bucket_key] = Module(
                symbol,
                data_names,
                label_names,
                logger=self.logger,
                context=self._context,
                work_load_list=self._work_load_list,
                fixed_param_names=self._fixed_param_names,
                state_names=self._state_names,
                group2ctxs=self._group2ctxs,
                compression_params=self._compression_params,
            )
        return self._buckets[bucket_key]

    def _current(self) -> Module:
        if not self.binded or self._curr_module is None:
            raise ModuleError("BucketingModule is not bound: call bind before this")
        return self._curr_module

    def _ready(self) -> Module:
        self._hy_check_ready()
        return self._current()

    # --- what it is made of -----------------------------------------------------------------

    @property
    def symbol(self) -> Symbol:
        """Graph of the current bucket."""
        return self._current()._net

    @property
    def data_names(self) -> Sequence[str]:
        """Names of the inputs, of the current or default bucket."""
        if self.binded:
            return self._current().data_names
        names = self._call_sym_gen(self._default_bucket_key)[1]
        return [] if names is None else names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs, of the current or default bucket."""
        if self.binded:
            return self._current().output_names
        return self._call_sym_gen(self._default_bucket_key)[0].list_outputs()

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the current bucket's inputs."""
        return self._current().data_shapes

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the current bucket's labels, or None."""
        return self._current().label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the current bucket's outputs."""
        return self._current().output_shapes

    # --- parameters -------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states by name; needs no binding after :meth:`load`."""
        # Loaded and not bound yet: there are no executors to read from.
        if not self.binded and self.params_initialized and self._curr_module is not None:
            loaded = self._curr_module
            return dict(loaded._arg_params or {}), dict(loaded._aux_params or {})
        module = self._ready()
        module._params_dirty = self._params_dirty
        params = module.get_params()
        self._params_dirty = False
        return params

    def _hy_unified_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states by name, as means over devices."""
        return (
            self.get_params()
            if len(self._current()._context) == 1
            else super()._hy_unified_params()
        )

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  # MXNet's default; it keeps nothing
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters; see :meth:`BaseModule.init_params`."""
        if self.params_initialized and not force_init:
            return
        check_module(self.binded, "call bind before initializing the parameters")
        self._current().init_params(
            initializer, arg_params, aux_params, allow_missing, force_init, allow_extra
        )
        self._params_dirty = False
        self.params_initialized = True

    def set_params(
        self,
        arg_params: Mapping[str, NDArray] | None,
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set parameters and auxiliary states; see :meth:`BaseModule.init_params`."""
        if not allow_missing:
            super().set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
            return
        if self.params_initialized and not force_init:
            warn("Parameters already initialized and force_init=False. set_params call ignored.")
            return
        self._current().set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
        self._params_dirty = True
        self.params_initialized = True

    # --- binding ----------------------------------------------------------------------------

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Create executors of the default bucket; see :meth:`BaseModule.bind`."""
        if shared_module is not None:
            raise ModuleError("shared_module for BucketingModule is not supported")
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        # Bound again, the parameters go on with their values.
        params = self.get_params() if self.binded and self.params_initialized else None
        before = self._curr_module
        if self.binded:
            self._buckets = {}
        module = self._module_of(self._default_bucket_key)
        module.bind(
            data_shapes,
            label_shapes,
            for_training,
            inputs_need_grad,
            force_rebind=True,
            grad_req=grad_req,
        )
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self.binded, self._grad_req = True, grad_req
        self._curr_module, self._curr_bucket_key = module, self._default_bucket_key
        if params is not None:
            self.set_params(*params)
        if before is not None and before.optimizer_initialized:
            module.borrow_optimizer(before)

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Switch to another bucket, which is bound if necessary.

        Args:
            bucket_key: Key of the bucket.
            data_shapes: Descriptions of the bucket's inputs.
            label_shapes: Descriptions of the bucket's labels.
        """
        check_module(self.binded, "call bind before switching bucket")
        module = self._module_of(bucket_key)
        if not module.binded:
            default = self._buckets[self._default_bucket_key]
            # A module shares only initialized parameters; they may have been initialized through
            # this one.
            default.params_initialized |= self.params_initialized
            module.bind(
                data_shapes,
                label_shapes,
                self.for_training,
                self.inputs_need_grad,
                shared_module=default,
                grad_req=self._grad_req,
            )
            # Buckets that are bound after install_monitor are watched, too.
            if self._monitor is not None:
                module.install_monitor(self._monitor)
        self._curr_module, self._curr_bucket_key = module, bucket_key

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Create the optimizer of all buckets; see :meth:`BaseModule.init_optimizer`."""
        module = self._ready()
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        module.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        # One optimizer for all: buckets share the parameters that it updates.
        for other in self._buckets.values():
            if other is not module and other.binded:
                other.borrow_optimizer(module)
        self.optimizer_initialized = True

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Bind the bucket of a future batch, without switching to that bucket."""
        self._ready()
        key = self._curr_bucket_key
        # Binding before the batch's turn; the current bucket still has outputs to be read.
        self._switch_to(data_batch)
        self._current().prepare(data_batch, sparse_row_id_fn=sparse_row_id_fn)
        self._curr_module, self._curr_bucket_key = self._buckets[key], key

    def _switch_to(self, data_batch: Any) -> None:
        if data_batch.provide_data is None:
            raise ArgumentError(
                "BucketingModule: a batch needs bucket_key, provide_data and provide_label; this "
                f"one of bucket {data_batch.bucket_key!r} has no provide_data"
            )
        self.switch_bucket(data_batch.bucket_key, data_batch.provide_data, data_batch.provide_label)

    # --- running ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Run the forward pass in the bucket of the batch."""
        self._hy_check_ready()
        self._switch_to(data_batch)
        self._current().forward(data_batch, is_train=is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Run the backward pass; gradients of outputs are required unless these are losses."""
        self._ready().backward(out_grads)

    def update(self) -> None:
        """Update the parameters by the gradients of the last backward pass."""
        module = self._ready()
        check_module(self.optimizer_initialized, "call init_optimizer before that")
        self._params_dirty = True
        module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the last forward pass."""
        return self._ready().get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the inputs."""
        return self._ready().get_input_grads(merge_multi_context)

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the states of the current bucket."""
        return self._ready().get_states(merge_multi_context)

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Set the states of the current bucket."""
        self._ready().set_states(states, value)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels (per device if ``pre_sliced``) and the last outputs."""
        self._ready().update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor on the executors of all buckets."""
        self._current()
        self._monitor = mon
        for module in self._buckets.values():
            if module.binded:
                module.install_monitor(mon)

    # --- files ------------------------------------------------------------------------------

    def save_checkpoint(self, prefix: str, epoch: int, remove_amp_cast: bool = False) -> None:
        """Write parameters, a graph for each bucket, and the list of bucket keys.

        The files are ``prefix-0003.params``, ``prefix-8-symbol.json`` for bucket 8, and
        ``prefix.buckets``.

        Raises:
            ArgumentError: A bucket's key is not an integer, as the list requires.
        """
        self._ready()
        keys = list(self._buckets)
        # Keys go into an int32 array and into names of files.
        for key in keys:
            if not isinstance(key, int):
                raise ArgumentError(
                    f"save_checkpoint: keys of buckets in files are integers, not {key!r}; "
                    "save_params writes the parameters alone"
                )
        for key, module in self._buckets.items():
            module._net.save(f"{prefix}-{key}-symbol.json", remove_amp_cast)
        save_arrays(f"{prefix}.buckets", [nd.array(keys, dtype="int32")])
        save_checkpoint(prefix, epoch, None, *self.get_params())

    @staticmethod
    def load(
        prefix: str,
        epoch: int,
        sym_gen: Callable[[Any], _Generated] | None = None,
        default_bucket_key: Any = None,
        **kwargs: Any,
    ) -> "BucketingModule":
        """Return a module with the buckets and parameters of a checkpoint.

        Args:
            prefix: Prefix of the file names.
            epoch: Number of the epoch.
            sym_gen: See :class:`BucketingModule`.
            default_bucket_key: See :class:`BucketingModule`.
            kwargs: More arguments of :class:`BucketingModule`.

        Raises:
            FileFormatError: A file is damaged.
            FileNotFoundError: A file is missing.
        """
        check_module(sym_gen is not None, "sym_gen is required for loading BucketingModule")
        check_module(
            default_bucket_key is not None,
            "default_bucket_key is required for loading BucketingModule",
        )
        stored = load_arrays(f"{prefix}.buckets")
        arrays = list(stored.values()) if isinstance(stored, dict) else stored
        keys = [int(key) for key in arrays[0].asnumpy()] if arrays else []
        symbols = {key: load_symbol(f"{prefix}-{key}-symbol.json") for key in keys}
        args, auxs = load_params(prefix, epoch)
        return BucketingModule.load_dict(symbols, sym_gen, default_bucket_key, args, auxs, **kwargs)

    @staticmethod
    def load_dict(
        sym_dict: Mapping[Any, Symbol] | None = None,
        sym_gen: Callable[[Any], _Generated] | None = None,
        default_bucket_key: Any = None,
        arg_params: dict[str, NDArray] | None = None,
        aux_params: dict[str, NDArray] | None = None,
        **kwargs: Any,
    ) -> "BucketingModule":
        """Return a module from graphs by bucket key, and parameters."""
        check_module(sym_gen is not None, "sym_gen is required for loading BucketingModule")
        assert sym_gen is not None
        graphs = dict(sym_dict or {})

        def generate(key: Any) -> _Generated:
            symbol, data_names, label_names = sym_gen(key)
            # A saved graph wins over what the program would generate now.
            return graphs.get(key, symbol), data_names, label_names

        module = BucketingModule(generate, default_bucket_key, **kwargs)
        for key in graphs:
            module._module_of(key)
        default = module._module_of(default_bucket_key)
        default._arg_params, default._aux_params = arg_params or {}, aux_params or {}
        default.params_initialized = module.params_initialized = True
        module._curr_module = default
        return module
