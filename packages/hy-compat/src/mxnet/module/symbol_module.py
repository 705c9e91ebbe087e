"""SymbolModule: a symbol with parameters, bound to one or more devices."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon.batches import DataDesc
from hy_gluon.initializer import InitDesc, Uniform, create
from hy_gluon.optimizer import Optimizer, Updater
from hy_ndarray import ArgumentError, Context, NDArray, ShapeError, cpu, nd
from hy_ndarray.warning import warn
from hy_symbol import Symbol
from mxnet.module.base_module import BaseModule
from mxnet.module.errors import (
    ModuleError,
    NamesError,
    check_input_names,
    check_labels,
    check_module,
    parse_data_desc,
)
from mxnet.module.executor_group import DataParallelExecutorGroup

__all__ = ["SymbolModule"]


class SymbolModule(BaseModule):
    """Base class of :class:`Module`: the symbol, its devices and parameters; see there."""

    def __init__(
        self,
        symbol: Symbol,
        data_names: Sequence[str] | None = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Context | Sequence[Context] = cpu(),  # noqa: B008  # a value
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(logger=logger)
        self._context = [context] if isinstance(context, Context) else list(context)
        loads = [1.0] * len(self._context) if work_load_list is None else list(work_load_list)
        if len(loads) != len(self._context):
            raise ArgumentError(
                f"Module: work_load_list has {len(loads)} numbers for {len(self._context)} devices"
            )
        self._work_load_list = loads
        self._group2ctxs = group2ctxs
        self._symbol = self._net = symbol
        self._data_names = list(data_names or [])
        self._label_names = list(label_names or [])
        self._state_names = list(state_names or [])
        self._fixed_param_names = list(fixed_param_names or [])
        for names, kind, throw in (
            (self._data_names, "data_names", True),
            (self._label_names, "label_names", False),
            (self._state_names, "state_names", True),
            (self._fixed_param_names, "fixed_param_names", True),
        ):
            check_input_names(symbol, names, kind, throw)
        # What is no input is a parameter: MXNet knows no other distinction.
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [name for name in symbol.list_arguments() if name not in inputs]
        self._aux_names = symbol.list_auxiliary_states()
        self._output_names = symbol.list_outputs()
        self._arg_params: dict[str, NDArray] | None = None
        self._aux_params: dict[str, NDArray] | None = None
        self._params_dirty = False
        self._grad_req: Any = None
        self._exec_group: Any = None
        self._data_shapes: list[DataDesc] | None = None
        self._label_shapes: list[DataDesc] | None = None
        self._compression_params = compression_params
        self._optimizer: Optimizer | None = None
        self._kvstore: Any = None
        self._update_on_kvstore: bool | None = None
        self._updater: Updater | None = None
        self._preload_opt_states: str | None = None

    # --- what it is made of -----------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        """Names of the inputs."""
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """Names of the labels."""
        return self._label_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> list[DataDesc]:
        """Descriptions of the inputs."""
        self._group()
        return self._data_shapes or []

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        """Descriptions of the labels, or None."""
        self._group()
        return self._label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs."""
        return self._group().get_output_shapes()

    def _group(self) -> DataParallelExecutorGroup:
        if self._exec_group is None:
            raise ModuleError(f"{type(self).__name__} is not bound: call bind before this")
        group: DataParallelExecutorGroup = self._exec_group
        return group

    def _ready(self) -> DataParallelExecutorGroup:
        self._hy_check_ready()
        return self._group()

    # --- parameters -------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states by name, on the CPU, as means over devices."""
        self._ready()
        if self._params_dirty:
            self._sync_params_from_devices()
        assert self._arg_params is not None
        assert self._aux_params is not None
        return self._arg_params, self._aux_params

    def _sync_params_from_devices(self) -> None:
        assert self._arg_params is not None
        assert self._aux_params is not None
        self._group().get_params(self._arg_params, self._aux_params)
        self._params_dirty = False

    def _hy_unified_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states by name, set to their means over devices."""
        return self.get_params() if len(self._context) == 1 else super()._hy_unified_params()

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  # MXNet's default; it keeps nothing
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters; see :meth:`BaseModule.init_params`.

        Raises:
            ModuleError: The module is not bound, or a required parameter is missing.
            ShapeError: A value has another shape than the parameter; nothing is changed.
        """
        if self.params_initialized and not force_init:
            warn("Parameters already initialized and force_init=False. init_params call ignored.")
            return
        check_module(self.binded, "call bind before initializing the parameters")
        initializer = None if initializer is None else create(initializer)
        own_args, own_auxs = self._arg_params or {}, self._aux_params or {}
        attrs = self._net.attr_dict()
        rows = [(own_args, arg_params), (own_auxs, aux_params)]
        # All are checked before any is changed.
        for own, values in rows:
            _check_values(own, values, initializer, allow_missing)
        for own, values in rows:
            for name, array in sorted(own.items()):
                if values is not None and name in values:
                    if values[name] is not array:
                        values[name].astype(array.dtype, copy=False).copyto(array)
                # Initializers write whole arrays; a row_sparse parameter is initialized dense and
                # stored again.
                elif initializer is not None:
                    whole = array.tostype("default") if array.stype != "default" else array
                    initializer(InitDesc(name, attrs.get(name)), whole)
                    if whole is not array:
                        whole.copyto(array)
        self.params_initialized = True
        self._params_dirty = False
        self._group().set_params(own_args, own_auxs, allow_extra=allow_extra)

    def set_params(
        self,
        arg_params: Mapping[str, NDArray] | None,
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set parameters and auxiliary states; see :meth:`BaseModule.init_params`.

        Raises:
            ModuleError: A parameter is missing, and ``allow_missing`` is False.
            NamesError: The symbol lacks a given name, and ``allow_extra`` is False.
            ShapeError: A value has another shape than the parameter; nothing is changed.
        """
        # Only a partial set of a bound module goes to the devices directly.
        if not allow_missing or self._exec_group is None:
            super().set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
            return
        if self.params_initialized and not force_init:
            warn("Parameters already initialized and force_init=False. set_params call ignored.")
            return
        for own, values in ((self._arg_params, arg_params), (self._aux_params, aux_params)):
            _check_values(own or {}, values or {}, None, True)
            if not allow_extra:
                _check_no_extra(own or {}, values)
        self._exec_group.set_params(arg_params or {}, aux_params or {}, allow_extra=allow_extra)
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
        """Create executors; see :meth:`BaseModule.bind`.

        Raises:
            NamesError: Names of the data differ from those of the module, or labels are none of
                the graph's.
            ModuleError: ``shared_module`` is not bound and initialized, or gradients of inputs are
                requested without training.
        """
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        check_module(
            for_training or not inputs_need_grad, "inputs_need_grad needs for_training=True"
        )
        data, labels = self._described(data_shapes, label_shapes)
        # New executors begin with the values that the devices have now.
        if self._params_dirty:
            self._sync_params_from_devices()
        group = DataParallelExecutorGroup(
            self._net,
            self._context,
            self._work_load_list,
            data_shapes=data,
            label_shapes=labels,
            param_names=self._param_names,
            for_training=for_training,
            inputs_need_grad=inputs_need_grad,
            shared_group=_group_of(shared_module),
            logger=self.logger,
            fixed_param_names=self._fixed_param_names,
            grad_req=grad_req,
            state_names=self._state_names,
            group2ctxs=self._group2ctxs,
        )
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._grad_req, self.binded = grad_req, True
        self._exec_group, self._data_shapes, self._label_shapes = group, data, labels
        if shared_module is not None:
            self._arg_params = shared_module._arg_params
            self._aux_params = shared_module._aux_params
            self.params_initialized = True
            # As in MXNet: a module bound to another's executors shares its optimizer, too.
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self.params_initialized:
            # Those that were loaded, or that the executors before had.
            group.set_params(self._arg_params or {}, self._aux_params or {}, allow_extra=True)
        else:
            self._arg_params = _zeros(group.param_order, group.param_arrays)
            self._aux_params = _zeros(self._aux_names, group.aux_arrays)

    def _described(
        self, data_shapes: Any, label_shapes: Any
    ) -> tuple[list[DataDesc], list[DataDesc] | None]:
        """Return descriptions of data and labels; raise an error if their names do not match."""
        data, labels = parse_data_desc(self.data_names, self.label_names, data_shapes, label_shapes)
        check_labels(self._net.list_arguments(), self.label_names, labels)
        return data, labels

    def borrow_optimizer(self, shared_module: "SymbolModule") -> None:
        """Use the optimizer of another module with shared parameters."""
        check_module(shared_module.optimizer_initialized, "the other module has no optimizer")
        self._optimizer = shared_module._optimizer
        self._kvstore = shared_module._kvstore
        self._update_on_kvstore = shared_module._update_on_kvstore
        self._updater = shared_module._updater
        self.optimizer_initialized = True

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Continue with inputs of other shapes and the same parameters."""
        group = self._group()
        data, labels = self._described(data_shapes, label_shapes)
        group.reshape(data, labels)
        self._data_shapes, self._label_shapes = data, labels


def _group_of(shared: Any) -> DataParallelExecutorGroup | None:
    if shared is None:
        return None
    check_module(
        shared.binded and shared.params_initialized,
        "shared_module must be bound and its parameters initialized",
    )
    group: DataParallelExecutorGroup = shared._group()
    return group


def _zeros(names: Sequence[str], arrays: Sequence[Sequence[NDArray]]) -> dict[str, NDArray]:
    """Return arrays on the CPU, not initialized, with the devices' shapes and storage types."""
    first = [row[0] for row in arrays]
    # row_sparse parameters stay so on the CPU.
    zeros = [nd.empty(array.shape, dtype=array.dtype, stype=array.stype) for array in first]
    return dict(zip(names, zeros, strict=True))


def _check_values(
    own: Mapping[str, NDArray],
    values: Mapping[str, NDArray] | None,
    initializer: Any,
    allow_missing: bool,
) -> None:
    """Raise an error if values do not match the parameters, before any change."""
    for name, array in own.items():
        if values is not None and name in values:
            if values[name].shape != array.shape:
                raise ShapeError(
                    f"parameter '{name}' has shape {array.shape}, its value {values[name].shape}"
                )
        elif values is not None and not allow_missing:
            raise ModuleError(f"{name} is not presented; give it, or pass allow_missing=True")
        elif values is None and initializer is None:
            raise ModuleError(f"{name} is not presented, and there is no initializer")


def _check_no_extra(own: Mapping[str, NDArray], values: Mapping[str, NDArray] | None) -> None:
    for name in values or {}:
        if name not in own:
            raise NamesError(
                f'Find name "{name}" that is not in the arguments; allow_extra=True ignores it'
            )
