"""``mx.executor_manager``: executors on several devices for user-written training loops."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_gluon.batches import DataDesc
from hy_ndarray import Context, NDArray, cpu, nd
from hy_symbol import Symbol
from mxnet._slices import SliceError, load_general, split_input_slice
from mxnet.base import mx_real_t
from mxnet.module import executor_group
from mxnet.module.errors import NamesError, descriptions

__all__ = [
    "DataDesc",
    "DataParallelExecutorGroup",
    "DataParallelExecutorManager",
    "cpu",
    "mx_real_t",
    "nd",
]


def _split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """Return each device's slice of a batch, in proportion to its work load."""
    return split_input_slice(batch_size, work_load_list)


def _check_arguments(symbol: Symbol) -> None:
    """Raise an error unless the names of arguments and auxiliary states are unique.

    Raises:
        NamesError: A name is used twice.
    """
    for kind, names in (
        ("argument", symbol.list_arguments()),
        ("auxiliary param", symbol.list_auxiliary_states()),
    ):
        for name, count in Counter(names).items():
            # Parameters are stored by name, so that one of them would be lost.
            if count > 1:
                raise NamesError(
                    f'Find duplicated {kind} name "{name}", please make the weight name '
                    f"non-duplicated(using name arguments), {kind}s are {names}"
                )


def _load_data(batch: Any, targets: Sequence[Any]) -> None:
    """Copy the data of a batch to devices, split along the first axis."""
    load_general(batch.data, targets, [0] * len(targets))


def _load_label(batch: Any, targets: Sequence[Any]) -> None:
    """Copy the labels of a batch to devices, split along the first axis."""
    load_general(batch.label, targets, [0] * len(targets))


