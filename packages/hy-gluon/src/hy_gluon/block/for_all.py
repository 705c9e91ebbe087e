"""ForAllParameters: MXNet 2's methods of blocks that change all parameters."""

from typing import Any

from hy_gluon.parameter import ParameterDict
from hy_ndarray import Context
from hy_ndarray.devices.device_argument import all_take_device

__all__ = ["ForAllParameters"]


@all_take_device
class ForAllParameters:
    """Mixin of blocks with methods that change all parameters."""

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of the block and its children."""
        raise NotImplementedError

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute of all parameters, such as ``grad_req``.

        Args:
            name: Name of the attribute.
            value: Value of the attribute.

        Example:
            >>> from hy_gluon import nn
            >>> net = nn.Dense(2, in_units=3)
            >>> net.setattr("grad_req", "null")
            >>> net.weight.grad_req
            'null'
        """
        self.collect_params().setattr(name, value)

    def zero_grad(self) -> None:
        """Set the gradients of all parameters to 0."""
        self.collect_params().zero_grad()

    def reset_ctx(self, ctx: Context | list[Context]) -> None:
        """Move all parameters to other contexts; see :meth:`Parameter.reset_ctx`."""
        self.collect_params().reset_ctx(ctx)

    def reset_device(self, device: Context | list[Context]) -> None:
        """Move all parameters to other contexts; another name of :meth:`reset_ctx` (MXNet 2)."""
        self.reset_ctx(device)
