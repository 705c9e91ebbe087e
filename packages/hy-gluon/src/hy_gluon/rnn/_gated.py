"""GatedStep: step of cells whose gates add a product of the input and one of the state."""

from typing import Any

from hy_gluon.rnn.recurrent import HybridRecurrentCell


class GatedStep(HybridRecurrentCell):
    """Step from products, dense or convolutions, of the input and of the first state."""

    def _hy_products(
        self, F: Any, inputs: Any, state: Any, weights: tuple[Any, Any], biases: tuple[Any, Any]
    ) -> tuple[Any, Any]:
        """Return the products of input and state with their weights, plus biases."""
        raise NotImplementedError

    def _hy_step(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        """Return output and states from the products."""
        raise NotImplementedError

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Return output and states after one step."""
        weights, biases = (i2h_weight, h2h_weight), (i2h_bias, h2h_bias)
        i2h, h2h = self._hy_products(F, inputs, states[0], weights, biases)
        return self._hy_step(F, i2h, h2h, states)
