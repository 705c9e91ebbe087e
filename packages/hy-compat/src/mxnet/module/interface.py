"""Interface of modules: attributes, and methods of all kinds of modules."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon.files import load, save
from hy_gluon.initializer import Uniform
from hy_ndarray import ArgumentError, NDArray
from hy_ndarray.suggestion import Suggesting
from hy_symbol import Symbol
from mxnet.module.errors import check_module

__all__ = ["ModuleInterface"]


class ModuleInterface(Suggesting):
    """Interface of modules: computations with parameters that are bound and trained.

    Args:
        logger: Logger for messages, or the module ``logging``.
    """

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = False
        """Whether there are executors."""
        self.for_training = False
        self.inputs_need_grad = False
        self.params_initialized = False
        self.optimizer_initialized = False
        self._symbol: Symbol | None = None
        self._total_exec_bytes = 0

    # --- what it is made of -----------------------------------------------------------------

    @property
    def symbol(self) -> Symbol | None:
        """Graph, or None if there is no single one."""
        return self._symbol

    @property
    def data_names(self) -> Sequence[str]:
        """Names of the inputs."""
        raise self._hy_undefined("data_names")

    @property
    def output_names(self) -> Sequence[str]:
        """Names of the outputs."""
        raise self._hy_undefined("output_names")

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the inputs."""
        raise self._hy_undefined("data_shapes")

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels, or None."""
        raise self._hy_undefined("label_shapes")

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        raise self._hy_undefined("output_shapes")

    def _hy_undefined(self, name: str) -> NotImplementedError:
        return NotImplementedError(
            f"{type(self).__name__} does not define {name}; define it, or use mx.mod.Module"
        )

    # --- parameters -------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states by name."""
        raise self._hy_undefined("get_params")

    def init_params(
        self,
        initializer: Any = Uniform(0.01),  # noqa: B008  # MXNet's default; it keeps nothing
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters.

        Args:
            initializer: Initializer of values that are not given: an initializer, a name, or a
                function of a name and an array.
            arg_params: Values of parameters by name.
            aux_params: Values of auxiliary states by name.
            allow_missing: Whether to use the initializer for names missing in ``arg_params`` or
                ``aux_params``.
            force_init: Initialize parameters even if they have values.
            allow_extra: Whether to ignore names that the module does not have.
        """
        raise self._hy_undefined("init_params")

    def set_params(
        self,
        arg_params: Mapping[str, NDArray] | None,
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set parameters and auxiliary states; see the arguments of :meth:`init_params`."""
        self.init_params(
            initializer=None,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
            allow_extra=allow_extra,
        )

    def save_params(self, fname: str) -> None:
        """Write parameters and auxiliary states to a file, atomically."""
        arg_params, aux_params = self.get_params()
        arrays = {f"arg:{name}": array for name, array in arg_params.items()}
        arrays.update({f"aux:{name}": array for name, array in aux_params.items()})
        save(fname, arrays)

    def load_params(self, fname: str) -> None:
        """Set parameters and auxiliary states from a file.

        Raises:
            FileFormatError: The file is damaged.
            ArgumentError: An array's name begins neither with ``arg:`` nor with ``aux:``.
        """
        stored = load(fname)
        if not isinstance(stored, dict):
            raise ArgumentError(f"{fname}: holds arrays without names, not parameters")
        params: dict[str, dict[str, NDArray]] = {"arg": {}, "aux": {}}
        for name, array in stored.items():
            kind, _, rest = name.partition(":")
            # Arrays without such a prefix are those of another kind of file.
            if kind not in params or not rest:
                raise ArgumentError(
                    f"Invalid param file {fname}: '{name}' must begin with arg: or aux:"
                )
            params[kind][rest] = array
        self.set_params(params["arg"], params["aux"])

    # --- states -----------------------------------------------------------------------------

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the states; by default, an empty list."""
        self._hy_check_ready()
        check_module(not merge_multi_context, "a module without states has none to merge")
        return []

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Set the states; by default, raise an error if any are given."""
        self._hy_check_ready()
        check_module(not states and not value, f"{type(self).__name__} has no states")

    def _hy_check_ready(self) -> None:
        check_module(
            self.binded and self.params_initialized, "call bind and init_params before that"
        )

    # --- binding and running ----------------------------------------------------------------

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
        """Create executors for given input shapes.

        Args:
            data_shapes: Descriptions (or names and shapes) of the inputs of whole batches.
            label_shapes: Descriptions of the labels; None if there are no labels.
            for_training: Whether to compute gradients.
            inputs_need_grad: Whether to compute gradients of the inputs, too.
            force_rebind: Whether to replace existing executors.
            shared_module: A module whose parameters are shared.
            grad_req: ``"write"``, ``"add"`` or ``"null"``: one for all, a list, or by name.
        """
        raise self._hy_undefined("bind")

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Create the optimizer.

        Args:
            kvstore: Parameter store, its type, or None.
            optimizer: An optimizer, or its name.
            optimizer_params: Arguments of the optimizer, by name or as pairs.
            force_init: Whether to replace an existing optimizer.
        """
        raise self._hy_undefined("init_optimizer")

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Prepare for a future batch; called by :meth:`fit` in advance.

        Args:
            data_batch: The batch.
            sparse_row_id_fn: Has no effect, because every device has all rows of sparse parameters.
        """

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Run the forward pass on a batch, by default in the mode given to :meth:`bind`."""
        raise self._hy_undefined("forward")

    def backward(self, out_grads: Any = None) -> None:
        """Run the backward pass; gradients of outputs are required unless these are losses."""
        raise self._hy_undefined("backward")

    def forward_backward(self, data_batch: Any) -> None:
        """Run the forward pass in training mode, and the backward pass."""
        self.forward(data_batch, is_train=True)
        self.backward()

    def update(self) -> None:
        """Update the parameters by the optimizer, from the last gradients."""
        raise self._hy_undefined("update")

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the last forward pass, concatenated over devices or by device."""
        raise self._hy_undefined("get_outputs")

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the inputs, concatenated over devices or by device."""
        raise self._hy_undefined("get_input_grads")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels (per device if ``pre_sliced``) and the last outputs."""
        raise self._hy_undefined("update_metric")

    def install_monitor(self, mon: Any) -> None:
        """Install a :class:`mxnet.monitor.Monitor` on the executors."""
        raise self._hy_undefined("install_monitor")
