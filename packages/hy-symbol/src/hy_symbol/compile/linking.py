"""Linking: the kernels of a plan, looked up once, and the names that code has for them."""

from collections.abc import Callable
from math import prod
from typing import Any

from hy_ndarray import Kernel, KernelFunction, random
from hy_ndarray.devices import observing
from hy_symbol.compile.fusing import Group, has_kernel
from hy_symbol.compile.plan import Plan
from hy_symbol.graph.node import Node
from hy_symbol.regions.region import kernel_of

__all__ = ["Linked"]


class Linked:
    """The kernels of a plan's steps; every way to run it shares them.

    Args:
        plan: The plan.

    Raises:
        KernelError: The device's tables lack a kernel.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.scope: dict[str, Any] = {
            "__name__": "hy_symbol.runtime.program",  # numpy's warnings are told apart by module
            "device": plan.device.handle,
            "rng": self._random(),
            "write": plan.device.write,
        }
        """What code refers to, by name: kernels, constants and parameters."""
        self.kernels: dict[str, tuple[list[Node], KernelFunction]] = {}
        """By name in the code: the nodes a kernel computes, and the kernel."""
        self.bound: set[str] = set()
        """Kernels that are for their parameters alone, and are not given any."""
        self.threaded = False
        """Whether a kernel works in parts."""
        for unit in plan.units:
            if unit.group is not None:
                self._link_group(unit.group)
            elif unit.how not in ("view", "same"):
                self._link_step(unit.steps[0])

    def _random(self) -> Callable[[], Any]:
        device = self.plan.device
        return lambda: random.generator(device)

    def _link_step(self, k: int) -> None:
        node = self.plan.steps[k]
        op = node.op
        assert op is not None
        record = self.plan.device.kernels.record(op.kernel) if has_kernel(op) else None
        function = self._specialized(node, record)
        if function is None:
            kernel = kernel_of(node, self.plan.device, is_train=self.plan.is_train)
            function = observing.unwrap(kernel)
        else:
            self.bound.add(f"k{k}")
        self._add(f"k{k}", [node], function, record)

    def _link_group(self, group: Group) -> None:
        table, steps = self.plan.device.fuses, self.plan.steps
        assert table is not None
        record = table.fuse(group.as_data(steps))
        name = f"f{group.steps[-1]}"
        self._add(name, [steps[k] for k in group.steps], record.function, record)

    def _specialized(self, node: Node, record: Kernel | None) -> KernelFunction | None:
        """The function for this very step, where types are known and its kernel has one."""
        if record is None or record.specialize is None or self.plan.types is None:
            return None
        types = [self.plan.types.whole(entry) for entry in node.inputs]
        if None in types:
            return None
        return record.specialize(node.operands(types), node.params)

    def _add(
        self, name: str, nodes: list[Node], function: KernelFunction, record: Kernel | None
    ) -> None:
        self.kernels[name] = nodes, function
        self.scope[name] = function
        if record is not None and record.threads is not None and not self.threaded:
            self.threaded = any(self._largest(node) >= record.threads for node in nodes)

    def _largest(self, node: Node) -> int:
        """Elements of the largest operand or result; 0 where types are not known."""
        types = self.plan.types
        if types is None:
            return 0
        entries = [*node.inputs, *((node, i) for i in range(node.num_outputs))]
        shapes = [types.shape(entry) or (0,) for entry in entries]
        return max(prod(n or 0 for n in shape) for shape in shapes)
