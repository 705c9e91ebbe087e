"""NetWithLoss: a net and its loss as one block, to be traced as one graph."""

from collections.abc import Callable
from typing import Any

from hy_gluon._errors import StructureError
from hy_gluon.block import Block, HybridBlock

__all__ = ["NetWithLoss", "run_with_loss", "traceable"]


def run_with_loss(
    net: Callable[..., Any], loss: Callable[..., Any], data: Any, labels: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Return the loss and the prediction of a net for a batch.

    Args:
        net: Called with ``data``, or with its items if ``data`` is a list or tuple.
        loss: Called with the prediction, then the labels.
        data: Input array, or a list or tuple of input arrays.
        labels: Further arguments of ``loss``.
    """
    prediction = net(*data) if isinstance(data, list | tuple) else net(data)
    return loss(prediction, *labels), prediction


class NetWithLoss(HybridBlock):
    """Block that returns the loss of a net, and its prediction if ``outputs`` is true.

    Args:
        net: The net.
        loss: Called with the prediction and the labels.
        outputs: Return the predictions, too.

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
        """Return a list of losses and a list of predictions, empty unless ``outputs``."""
        loss, prediction = run_with_loss(self.net, self.loss, data, labels)
        losses = [*loss] if isinstance(loss, list | tuple) else [loss]
        if not self._outputs:
            # Two lists, so that the formats tell how many losses there are.
            return [losses, []]
        several = isinstance(prediction, list | tuple)
        return [losses, [*prediction] if several else [prediction]]


def traceable(
    net: Block, loss: Callable[..., Any], outputs: bool
) -> tuple[NetWithLoss | None, str | None]:
    """Return net and loss as one block, or the reason why they cannot be traced together."""
    if not isinstance(net, HybridBlock):
        return None, f"{net.name} is a {type(net).__name__}, and no HybridBlock"
    try:
        return NetWithLoss(net, loss, outputs), None
    except StructureError as error:
        return None, str(error)