class DataParallelExecutorGroup:
    """Executors of a symbol, one on each device.

    Args:
        sym: The graph.
        arg_names: Names of the arguments.
        param_names: Names of the learned arguments.
        ctx: The devices.
        slices: Slice of the batch for each device.
        train_data: Iterator with descriptions ``provide_data`` and ``provide_label``.
        shared_group: Group whose parameters and gradients are shared.

    Raises:
        NamesError: Two arguments have the same name.
    """

    def __init__(
        self,
        sym: Symbol,
        arg_names: Sequence[str],  # noqa: ARG002  # the graph knows them
        param_names: Sequence[str],
        ctx: Sequence[Context],
        slices: Sequence[slice],
        train_data: Any,
        shared_group: "DataParallelExecutorGroup | None" = None,
    ) -> None:
        _check_arguments(sym)
        self._group: executor_group.DataParallelExecutorGroup
        self._group = executor_group.DataParallelExecutorGroup(
            sym,
            ctx,
            [part.stop - part.start for part in slices],
            data_shapes=descriptions(train_data.provide_data),
            label_shapes=descriptions(train_data.provide_label),
            param_names=param_names,
            for_training=True,
            inputs_need_grad=False,
            shared_group=None if shared_group is None else shared_group._group,
        )
        group = self._group
        self.slices = group.slices
        self.data_names, self.label_names = group.data_names, group.label_names
        self.param_names, self.aux_names = group.param_order, group.aux_names
        self.param_idx = [group.arg_names.index(name) for name in group.param_order]
        self.train_execs = group.execs
        self.data_arrays, self.label_arrays = group.data_arrays, group.label_arrays
        self.param_arrays, self.grad_arrays = group.param_arrays, group.grad_arrays
        self.aux_arrays = group.aux_arrays

    def load_data_batch(self, data_batch: Any) -> None:
        """Copy a batch to the devices."""
        self._group.load_data_batch(data_batch)

    def forward(self, is_train: bool = False) -> None:
        """Run the forward pass."""
        self._group.forward(is_train=is_train)

    def backward(self) -> None:
        """Run the backward pass; the outputs are losses."""
        self._group.backward()

    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels (per device if ``pre_sliced``) and outputs."""
        self._group.update_metric(metric, labels, pre_sliced)


class DataParallelExecutorManager:
    """Executors on several devices, and for several buckets, with shared parameters.

    Args:
        symbol: The graph.
        ctx: The devices.
        train_data: Iterator with ``batch_size``, ``provide_data`` and ``provide_label``.
        arg_names: Names of the arguments; those of the graph if None.
        param_names: Names of the learned arguments; all but data and labels if None.
        aux_names: Names of the auxiliary states; those of the graph if None.
        work_load_list: Relative share of each batch by device.
        logger: Logger for messages.
        sym_gen: Function that returns the graph for a bucket's key, or None.

    Raises:
        SliceError: ``work_load_list`` has another length, or a device would get no samples.

    Example:
        >>> import mxnet as mx
        >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
        >>> data = mx.io.NDArrayIter(mx.nd.ones((4, 3)), mx.nd.zeros(4), 2)
        >>> net = mx.sym.SoftmaxOutput(net, name="softmax")
        >>> manager = DataParallelExecutorManager(net, [mx.cpu()], data)
        >>> manager.set_params({"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros(2)}, {})
        >>> manager.load_data_batch(next(data))
        >>> manager.forward(is_train=True)
        >>> manager.backward()
        >>> manager.grad_arrays[1][0].asnumpy()
        array([-1.,  1.], dtype=float32)
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Sequence[Context],
        train_data: Any,
        arg_names: Sequence[str] | None = None,
        param_names: Sequence[str] | None = None,
        aux_names: Sequence[str] | None = None,
        work_load_list: Sequence[float] | None = None,
        logger: Any = None,
        sym_gen: Callable[[Any], Symbol] | None = None,
    ) -> None:
        loads = [1.0] * len(ctx) if work_load_list is None else list(work_load_list)
        if len(loads) != len(ctx):
            raise SliceError(
                f"Invalid settings for work load. There are {len(loads)} for {len(ctx)} devices"
            )
        (logger or logging).info("Start training with %s", list(ctx))
        inputs = {desc[0] for desc in [*train_data.provide_data, *train_data.provide_label]}
        self.symbol, self.sym_gen, self.ctx = symbol, sym_gen, list(ctx)
        self.arg_names = list(arg_names or symbol.list_arguments())
        # Whatever the iterator does not provide is learned.
        learned = [name for name in self.arg_names if name not in inputs]
        self.param_names = list(learned if param_names is None else param_names)
        self.aux_names = list(symbol.list_auxiliary_states() if aux_names is None else aux_names)
        self.slices = split_input_slice(train_data.batch_size, loads)
        self.execgrp = self._bind_group(symbol, train_data, None)
        self.curr_execgrp: Any = None
        self.execgrp_bucket: dict[Any, DataParallelExecutorGroup] = {}
        if sym_gen is not None:
            self.execgrp_bucket[train_data.default_bucket_key] = self.execgrp

    def _bind_group(
        self, symbol: Symbol, data: Any, shared: DataParallelExecutorGroup | None
    ) -> DataParallelExecutorGroup:
        return DataParallelExecutorGroup(
            symbol,
            self.arg_names,
            self.param_names,
            ctx=self.ctx,
            slices=self.slices,
            train_data=data,
            shared_group=shared,
        )

    def install_monitor(self, monitor: Any) -> None:
        """Install a monitor on the executors; raises an error if there are buckets."""
        if self.sym_gen is not None:
            raise NotImplementedError(
                "Monitoring is not implemented for bucketing; use mx.mod.BucketingModule"
            )
        self.execgrp._group.install_monitor(monitor)

    def set_params(
        self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
    ) -> None:
        """Copy parameters and auxiliary states to every device."""
        self.execgrp._group.set_params(arg_params, aux_params)

    def copy_to(self, arg_params: dict[str, NDArray], aux_params: dict[str, NDArray]) -> None:
        """Copy the mean over devices of parameters and auxiliary states into given arrays."""
        self.execgrp._group.get_params(arg_params, aux_params)

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """Return, for each parameter, its array on each device."""
        return self.execgrp.param_arrays

    @property
    def grad_arrays(self) -> list[list[NDArray | None]]:
        """Return, for each parameter, its gradient on each device."""
        return self.execgrp.grad_arrays

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """Return, for each auxiliary state, its array on each device."""
        return self.execgrp.aux_arrays

    def load_data_batch(self, data_batch: Any) -> None:
        """Copy a batch to the devices, into the executors of its bucket."""
        group = self.execgrp
        if self.sym_gen is not None:
            key = data_batch.bucket_key
            if key not in self.execgrp_bucket:
                # All buckets share the first one's parameters and gradients.
                self.execgrp_bucket[key] = self._bind_group(
                    self.sym_gen(key), data_batch, self.execgrp
                )
            group = self.execgrp_bucket[key]
        self.curr_execgrp = group
        group.load_data_batch(data_batch)

    def _current(self) -> DataParallelExecutorGroup:
        return self.curr_execgrp or self.execgrp

    def forward(self, is_train: bool = False) -> None:
        """Run the forward pass on the batch loaded last."""
        self._current().forward(is_train=is_train)

    def backward(self) -> None:
        """Run the backward pass; the outputs are losses."""
        self._current().backward()

    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels (per device if ``pre_sliced``) and the last outputs."""
        self._current().update_metric(metric, labels, pre_sliced)
