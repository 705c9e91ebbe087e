"""PythonModule and PythonLossModule: modules without parameters, written in Python."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError, NDArray, nd
from mxnet.module.base_module import BaseModule
from mxnet.module.errors import NamesError, check_module

__all__ = ["PythonLossModule", "PythonModule"]


class PythonModule(BaseModule):
    """Base class of modules without parameters; subclasses define ``forward`` and others.

    Args:
        data_names: Names of the inputs.
        label_names: Names of the labels, or None.
        output_names: Names of the outputs.
        logger: Logger for messages.
    """

    def __init__(
        self,
        data_names: Sequence[str],
        label_names: Sequence[str] | None,
        output_names: Sequence[str],
        logger: Any = logging,
    ) -> None:
        super().__init__(logger=logger)
        self._data_names = list(data_names)
        self._label_names = None if label_names is None else list(label_names)
        self._output_names = list(output_names)
        self._data_shapes: Any = None
        self._label_shapes: Any = None
        self._output_shapes: Any = None

    @property
    def data_names(self) -> list[str]:
        """Names of the inputs."""
        return self._data_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> Any:
        """Names and shapes of the inputs."""
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        """Names and shapes of the labels."""
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        return self._output_shapes

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return empty dictionaries: there are no parameters."""
        return {}, {}

    def init_params(
        self,
        initializer: Any = None,  # noqa: ARG002
        arg_params: Mapping[str, NDArray] | None = None,  # noqa: ARG002
        aux_params: Mapping[str, NDArray] | None = None,  # noqa: ARG002
        allow_missing: bool = False,  # noqa: ARG002
        force_init: bool = False,  # noqa: ARG002
        allow_extra: bool = False,  # noqa: ARG002
    ) -> None:
        """Do nothing: there is nothing to initialize."""
        self.params_initialized = True

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,  # noqa: ARG002  # nothing to share
        grad_req: Any = "write",
    ) -> None:
        """Store the input shapes; see :meth:`BaseModule.bind`.

        Raises:
            NamesError: Names of the data differ from those of the module.
            ArgumentError: ``grad_req`` is not ``"write"``.
        """
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if grad_req != "write":
            raise ArgumentError(f"Python module only support write gradient, not {grad_req!r}")
        names = [shape[0] for shape in data_shapes]
        if names != self._data_names:
            raise NamesError(f"data_shapes has the names {names}, the module {self._data_names}")
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._data_shapes, self._label_shapes = data_shapes, label_shapes
        # Last: subclasses compute them from the shapes and the mode above.
        self._output_shapes = self._compute_output_shapes()
        self.binded = True

    def _compute_output_shapes(self) -> Any:
        """Return names and shapes of the outputs; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define _compute_output_shapes")

    def init_optimizer(
        self,
        kvstore: Any = "local",  # noqa: ARG002
        optimizer: Any = "sgd",  # noqa: ARG002
        optimizer_params: Any = (("learning_rate", 0.01),),  # noqa: ARG002
        force_init: bool = False,  # noqa: ARG002
    ) -> None:
        """Do nothing: there is nothing to update."""
        self.optimizer_initialized = True

    def update(self) -> None:
        """Do nothing: there is nothing to update."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels and the last outputs.

        Raises:
            ArgumentError: ``pre_sliced`` is True.
        """
        if self._label_shapes is None:
            return  # no metric can be had without labels
        if pre_sliced:
            raise ArgumentError("PythonModule does not support labels that are split by device")
        eval_metric.update_dict(
            dict(zip(self._label_names or [], labels, strict=True)),
            dict(zip(self._output_names, self.get_outputs(), strict=True)),
        )


class PythonLossModule(PythonModule):
    """Loss module: returns its input as output, and computes the gradient by a function.

    Args:
        name: Prefix of the output's name.
        data_names: Name of the input, in a list.
        label_names: Name of the label, in a list.
        logger: Logger for messages.
        grad_func: Function of scores and labels that returns the gradient of the scores; subclasses
            may define ``_backward_impl`` instead.

    Raises:
        ArgumentError: There are several inputs or labels, or ``grad_func`` is not callable.

    Example:
        >>> import mxnet as mx
        >>> loss = mx.mod.PythonLossModule(grad_func=lambda scores, labels: scores - labels)
        >>> loss.bind([("data", (2,))], [("softmax_label", (2,))])
        >>> batch = mx.io.DataBatch([mx.nd.array([3, 5])], [mx.nd.array([1, 1])])
        >>> loss.forward(batch)
        >>> loss.backward()
        >>> loss.get_input_grads()[0].asnumpy()
        array([2., 4.], dtype=float32)
    """

    def __init__(
        self,
        name: str = "pyloss",
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] = ("softmax_label",),
        logger: Any = logging,
        grad_func: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        super().__init__(data_names, label_names, [f"{name}_output"], logger=logger)
        self._name = name
        if len(data_names) != 1 or len(label_names) != 1:
            raise ArgumentError(
                f"PythonLossModule has one input and one label, not {list(data_names)} and "
                f"{list(label_names)}"
            )
        if grad_func is not None and not callable(grad_func):
            raise ArgumentError(f"PythonLossModule: grad_func={grad_func!r} must be callable")
        self._scores: Any = None
        self._labels: Any = None
        self._scores_grad: Any = None
        self._grad_func = grad_func

    def _compute_output_shapes(self) -> Any:
        return [(f"{self._name}_output", self._data_shapes[0][1])]

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Store the scores and, in training mode, the labels."""
        self._scores = data_batch.data[0]
        if self.for_training if is_train is None else is_train:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the scores."""
        check_module(merge_multi_context, "PythonLossModule runs on one device only")
        return [self._scores]

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradient of the scores."""
        check_module(out_grads is None, "For a loss module, out_grads should be None")
        check_module(self.for_training, "re-bind with for_training=True to run backward")
        self._backward_impl()

    def _backward_impl(self) -> None:
        """Set ``_scores_grad``; subclasses may override it."""
        if self._grad_func is None:
            raise NotImplementedError(
                f"{type(self).__name__}: give grad_func, or define _backward_impl"
            )
        grad = self._grad_func(self._scores, self._labels)
        self._scores_grad = grad if isinstance(grad, NDArray) else nd.array(grad)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradient of the scores."""
        check_module(merge_multi_context, "PythonLossModule runs on one device only")
        return [self._scores_grad]

    def install_monitor(self, mon: Any) -> None:
        """Raise an error: there is no executor."""
        raise NotImplementedError(
            "PythonLossModule has no executor that a monitor could watch; install it on the module "
            "that computes the scores"
        )
