"""DenseCell: base class of recurrent cells with matrix products."""

from typing import Any

from hy_gluon.nn._arguments import Init
from hy_gluon.parameter import Parameter, ParameterDict
from hy_gluon.rnn.recurrent import HybridRecurrentCell, StateInfo


class DenseCell(HybridRecurrentCell):
    """Base class of cells with one dense layer for the input and one for the state."""

    _hy_gates = 1

    def __init__(
        self,
        hidden_size: int,
        state_size: int,
        weights: tuple[Init, Init],
        biases: tuple[Init, Init],
        input_size: int,
        prefix: str | None,
        params: ParameterDict | None,
        projection: tuple[int, Init] | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_size = hidden_size
        self._input_size = input_size
        rows = self._hy_gates * hidden_size
        (i2h_weight, h2h_weight), (i2h_bias, h2h_bias) = weights, biases
        self.i2h_weight = self._hy_parameter("i2h_weight", (rows, input_size), i2h_weight)
        self.h2h_weight = self._hy_parameter("h2h_weight", (rows, state_size), h2h_weight)
        if projection is not None:
            size, h2r_weight = projection
            self.h2r_weight = self._hy_parameter("h2r_weight", (size, hidden_size), h2r_weight)
        self.i2h_bias = self._hy_parameter("i2h_bias", (rows,), i2h_bias)
        self.h2h_bias = self._hy_parameter("h2h_bias", (rows,), h2h_bias)

    def _hy_parameter(self, name: str, shape: tuple[int, ...], init: Init) -> Parameter:
        return self.params.get(name, shape=shape, init=init, allow_deferred_init=True)

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of each state."""
        return [{"shape": (batch_size, self._hidden_size), "__layout__": "NC"}]

    def _hy_products(
        self, F: Any, inputs: Any, state: Any, weights: tuple[Any, Any], biases: tuple[Any, Any]
    ) -> tuple[Any, Any]:
        """Return input and state times weights, plus biases."""
        step = self._hy_prefix
        (i2h_weight, h2h_weight), (i2h_bias, h2h_bias) = weights, biases
        rows = self._hy_gates * self._hidden_size
        i2h = F.FullyConnected(inputs, i2h_weight, i2h_bias, num_hidden=rows, name=f"{step}i2h")
        h2h = F.FullyConnected(state, h2h_weight, h2h_bias, num_hidden=rows, name=f"{step}h2h")
        return i2h, h2h

    def _hy_sizes(self) -> str:
        """Return ``input size -> rows of the weights`` for the repr."""
        shape = self.i2h_weight.shape
        assert shape is not None
        return f"{shape[1] or None} -> {shape[0]}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._hy_sizes()})"
