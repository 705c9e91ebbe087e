"""SequentialModule: a chain of modules."""

import logging
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, ClassVar

from hy_gluon.batches import DataDesc
from hy_gluon.initializer import Uniform
from hy_ndarray import ArgumentError, NDArray
from mxnet.module.base_module import BaseModule
from mxnet.module.errors import ModuleError, check_module

__all__ = ["SequentialModule"]


class SequentialModule(BaseModule):
    """Chain of modules, each with the outputs of the previous one as inputs.

    Args:
        logger: Logger for messages.

    Example:
        >>> import mxnet as mx
        >>> x = mx.sym.var("data")
        >>> features = mx.mod.Module(mx.sym.FullyConnected(x, num_hidden=4), label_names=[])
        >>> head = mx.sym.FullyConnected(x, num_hidden=2)
        >>> head = mx.mod.Module(mx.sym.SoftmaxOutput(head, name="softmax"))
        >>> net = mx.mod.SequentialModule()
        >>> net = net.add(features).add(head, take_labels=True, auto_wiring=True)
        >>> net.bind([("data", (8, 3))], [("softmax_label", (8,))])
        >>> net.output_shapes
        [('softmax_output', (8, 2))]
    """

    META_TAKE_LABELS: ClassVar[str] = "take_labels"
    META_AUTO_WIRING: ClassVar[str] = "auto_wiring"

    def __init__(self, logger: Any = logging) -> None:
        super().__init__(logger=logger)
        self._modules: list[Any] = []
        self._metas: list[dict[str, Any]] = []
        self._label_shapes: Any = None
        self._data_shapes: Any = None
        self._meta_keys = {self.META_TAKE_LABELS, self.META_AUTO_WIRING}

    def add(self, module: Any, **kwargs: Any) -> "SequentialModule":
        """Append a module.

        Args:
            module: The module, not bound yet.
            kwargs: ``take_labels=True``: the module gets the labels; ``auto_wiring=True``: its
                inputs, in order, are the previous module's outputs, regardless of names.

        Returns:
            The sequential module itself.

        Raises:
            ArgumentError: An argument is unknown.
        """
        for key in kwargs:
            if key not in self._meta_keys:
                raise ArgumentError(
                    f'Unknown meta "{key}", a typo? Known are {sorted(self._meta_keys)}'
                )
        self._modules.append(module)
        # MXNet: a new module voids what was bound and initialized.
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    # --- what it is made of -----------------------------------------------------------------

    @property
    def data_names(self) -> Sequence[str]:
        """Names of the first module's inputs."""
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> Sequence[str]:
        """Names of the last module's outputs."""
        return self._modules[-1].output_names if self._modules else []

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the first module's inputs."""
        return self._bound()[0].data_shapes

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels, or None if no module uses labels."""
        self._bound()
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the last module's outputs."""
        return self._bound()[-1].output_shapes

    def _bound(self) -> list[Any]:
        check_module(self.binded, "SequentialModule is not bound: call bind before this")
        return self._modules

    def _ready(self) -> list[Any]:
        self._hy_check_ready()
        return self._modules

    # --- parameters -------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states of all modules by name."""
        arg_params: dict[str, NDArray] = {}
        aux_params: dict[str, NDArray] = {}
        for module in self._ready():
            arg, aux = module.get_params()
            arg_params.update(arg)
            aux_params.update(aux)
        return arg_params, aux_params

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
            ModuleError: Two modules have parameters with the same name.
        """
        if self.params_initialized and not force_init:
            return
        for module in self._bound():
            module.init_params(
                initializer=initializer,
                arg_params=arg_params,
                aux_params=aux_params,
                allow_missing=allow_missing,
                force_init=force_init,
                allow_extra=allow_extra,
            )
        # Modules do not share parameters, so a name in two of them is an error, as in MXNet.
        owners: dict[str, int] = {}
        for i, module in enumerate(self._modules):
            for name in [name for part in module.get_params() for name in part]:
                if owners.setdefault(name, i) != i:
                    raise ModuleError(
                        f'Duplicated parameter names: name "{name}" in layer {i} ({type(module)}) '
                        f"is already used in layer {owners[name]} "
                        f"({type(self._modules[owners[name]])})."
                    )
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
        """Bind all modules; see :meth:`BaseModule.bind`."""
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        check_module(
            for_training or not inputs_need_grad, "inputs_need_grad needs for_training=True"
        )
        check_module(shared_module is None, "Shared module is not supported")
        check_module(bool(self._modules), "Attempting to bind an empty SequentialModule")
        shapes, takes_labels = data_shapes, False
        for i, (module, meta) in enumerate(zip(self._modules, self._metas, strict=True)):
            labels = None
            if meta.get(self.META_TAKE_LABELS):
                labels, takes_labels = label_shapes, True
            if meta.get(self.META_AUTO_WIRING):
                shapes = [
                    DataDesc(name, desc[1])
                    for name, desc in zip(module.data_names, shapes, strict=True)
                ]
            module.bind(
                data_shapes=shapes,
                label_shapes=labels,
                for_training=for_training,
                # All but the first need gradients of their inputs, to go on backward.
                inputs_need_grad=for_training and (inputs_need_grad or i > 0),
                force_rebind=force_rebind,
                grad_req=grad_req,
            )
            shapes = module.output_shapes
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self.binded = True
        self._label_shapes = label_shapes if takes_labels else None

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Create an optimizer for each module; see :meth:`BaseModule.init_optimizer`."""
        modules = self._ready()
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        for module in modules:
            module.init_optimizer(
                kvstore=kvstore,
                optimizer=optimizer,
                optimizer_params=optimizer_params,
                force_init=force_init,
            )
        self.optimizer_initialized = True

    # --- running ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Run the forward pass of all modules, in order."""
        modules = self._ready()
        # A shallow copy: the caller's batch keeps its data.
        batch = copy(data_batch)
        for i, module in enumerate(modules):
            module.forward(batch, is_train=is_train)
            if i + 1 < len(modules):
                batch = copy(data_batch)
                batch.data = module.get_outputs()
                names = modules[i + 1].data_names
                pairs = zip(names, batch.data, strict=True)
                batch.provide_data = [DataDesc(name, array.shape) for name, array in pairs]

    def backward(self, out_grads: Any = None) -> None:
        """Run the backward pass of all modules, from the last to the first."""
        modules = self._ready()
        for i in reversed(range(len(modules))):
            modules[i].backward(out_grads=out_grads)
            if i:
                out_grads = modules[i].get_input_grads()

    def update(self) -> None:
        """Update the parameters of all modules."""
        modules = self._ready()
        check_module(self.optimizer_initialized, "call init_optimizer before that")
        for module in modules:
            module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the last module's outputs."""
        outputs: list[Any] = self._ready()[-1].get_outputs(merge_multi_context=merge_multi_context)
        return outputs

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the first module's inputs."""
        modules = self._ready()
        check_module(
            self.inputs_need_grad, "bind with inputs_need_grad=True to get gradients of inputs"
        )
        grads: list[Any] = modules[0].get_input_grads(merge_multi_context=merge_multi_context)
        return grads

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels, and the outputs of modules that use labels."""
        for module, meta in zip(self._ready(), self._metas, strict=True):
            if meta.get(self.META_TAKE_LABELS):
                module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor on the executors of all modules."""
        for module in self._bound():
            module.install_monitor(mon)
