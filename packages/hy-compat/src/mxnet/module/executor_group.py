"""DataParallelExecutorGroup: one executor per device, each for a slice of the batch."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hy_gluon.batches import DataDesc
from hy_ndarray import ArgumentError, Context, NDArray, ShapeError, nd
from hy_symbol import Executor, Symbol
from mxnet._groups import contexts_by_device
from mxnet._slices import cut, load_general, merged, split_input_slice
from mxnet.module.errors import check_module, descriptions

__all__ = ["DataParallelExecutorGroup"]

_Shapes: TypeAlias = Sequence[DataDesc] | Sequence[tuple[str, tuple[int, ...]]]
_MAX_EXECUTORS = 8
"""Number of batch shapes whose executors are kept."""


class DataParallelExecutorGroup:
    """Executors of a symbol, one per device, each for a slice of the batch.

    Args:
        symbol: The graph.
        contexts: The devices, possibly with repetitions.
        workload: Relative share of each batch by device.
        data_shapes: Descriptions (or names and shapes) of the data of whole batches.
        label_shapes: Descriptions of the labels, or None.
        param_names: Names of the learned arguments.
        for_training: Whether to compute gradients.
        inputs_need_grad: Whether to compute gradients of the data, too.
        shared_group: Group whose parameters and gradients are shared.
        logger: Logger for warnings.
        fixed_param_names: Parameters without gradients.
        grad_req: ``"write"``, ``"add"`` or ``"null"``: one for all, a list, or by name.
        state_names: Names of arguments that are states, neither data nor learned.
        group2ctxs: Contexts by group (the nodes' attribute ``ctx_group``): a dictionary for each
            device, or one dictionary with a context or a list of contexts.

    Raises:
        ArgumentError: There are fewer samples than devices.
        ShapeError: A parameter of ``shared_group`` has another shape.
    """

    def __init__(
        self,
        symbol: Symbol,
        contexts: Sequence[Context],
        workload: Sequence[float],
        data_shapes: _Shapes,
        label_shapes: _Shapes | None,
        param_names: Sequence[str],
        for_training: bool,
        inputs_need_grad: bool,
        shared_group: "DataParallelExecutorGroup | None" = None,
        logger: Any = logging,
        fixed_param_names: Sequence[str] | None = None,
        grad_req: Any = "write",
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
    ) -> None:
        self.symbol = symbol
        self.contexts = list(contexts)
        self.workload = list(workload)
        self.param_names = list(param_names)
        self.arg_names = symbol.list_arguments()
        self.param_order = [name for name in self.arg_names if name in self.param_names]
        """The parameters in the order of :attr:`param_arrays`."""
        self.aux_names = symbol.list_auxiliary_states()
        self.output_names = symbol.list_outputs()
        self.for_training = for_training
        self.inputs_need_grad = inputs_need_grad
        self.logger = logger
        self.fixed_param_names = list(fixed_param_names or [])
        self.state_names = list(state_names or [])
        self.group2ctxs = contexts_by_device(group2ctxs, len(self.contexts))
        self.num_outputs = len(self.output_names)
        layouts = [symbol[i].attr("__layout__") for i in range(self.num_outputs)]
        self.output_layouts = [DataDesc.get_batch_axis(layout) for layout in layouts]
        self.grad_req = self._requests(grad_req, [name for name, *_ in data_shapes])
        self.execs: list[Executor] = []
        self._bound: dict[Any, list[Executor]] = {}  # by the shapes they are for
        self._monitors: list[Any] = []
        self._shared = None if shared_group is None else shared_group.execs
        self.bind_exec(data_shapes, label_shapes)

    def _requests(self, grad_req: Any, data_names: Sequence[str]) -> dict[str, str]:
        """Return the gradient request of each argument."""
        request = grad_req if isinstance(grad_req, str) else "write"
        by_name = {}
        for name in self.arg_names:
            learned = name in self.param_names and name not in self.fixed_param_names
            wanted = learned or (name in data_names and self.inputs_need_grad)
            by_name[name] = request if self.for_training and wanted else "null"
        # A list is in the order of the arguments, as for simple_bind.
        if isinstance(grad_req, Sequence) and not isinstance(grad_req, str):
            grad_req = dict(zip(self.arg_names, grad_req, strict=True))
        if isinstance(grad_req, Mapping) and self.for_training:
            by_name.update(grad_req)
        return by_name

    # --- executors --------------------------------------------------------------------------

    def bind_exec(self, data_shapes: _Shapes, label_shapes: _Shapes | None) -> None:
        """Create executors for batches of given shapes, with shared parameters."""
        data, labels = descriptions(data_shapes), descriptions(label_shapes or [])
        data_axes = [DataDesc.get_batch_axis(desc.layout) for desc in data]
        label_axes = [DataDesc.get_batch_axis(desc.layout) for desc in labels]
        size = self._batch_size([*data, *labels], [*data_axes, *label_axes])
        slices = split_input_slice(size, self.workload)
        # The dtype and layout belong to the shape: another one needs another executor.
        key = tuple((d.name, tuple(d.shape), str(d.dtype), d.layout) for d in [*data, *labels])
        execs = self._bound.pop(key, None)
        if execs is None:
            inputs = [*data, *labels]
            names = [desc.name for desc in inputs]
            axes = dict(zip(names, [*data_axes, *label_axes], strict=True))
            execs = [self._bind_one(i, inputs, axes, part) for i, part in enumerate(slices)]
        self._watch(execs)
        self._bound[key] = self.execs = execs  # the last one used is the last one kept
        # Dictionaries keep their order, so the first is the least recently used.
        while len(self._bound) > _MAX_EXECUTORS:
            del self._bound[next(iter(self._bound))]
        self.batch_size, self.slices = size, slices
        self.data_layouts, self.label_layouts = data_axes, label_axes
        self.data_shapes = data
        self.label_shapes = labels if label_shapes is not None else None
        self.data_names = [desc.name for desc in data]
        self.label_names = [desc.name for desc in labels]
        self._collect_arrays()

    def reshape(self, data_shapes: _Shapes, label_shapes: _Shapes | None) -> None:
        """Create executors for other shapes; no effect if shapes are the same."""
        if list(data_shapes) == self.data_shapes and label_shapes == self.label_shapes:
            return
        self.bind_exec(data_shapes, label_shapes)

    @staticmethod
    def _batch_size(descriptions: Sequence[DataDesc], axes: Sequence[int]) -> int:
        sizes = {
            desc.name: desc.shape[axis]
            for desc, axis in zip(descriptions, axes, strict=True)
            if axis >= 0
        }
        if len(set(sizes.values())) > 1:
            raise ShapeError(f"all inputs must have the same batch size, got {sizes}")
        if not sizes:
            raise ArgumentError("no input has an axis of samples: no layout has an N")
        return int(next(iter(sizes.values())))

    def _bind_one(
        self, i: int, inputs: Sequence[DataDesc], axes: Mapping[str, int], part: slice
    ) -> Executor:
        """Return an executor for device ``i``."""
        shapes: dict[str, Any] = {}
        for desc in inputs:
            shape, axis = list(desc.shape), axes[desc.name]
            if axis >= 0:
                shape[axis] = part.stop - part.start
            shapes[desc.name] = tuple(shape)
        # Labels that the symbol does not use, as in prediction, are not bound.
        known = set(self.arg_names)
        executor = self.symbol.simple_bind(
            self.contexts[i],
            grad_req=self.grad_req,
            type_dict={desc.name: desc.dtype for desc in inputs if desc.name in known},
            group2ctx=self.group2ctxs[i],
            # Executors for other shapes share the parameters' memory.
            shared_arg_names=self.param_names,
            shared_exec=self._shared_executor(i),
            **{name: shape for name, shape in shapes.items() if name in known},
        )
        first = self._shared_executor(i)
        if first is not None:
            self._share_gradients(executor, first)
        return executor

    def _watch(self, execs: Sequence[Executor]) -> None:
        """Install the monitors of the current executors on new ones."""
        for now, executor in zip(self.execs, execs, strict=False):
            executor.watch_as(now)
            for monitor in self._monitors:
                # Monitors hold executors; after a change of shape they would watch the wrong ones.
                monitor.exes = [executor if exe is now else exe for exe in monitor.exes]

    def _shared_executor(self, i: int) -> Executor | None:
        """Return the executor with whose parameters device ``i`` works, or None."""
        if self.execs:
            return self.execs[i]
        return None if self._shared is None else self._shared[i]

    def _share_gradients(self, executor: Executor, first: Executor) -> None:
        """Replace an executor's gradient arrays by those of another executor."""
        known = first.arg_dict
        gradients = first.grad_dict
        for k, name in enumerate(self.arg_names):
            array = executor.arg_arrays[k]
            if name not in self.param_names or name not in known:
                continue
            # Executors of all shapes share parameters; a new array means that another shape was
            # inferred.
            if array is not known[name]:
                raise ShapeError(
                    f"parameter '{name}' would change from {known[name].shape} to {array.shape}: "
                    "the inputs do not fit the existing parameters"
                )
            if executor.grad_arrays[k] is not None and gradients[name] is not None:
                executor.grad_arrays[k] = gradients[name]

    def _collect_arrays(self) -> None:
        """Set the lists of arrays, ordered by parameter and device."""
        execs = self.execs
        self.data_arrays = [self._slices_of(name) for name in self.data_names]
        known = [name for name in self.label_names if name in self.arg_names]
        self.label_arrays = (
            None if self.label_shapes is None else [self._slices_of(name) for name in known]
        )
        self.state_arrays = [[e.arg_dict[name] for e in execs] for name in self.state_names]
        self.param_arrays = [[e.arg_dict[name] for e in execs] for name in self.param_order]
        self.grad_arrays: list[list[NDArray | None]] = (
            [[e.grad_dict[name] for e in execs] for name in self.param_order]
            if self.for_training
            else []
        )
        self.aux_arrays = [[e.aux_dict[name] for e in execs] for name in self.aux_names]
        self.input_grad_arrays: list[list[Any]] | None = (
            [[e.grad_dict[name] for e in execs] for name in self.data_names]
            if self.inputs_need_grad
            else None
        )

    def _slices_of(self, name: str) -> list[tuple[slice, NDArray]]:
        return [(part, e.arg_dict[name]) for part, e in zip(self.slices, self.execs, strict=True)]

    # --- parameters and states --------------------------------------------------------------

    def set_params(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray],
        allow_extra: bool = False,
    ) -> None:
        """Copy parameters to every device."""
        for executor in self.execs:
            executor.copy_params_from(arg_params, aux_params, allow_extra_params=allow_extra)

    def get_params(self, arg_params: dict[str, NDArray], aux_params: dict[str, NDArray]) -> None:
        """Copy the mean over devices of parameters and auxiliary states into given arrays."""
        _mean_into(self.param_order, self.param_arrays, arg_params)
        _mean_into(self.aux_names, self.aux_arrays, aux_params)

    def get_states(self, merge_multi_context: bool = True) -> list[list[NDArray]]:
        """Return, for each state, an array on each device."""
        check_module(
            not merge_multi_context,
            "merge_multi_context=True is not supported for get_states yet.",
        )
        return self.state_arrays

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Set the states to the arrays of :meth:`get_states`, or to a number."""
        if states is not None:
            check_module(value is None, "Only one of states & value can be specified.")
            for source, targets in zip(states, self.state_arrays, strict=True):
                for array, target in zip(source, targets, strict=True):
                    array.copyto(target)
            return
        check_module(value is not None, "At least one of states & value must be specified.")
        for row in self.state_arrays:
            for target in row:
                target[:] = value

    # --- running ----------------------------------------------------------------------------

    def load_data_batch(self, data_batch: Any) -> None:
        """Copy the batch to the devices."""
        load_general(data_batch.data, self.data_arrays, self.data_layouts)
        label = getattr(data_batch, "label", None)
        if self.label_arrays is not None and label:
            load_general(label, self.label_arrays, self.label_layouts)

    def forward(self, data_batch: Any = None, is_train: bool | None = None) -> None:
        """Run the forward pass on a batch, or on the batch loaded last."""
        if data_batch is not None:
            self.load_data_batch(data_batch)
        is_train = self.for_training if is_train is None else is_train
        for executor in self.execs:
            executor.forward(is_train=is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Run the backward pass, with each device's slice of the output gradients."""
        check_module(self.for_training, "re-bind with for_training=True to run backward")
        if isinstance(out_grads, NDArray):
            out_grads = [out_grads]
        for part, executor in zip(self.slices, self.execs, strict=True):
            heads = None
            if out_grads is not None:
                # Losses and BlockGrad need no head gradient: the executor checks what is missing.
                pairs = zip(out_grads, self.output_layouts, strict=False)
                heads = [self._head(grad, axis, part, executor) for grad, axis in pairs]
            executor.backward(heads)

    def _head(self, grad: NDArray, axis: int, part: slice, executor: Executor) -> NDArray:
        # On one device the head gradient is used as it is.
        if axis >= 0 and len(self.execs) > 1:
            grad = nd.slice_axis(grad, axis=axis, begin=part.start, end=part.stop)
        return grad.as_in_context(executor.outputs[0].context)

    def get_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return names and shapes of the outputs for whole batches."""
        shapes = []
        for name, output, axis in zip(
            self.output_names, self.execs[0].outputs, self.output_layouts, strict=True
        ):
            shape = list(output.shape)
            if 0 <= axis < len(shape):
                # The output of the first device has its part of the batch only.
                shape[axis] = self.batch_size
            shapes.append((name, tuple(shape)))
        return shapes

    def get_outputs(
        self, merge_multi_context: bool = True, begin: int = 0, end: int | None = None
    ) -> list[Any]:
        """Return the outputs of the last forward pass, concatenated over devices or by device."""
        outputs = [[e.outputs[i] for e in self.execs] for i in range(self.num_outputs)[begin:end]]
        return merged(outputs, self.output_layouts[begin:end]) if merge_multi_context else outputs

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data, concatenated over devices or by device."""
        check_module(
            self.inputs_need_grad, "bind with inputs_need_grad=True to get gradients of inputs"
        )
        grads = self.input_grad_arrays or []
        return merged(grads, self.data_layouts) if merge_multi_context else grads

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with each device's labels and outputs.

        Args:
            eval_metric: The metric.
            labels: Labels of the batch; with ``pre_sliced``, lists of labels by device.
            pre_sliced: Whether labels are already split by device.
        """
        alone = len(self.execs) == 1
        for k, (part, executor) in enumerate(zip(self.slices, self.execs, strict=True)):
            own = labels[k] if pre_sliced else labels
            # Labels of the whole batch are cut as its data were.
            if not pre_sliced and not alone:
                pairs = zip(labels, self.label_layouts, strict=True)
                own = [label if axis < 0 else cut(label, part, axis) for label, axis in pairs]
            outputs = dict(zip(self.output_names, executor.outputs, strict=True))
            eval_metric.update_dict(dict(zip(self.label_names, own, strict=False)), outputs)

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor on the executors, and on later replacements."""
        for executor in self.execs:
            mon.install(executor)
        self._monitors.append(mon)


def _mean_into(
    names: Sequence[str], arrays: Sequence[Sequence[NDArray]], targets: Mapping[str, NDArray]
) -> None:
    for name, row in zip(names, arrays, strict=True):
        target = targets[name]
        # Summed where the target is, as arrays of several devices do not add.
        total = row[0].as_in_context(target.context)
        if len(row) > 1:
            for array in row[1:]:
                total = total + array.as_in_context(target.context)
            total = total / len(row)
        total.astype(target.dtype, copy=False).copyto(target)
