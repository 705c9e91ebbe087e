"""Linking: looks up the kernels of a plan, and names them for the generated code."""

import builtins
from copy import copy
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

from hy_ndarray import Device, Kernel, KernelFunction, random
from hy_ndarray.devices import instrumentation
from hy_symbol.compile.fusing import Group, has_kernel
from hy_symbol.compile.plan import Plan
from hy_symbol.graph.node import Node
from hy_symbol.graph.rewriting import outputs_of
from hy_symbol.infer.engine import Types
from hy_symbol.regions.running import kernel_of

__all__ = ["Linked", "LinkedStep", "is_threaded", "linked_step"]


class LinkedStep(NamedTuple):
    """Kernel of a node."""

    function: KernelFunction
    bound: bool
    """Whether the parameters are bound into the function, which then takes operands only."""
    record: Kernel | None
    """The kernel table's record; None for custom operators, loops and regions."""


def linked_step(node: Node, device: Device, types: Types | None, *, is_train: bool) -> LinkedStep:
    """Return a node's kernel, specialised for the node's types if they are known.

    Raises:
        KernelError: The device's tables lack the kernel.
    """
    op = node.op
    assert op is not None
    record = device.kernels.record(op.kernel) if has_kernel(op) else None
    # A kernel is specialized for whole types alone: a size that is not known may be any.
    if record is not None and record.specialize is not None and types is not None:
        whole = [types.whole(entry) for entry in node.inputs]
        specialized = (
            None if None in whole else record.specialize(node.operands(whole), node.params)
        )
        if specialized is not None:
            return LinkedStep(specialized, bound=True, record=record)
    kernel = kernel_of(node, device, is_train=is_train)
    return LinkedStep(instrumentation.unwrap(kernel), bound=False, record=record)


def is_threaded(node: Node, record: Kernel | None, types: Types | None) -> bool:
    """Return whether a node's kernel is multi-threaded for operands of the sizes in ``types``."""
    if record is None or record.threads is None or types is None:
        return False
    entries = (*node.inputs, *outputs_of(node))
    return any(map(types.have_elements, entries, repeat(record.threads)))


class Linked:
    """Kernels of a plan's steps, shared by all programs of the plan.

    Args:
        plan: The plan.

    Raises:
        KernelError: The device's tables lack a kernel.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.scope: dict[str, Any] = {
            "__builtins__": builtins.__dict__,  # C code, as torch's, imports by it
            "__name__": "hy_symbol.execution.program",  # by which numpy counts warnings
            "device": plan.device.handle,
            "rng": partial(random.generator, plan.device),
            "write": plan.device.write,
        }
        """Globals of the generated code: kernels, constants, parameters, and shapes of views."""
        self.kernels: dict[str, tuple[list[Node], KernelFunction]] = {}
        """The nodes that a kernel computes, and the kernel, by its name in the code."""
        self.bound: set[str] = set()
        """Names of kernels with bound parameters, which take operands only."""
        self.threaded = False
        """Whether any kernel is multi-threaded."""
        self.by_params: set[int] = set()
        """Steps that also have a fast path: bound parameters, and no out buffer."""
        self.sized: list[int] = []
        """Steps whose kernel, or its use of threads, depends on sizes."""
        for unit in plan.units:
            if unit.group is not None:
                self._link_group(unit.group)
            elif unit.how == "view":
                self._link_view(unit.steps[0])
            elif unit.how != "same":
                self._link_step(unit.steps[0])

    def like(self, plan: Plan) -> "Linked | None":
        """Return the kernels for a plan of the same structure, None if it must be linked."""
        if any(unit.group is not None for unit in plan.units):
            return None
        linked = copy(self)
        linked.plan, linked.scope = plan, self.scope.copy()
        linked.kernels, linked.bound, linked.sized = self.kernels.copy(), set(), []
        linked.threaded = False
        linked.scope.update({name: kernel for name, (_, kernel) in self.kernels.items()})
        for unit in plan.units:
            if unit.how == "view":
                linked._link_view(unit.steps[0])
        for k in self.sized:
            linked._link_step(k)
        return linked if linked.bound == self.bound else None

    def _link_view(self, k: int) -> None:
        # The shape is not in the text, which is the same for other sizes.
        assert self.plan.types is not None
        self.scope[f"s{k}"] = self.plan.types.shape((self.plan.steps[k], 0))

    def _link_step(self, k: int) -> None:
        plan, name = self.plan, f"k{k}"
        node = plan.steps[k]
        step = linked_step(node, plan.device, plan.types, is_train=plan.is_train)
        if step.bound:
            self.bound.add(name)
        record = step.record
        # All other kernels are the same function for all sizes, so that `like` takes them over.
        if record is not None and not (record.specialize is None and record.threads is None):
            self.sized.append(k)
        self._add_kernel(name, [node], step.function, step.record)
        bound = None if step.bound else self._fast_path(node, record)
        if bound is not None:
            self.by_params.add(k)
            self._add_kernel(f"b{k}", [node], bound, record)

    def _fast_path(self, node: Node, record: Kernel | None) -> KernelFunction | None:
        """Return the kernel specialised for the node's parameters, as in eager calls; else None."""
        op, plan = node.op, self.plan
        assert op is not None
        if record is None or record.specialize is None or not node.inputs:
            return None
        if plan.device.captures is not None:  # nobody captures eager calls
            return None
        shows_one = not plan.is_train and node.num_visible == 1
        if not op.plain and (not shows_one or op.updated(node.params, False)):
            return None
        return record.specialize(None, node.params)

    def _link_group(self, group: Group) -> None:
        table, steps = self.plan.device.fuses, self.plan.steps
        assert table is not None
        record = table.fuse(group.as_data(steps))
        name = f"f{group.steps[-1]}"
        self._add_kernel(name, [steps[k] for k in group.steps], record.function, record)

    def _add_kernel(
        self, name: str, nodes: list[Node], function: KernelFunction, record: Kernel | None
    ) -> None:
        self.kernels[name] = nodes, function
        self.scope[name] = function
        # A program with one threaded kernel runs as a task of the pool, in which BLAS has one
        # thread.
        if not self.threaded:
            types = self.plan.types
            self.threaded = any(is_threaded(node, record, types) for node in nodes)
