"""NetWithLoss: a net and its loss as one block, traced as one graph."""

from collections.abc import Callable
from typing import Any

from hy_gluon.block import HybridBlock

__all__ = ["NetWithLoss", "run_with_loss"]


def run_with_loss(
    net: Callable[..., Any], loss: Callable[..., Any], data: Any, labels: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Return the loss and the prediction.

    Args:
        net: Takes the data: one array, or as many as a list or tuple holds.
        loss: Takes the prediction, then the labels.
        data: The data.
        labels: The labels.
    """
    prediction = net(*data) if isinstance(data, list | tuple) else net(data)
    return loss(prediction, *labels), prediction


class NetWithLoss(HybridBlock):
    """Block that computes a loss, and with ``outputs`` the prediction as well.

    Args:
        net: The net.
        loss: What is called with the prediction and the labels.
        outputs: Whether predictions are returned.

    Raises:
        StructureError: The net, or a loss that is a block, is no HybridBlock.
    """

    def __init__(self, net: HybridBlock, loss: Callable[..., Any], outputs: bool) -> None:
        # An empty prefix, so that parameters keep their names.
        super().__init__(prefix="")
        self.net = net
        self.loss = loss
        self._outputs = outputs

    def forward(self, data: Any, *labels: Any) -> Any:
        """Return a list of losses, then on request a list of predictions."""
        loss, prediction = run_with_loss(self.net, self.loss, data, labels)
        losses = [*loss] if isinstance(loss, list | tuple) else [loss]
        if not self._outputs:
            # Two lists, so that the formats tell how many losses there are.
            return [losses, []]
        several = isinstance(prediction, list | tuple)
        return [losses, [*prediction] if several else [prediction]]
