"""SVRGModule: a module that trains with stochastic variance reduced gradients."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon.optimizer import Optimizer
from hy_ndarray import ArgumentError, Context, NDArray, cpu
from hy_symbol import Symbol
from mxnet.contrib.svrg_optimization.svrg_optimizer import _SVRGOptimizer
from mxnet.module import Module
from mxnet.module.errors import ModuleError

__all__ = ["SVRGModule"]


class SVRGModule(Module):
    r"""Module trained with variance-reduced gradients ``g(w) - g(w') + mu`` of batches.

    ``w'`` are the weights at the beginning of every ``update_freq``-th epoch, and ``mu`` is the
    mean gradient of all batches at ``w'``. Johnson, Zhang: *Accelerating Stochastic Gradient
    Descent using Predictive Variance Reduction* (2013). A step needs two forward and backward
    passes.

    Args:
        symbol: See :class:`mxnet.mod.Module`.
        data_names: Arguments that are inputs.
        label_names: Arguments that are labels.
        logger: Logger for messages.
        context: A device, or several.
        work_load_list: Relative share of each batch by device.
        fixed_param_names: Parameters that are not trained.
        state_names: Arguments that are states.
        group2ctxs: Contexts by group (the nodes' attribute ``ctx_group``); see
            :class:`~mxnet.module.executor_group.DataParallelExecutorGroup`.
        compression_params: Gradient compression of the parameter store.
        update_freq: Number of epochs between two full gradients.

    Raises:
        ArgumentError: ``update_freq`` is not a positive integer.

    Example:
        >>> import mxnet as mx
        >>> from mxnet.contrib.svrg_optimization.svrg_module import SVRGModule
        >>> x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, no_bias=True, name="fc")
        >>> net = mx.sym.LinearRegressionOutput(x, mx.sym.var("label"))
        >>> data = mx.nd.array([[1], [2], [3], [4]])
        >>> batches = mx.io.NDArrayIter(data, data[:, 0] * 3, 2, label_name="label")
        >>> module = SVRGModule(net, label_names=["label"], update_freq=2)
        >>> options = {"optimizer_params": {"learning_rate": 0.05}, "eval_metric": "mse"}
        >>> module.fit(batches, num_epoch=20, **options)
        >>> round(float(module.get_params()[0]["fc_weight"].asscalar()), 3)
        3.0
    """

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
        update_freq: int | None = None,
    ) -> None:
        if not isinstance(update_freq, int) or isinstance(update_freq, bool) or update_freq < 1:
            raise ArgumentError(
                "update_freq in SVRGModule must be a positive integer to represent the frequency "
                f"for calculating full gradients, not {update_freq!r}"
            )
        options: dict[str, Any] = {
            "data_names": data_names,
            "label_names": label_names,
            "logger": logger,
            "context": context,
            "work_load_list": work_load_list,
            "fixed_param_names": fixed_param_names,
            "state_names": state_names,
            "group2ctxs": group2ctxs,
        }
        super().__init__(symbol, compression_params=compression_params, **options)
        self.update_freq = update_freq
        self._mod_aux = Module(symbol, **options)
        """The same net with the weights at which the full gradient was taken."""
        self._param_dict: list[dict[str, NDArray]] | None = None
        """For each device its part of the mean gradient of a batch, by parameter."""

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
        """Create executors; see :meth:`mxnet.mod.BaseModule.bind`."""
        again = self.binded and not force_rebind
        super().bind(
            data_shapes,
            label_shapes,
            for_training,
            inputs_need_grad,
            force_rebind,
            shared_module,
            grad_req,
        )
        if for_training and not again:
            self._mod_aux.bind(data_shapes, label_shapes, force_rebind=True)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Continue with inputs of other shapes and the same parameters."""
        super().reshape(data_shapes, label_shapes)
        if self._mod_aux.binded:
            self._mod_aux.reshape(data_shapes, label_shapes)

    def _new_optimizer(
        self, optimizer: Any, optimizer_params: Any, rescale_grad: float, on_store: bool
    ) -> Optimizer:
        """Return the optimizer, wrapped such that full gradients in the store are assigned."""
        created = super()._new_optimizer(optimizer, optimizer_params, rescale_grad, on_store)
        return _SVRGOptimizer(
            created,
            rescale_grad=created.rescale_grad,
            param_idx2name=created.idx2name,
            wd=created.wd,
            learning_rate=created.lr,
            lr_scheduler=created.lr_scheduler,
            multi_precision=created.multi_precision,
        )

    def update_full_grads(self, train_data: Any) -> None:
        """Compute the mean gradient of all batches at the current weights.

        Args:
            train_data: An iterator over batches, which is reset first.

        Raises:
            ModuleError: There are no batches.
        """
        self._mod_aux.init_params(None, *self.get_params(), force_init=True)
        group = self._mod_aux._group()
        totals: list[dict[str, NDArray]] = [{} for _ in group.contexts]
        train_data.reset()
        samples, size = 0, group.batch_size
        for batch in train_data:
            self._mod_aux.forward_backward(batch)
            # Samples that only fill the last batch up are not counted, though their gradients are
            # in the sum, as in MXNet.
            samples += size - (batch.pad or 0)
            for name, grads in zip(group.param_order, group.grad_arrays, strict=True):
                for total, grad in zip(totals, grads, strict=True):
                    if grad is not None:
                        total[name] = total[name] + grad if name in total else grad.copy()
        if not samples:
            raise ModuleError("SVRGModule: there is no batch to take the full gradient of")
        # Gradients are sums over a batch, which the optimizer divides by the batch's size; the full
        # one is scaled to be divided so, too.
        share = size / samples
        self._param_dict = [
            {name: array * share for name, array in total.items()} for total in totals
        ]

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Run the forward pass; in training mode, also at the weights of the full gradient."""
        super().forward(data_batch, is_train)
        if (self.for_training if is_train is None else is_train) and self._param_dict is not None:
            self._mod_aux.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Run the backward pass, and correct the gradients if there is a full gradient."""
        super().backward(out_grads)
        if self._param_dict is None:
            return
        self._mod_aux.backward(out_grads)
        own, old = self._group(), self._mod_aux._group()
        rows = zip(own.param_order, own.grad_arrays, old.grad_arrays, strict=True)
        for name, grads, old_grads in rows:
            for full, grad, before in zip(self._param_dict, grads, old_grads, strict=True):
                if grad is not None:
                    # Johnson and Zhang 2013, equation 4: the old weights' gradient and its mean
                    # cancel on average.
                    grad[:] = grad - before + full[name]

    def _hy_train_epoch(self, epoch: int, train_data: Any, *args: Any) -> None:
        """Train on each batch once; compute a full gradient before, if due."""
        if epoch % self.update_freq == 0:
            self.update_full_grads(train_data)
            train_data.reset()
        super()._hy_train_epoch(epoch, train_data, *args)
