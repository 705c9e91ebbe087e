"""Shape and dtype inference over a graph, in both directions, to a fixed point."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain, repeat

from hy_ndarray import DTypeError, HyError, ShapeError
from hy_ndarray.ops import PartialShape, TensorType, merge_shapes
from hy_symbol.graph.control import BODY_RULES
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import outputs_of
from hy_symbol.infer.inference_cache import InferenceCache, Known
from hy_symbol.infer.known import UNKNOWN, KnownTypes
from hy_symbol.infer.mxnet_rules import failure_of, known_forward, mxnet_types

__all__ = ["Known", "Solver", "Types", "infer_types", "types_of", "visit"]


class Types(KnownTypes):
    """Known and inferred types of all entries of a graph.

    Args:
        graph: The graph.
        shapes: Whether shapes are inferred; if not, they stay unknown.
        dtypes: Whether dtypes are inferred.
        as_mxnet: Whether MXNet's rules are used; see :func:`infer_types`.
        inference_cache: Cached results of type rules, from this or other graphs.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        shapes: bool = True,
        dtypes: bool = True,
        as_mxnet: bool = False,
        inference_cache: InferenceCache | None = None,
    ) -> None:
        super().__init__(graph)
        self.of_shapes = shapes
        self.of_dtypes = dtypes
        self.as_mxnet = as_mxnet
        self._replaced: set[tuple[Node, Entry]] = set()
        self._bodies: dict[Entry, Solver] = {}
        self._failures: dict[Node, HyError] = {}
        self.inference_cache = InferenceCache() if inference_cache is None else inference_cache

    def set(self, entry: Entry, shape: PartialShape | None, dtype: str | None) -> bool:
        """Record the shape and dtype of an entry; return whether anything changed.

        Facts are merged with known ones, except that MXNet's rules overwrite shapes
        (:meth:`replaces`).
        """
        shape = shape if self.of_shapes else None
        dtype = dtype if self.of_dtypes else None
        old = self._known.get(entry, UNKNOWN)
        if old == (shape, dtype):
            return False
        # MXNet's rules return complete new types, merged or overwritten by themselves.
        if old is not UNKNOWN and not self.as_mxnet:
            shape, dtype = merge_shapes(old[0], shape), dtype or old[1]
            if old == (shape, dtype):
                return False
        self._known[entry] = (shape, dtype)
        return True

    def body(self, node: Node, k: int, graph: Graph) -> "Solver":
        """Return the solver for body ``k`` of a node, created on first use."""
        solver = self._bodies.get((node, k))
        if solver is None:
            solver = self._bodies[node, k] = Solver(self._for_graph(graph))
        return solver

    @property
    def failure(self) -> HyError | None:
        """Return the error of a custom operator's rule that lacks types, None if there is none."""
        inside = (solver.types.failure for solver in self._bodies.values())
        return next(chain(self._failures.values(), filter(None, inside)), None)

    def note_failure(self, node: Node, failure: HyError | None) -> None:
        """Record, or with None clear, the error of a node's rule that lacks types."""
        if failure is not None:
            self._failures[node] = failure
        elif self._failures:
            self._failures.pop(node, None)

    def replaces(self, entry: Entry, shape: PartialShape | None, by: Node) -> bool:
        """Return whether ``shape`` contradicts the known one, and ``by`` has overwritten it before.

        MXNet's rules may overwrite a shape, but each node may do so only once per entry, so that
        inference ends where two nodes disagree.
        """
        old = self.shape(entry)
        if old is None or (shape is not None and _refines(old, shape)):
            return False
        # Without this limit, two rules that disagree would overwrite each other forever.
        key = (by, entry)
        before = key in self._replaced
        self._replaced.add(key)
        return before

    def extended(self, graph: Graph) -> "Types":
        """Return the types of a rewritten graph.

        Types of entries that both graphs share are kept; the others are inferred.

        Raises:
            ShapeError, DTypeError: Types contradict each other; names the node.
        """
        types = self._for_graph(graph)
        due = []
        known, of_body = self._known, types._known
        # One walk without a solver or sets of nodes, as every pass that changes a graph calls this.
        for node in graph.nodes:
            complete = True
            for entry in outputs_of(node):
                if entry in known:
                    of_body[entry] = known[entry]
                else:
                    complete = False
            if not complete and node.op is not None:
                due.append(node)
        return types.solved(due)

    def solved(self, due: Iterable[Node]) -> "Types":
        """Return the types after applying the rules of ``due``, nodes in topological order.

        Raises:
            ShapeError, DTypeError: Types contradict each other; names the node.
        """
        if self.as_mxnet:
            due = list(due)
            flown = known_forward(due, self._known, shapes=self.of_shapes)
            if flown is None:
                return Solver(self, due).solve()
            self._known = flown
            return self
        # Most graphs can be inferred in one forward sweep: a solver with its heaps and table of
        # users is built only for the rest.
        left = [node for node in due if self.forward(node) is None]
        if any(node.bodies for node in left):
            return Solver(self, left).solve()
        learned: dict[Entry, Node] = {}  # of inputs, which tells those in front more
        for node in left:
            # Later nodes of the sweep see its outputs anyway; only inputs concern earlier nodes.
            learned.update((entry, node) for entry in visit(node, self) if entry[0] is not node)
        if not learned:
            return self
        solver, ahead = Solver(self, ()), set(left)
        for entry, node in learned.items():
            solver.note(entry, by=node, ahead=ahead)
        return solver.solve()

    def copied(self, graph: Graph) -> "Types":
        """Return the types for a graph of the same structure and node types."""
        types = self._for_graph(graph)
        known, of_body = self._known, types._known
        for old, node in zip(self.graph.nodes, graph.nodes, strict=True):
            for i, entry in enumerate(outputs_of(node)):
                if (old, i) in known:
                    of_body[entry] = known[old, i]
        return types

    def with_types(self, more: Mapping[Entry, Known]) -> "Types":
        """Return the types extended by those of further entries."""
        types = self._for_graph(self.graph)
        types._known = {**self._known, **more}
        return types

    def _for_graph(self, graph: Graph) -> "Types":
        """Return empty types of another graph with the same inference settings."""
        return Types(
            graph,
            shapes=self.of_shapes,
            dtypes=self.of_dtypes,
            as_mxnet=self.as_mxnet,
            inference_cache=self.inference_cache,
        )

    def forward(self, node: Node) -> list[Entry] | None:
        """Infer a node's outputs from its inputs if all are known; return the outputs.

        Fast path for most nodes. None if it does not apply, and the node needs :func:`visit`.
        """
        op = node.op
        if op is None or node.bodies or self.as_mxnet or (node, 0) in self._known:
            return None
        known = self._known
        inputs = [known.get(entry, UNKNOWN) for entry in node.inputs]
        try:
            answer = self.inference_cache.cached_types(node, inputs)
        except HyError as error:
            _locate(error, node)
            raise
        if answer is None:
            return None
        entries = outputs_of(node)
        known.update(zip(entries, answer, strict=True))
        self.note_failure(node, None)
        return entries


def _refines(old: PartialShape, new: PartialShape) -> bool:
    return len(old) == len(new) and all(a in (None, b) for a, b in zip(old, new, strict=True))


class Solver:
    """Worklist solver: applies the nodes' type rules until no type changes.

    A node is visited again when the type of an input or output has become known, as many rules also
    infer inputs from outputs. Sweeps alternate between forward and backward topological order, so
    that a visit usually sees all that is new at once.

    Args:
        types: The known types, which the solver extends.
        due: The nodes to visit; all if None.
    """

    def __init__(self, types: Types, due: Iterable[Node] | None = None) -> None:
        self.types = types
        self._nodes = [node for node in types.graph.nodes if node.op is not None]
        self._positions = {node: i for i, node in enumerate(self._nodes)}
        self._users: dict[Entry, list[int]] = {}
        # A table of users once, as the graph's own walk for each entry would be quadratic.
        for i, node in enumerate(self._nodes):
            for source, output in node.inputs:
                self._users.setdefault((source, output), []).append(i)
        count = len(self._nodes)
        self._forward_queue = (
            [*range(count)] if due is None else sorted(self._positions[x] for x in due)
        )
        """Heap of the positions of nodes to visit in the current sweep."""
        self._backward_queue: list[int] = []
        """Positions of nodes to visit in the next sweep, in the other direction."""
        self._is_due = bytearray(count)
        for i in self._forward_queue:
            self._is_due[i] = True

    def record(self, entry: Entry, shape: PartialShape | None, dtype: str | None) -> None:
        """Record a fact about an entry from outside the graph.

        Raises:
            ShapeError, DTypeError: The fact contradicts what is known already.
        """
        known = TensorType(*self.types.get(entry))
        known.set_shape(shape)
        known.set_dtype(dtype)
        if not self.types.set(entry, known.shape, known.dtype):
            return
        self.note(entry)

    def note(
        self, entry: Entry, by: Node | None = None, ahead: Collection[Node] = frozenset()
    ) -> None:
        """Mark an entry as changed, so that its producer and users are visited.

        Args:
            entry: The entry.
            by: The node whose rule inferred it, if any.
            ahead: Nodes that need no visit if they come after ``by``, as they have been visited
                since.
        """
        first = -1 if by is None else self._positions[by]
        for i in self._readers(entry):
            settled = i == first or (i > first >= 0 and self._nodes[i] in ahead)
            if not settled and not self._is_due[i]:
                self._is_due[i] = True
                heappush(self._forward_queue, i)

    def solve(self) -> Types:
        """Visit all marked nodes until none is left.

        Raises:
            ShapeError: Shapes contradict each other; the message names the node.
            DTypeError: Dtypes contradict each other; the message names the node.
        """
        sign = 1  # the heap holds positions times it: going backward, the last is the least
        while self._forward_queue:
            while self._forward_queue:
                i = sign * heappop(self._forward_queue)
                self._is_due[i] = False
                for j in self._visited(i):
                    if self._is_due[j]:
                        continue
                    self._is_due[j] = True
                    if sign * (j - i) > 0:
                        heappush(self._forward_queue, sign * j)
                    else:
                        self._backward_queue.append(-sign * j)
            sign = -sign
            self._forward_queue, self._backward_queue = self._backward_queue, self._forward_queue
            heapify(self._forward_queue)
        return self.types

    def _visited(self, i: int) -> list[int]:
        """Visit a node; return the positions of the nodes that read entries that have changed."""
        node = self._nodes[i]
        readers_left: list[int] = []
        for entry in visit(node, self.types):
            # Visiting the node again would give the same result, except where bodies inform each
            # other, or where MXNet's rules depend on what was known of the inputs.
            settled = entry[0] is node or not self.types.as_mxnet
            readers = self._readers(entry)
            readers_left += (
                [j for j in readers if j != i] if settled and not node.bodies else readers
            )
        return readers_left

    def _readers(self, entry: Entry) -> list[int]:
        """Return the positions of an entry's users, then of its producer."""
        users = self._users.get(entry, [])
        maker = self._positions.get(entry[0])
        return users if maker is None else [*users, maker]


def infer_types(
    graph: Graph,
    shapes: Mapping[Node, PartialShape | None] | None,
    dtypes: Mapping[Node, str | None] | None,
    outputs: Sequence[Known] = (),
    *,
    as_mxnet: bool = False,
    inference_cache: InferenceCache | None = None,
) -> Types:
    """Return the types of a graph inferred from known types of some variables.

    A node's rule runs again only after an entry it reads has changed, so the cost is linear in the
    size of the graph, in whichever direction types propagate.

    Args:
        graph: The graph.
        shapes: Shapes by variable; None: do not infer shapes.
        dtypes: Dtype names by variable; None: do not infer dtypes.
        outputs: Known types of the outputs, if any.
        as_mxnet: Whether to infer as MXNet 1.9.1 does, which infers less and accepts some graphs
            that cannot run; for shapes or dtypes, not both.
        inference_cache: Cached results of type rules, from this or other graphs.

    Raises:
        ShapeError: Shapes contradict each other; the message names the node.
        DTypeError: Dtypes contradict each other; the message names the node.
    """
    assert not as_mxnet or shapes is None or dtypes is None
    wanted = {"shapes": shapes is not None, "dtypes": dtypes is not None}
    types = Types(graph, **wanted, as_mxnet=as_mxnet, inference_cache=inference_cache)
    for node in graph.variables:
        types.set((node, 0), (shapes or {}).get(node), (dtypes or {}).get(node))
    nodes = (node for node in graph.nodes if node.op is not None)
    # Without known outputs a forward sweep suffices for most graphs; see `Types.solved`.
    if not outputs:
        return types.solved(nodes)
    solver = Solver(types)
    for entry, (shape, dtype) in zip(graph.outputs, outputs, strict=False):
        solver.record(entry, shape, dtype)
    return solver.solve()


def types_of(
    graph: Graph,
    variables: Sequence[Node],
    known: Sequence[Known],
    inference_cache: InferenceCache | None = None,
) -> Types:
    """Return the types of a graph inferred from ``known``, the types of ``variables``.

    Raises:
        ShapeError, DTypeError: The types contradict each other; names the node.
    """
    pairs = list(zip(variables, known, strict=True))
    return infer_types(
        graph,
        {node: shape for node, (shape, _) in pairs},
        {node: dtype for node, (_, dtype) in pairs},
        inference_cache=inference_cache,
    )


def _operand_types(
    entries: Sequence[Entry], names: Sequence[str], types: Types
) -> list[TensorType]:
    """Return one type object per input, the same object for inputs of the same entry."""
    # Shared, so that what a rule learns of one input holds at once for the other.
    created: dict[Entry, TensorType] = {}
    types_out = []
    for entry, name in zip(entries, names, strict=True):
        t = created.get(entry)
        if t is None:
            t = created[entry] = TensorType(*types.get(entry), name=name)
        types_out.append(t)
    return types_out


def visit(node: Node, types: Types) -> list[Entry]:
    """Apply a node's type rule; return the entries whose types have changed."""
    op = node.op
    assert op is not None
    if node.bodies:
        return _visit_bodies(node, types)
    forward = types.forward(node)
    if forward is not None:
        return forward
    try:
        return _visit(node, types)
    except HyError as error:
        _locate(error, node)
        raise


def _locate(error: HyError, node: Node) -> None:
    """Add the source line that created a node as a note to an error."""
    if node.where:
        error.add_note(f"node made at {node.where}")


def _visit(node: Node, types: Types) -> list[Entry]:
    """Apply a node's rule like :func:`visit`, without the fast path."""
    if types.as_mxnet:
        return _visit_as_mxnet(node, types)
    op = node.op
    assert op is not None
    inputs = _operand_types(node.inputs, node.input_names, types)
    outputs: Sequence[TensorType] = [TensorType(*types.get(entry)) for entry in outputs_of(node)]
    operands = node.operands(inputs)
    entries = [*node.inputs, *zip(repeat(node), range(len(outputs)), strict=False)]
    news: list[Entry] = []
    learned = True
    while learned:  # from what it learned of its inputs, more may follow
        outputs = op.infer(operands, node.params, outputs, node=node.name)
        types.note_failure(node, failure_of(node, operands, outputs))
        pairs = zip(entries, [*inputs, *outputs], strict=True)
        fresh = [entry for entry, t in pairs if types.set(entry, t.shape, t.dtype)]
        learned = any(source is not node for source, _ in fresh)
        news += fresh
    return news


def _visit_as_mxnet(node: Node, types: Types) -> list[Entry]:
    """Apply MXNet's type rule of a node; return the entries whose types have changed."""
    entries = [*node.inputs, *outputs_of(node)]
    entry_types = [types.get(entry) for entry in entries]
    inferred, failure = mxnet_types(node, entry_types, shapes=types.of_shapes)
    types.note_failure(node, failure)
    fresh = [
        (entry, known)
        for entry, old, known in zip(entries, entry_types, inferred, strict=True)
        if known != old and not types.replaces(entry, known[0], node)
    ]
    return [entry for entry, known in fresh if types.set(entry, *known)]


class _Bodies:
    """Bodies of one node, for its type rule; implements :class:`.control.Inside`."""

    def __init__(self, node: Node, types: Types) -> None:
        self._node = node
        self._types = types
        self.skips_branches = types.as_mxnet and types.of_shapes

    def body(
        self, k: int, inputs: Sequence[TensorType], outputs: Sequence[TensorType] = ()
    ) -> list[TensorType]:
        graph = self._node.bodies[k]
        # The solver lives on between visits, so that a body is only solved for what is new.
        solver = self._types.body(self._node, k, graph)
        pairs = [((variable, 0), t) for variable, t in zip(graph.variables, inputs, strict=True)]
        for entry, t in (*pairs, *zip(graph.outputs, outputs, strict=False)):
            solver.record(entry, t.shape, t.dtype)
        types = solver.solve()
        for entry, t in pairs:
            t.set_shape(types.shape(entry))
            t.set_dtype(types.dtype(entry))
        return [TensorType(*types.get(entry)) for entry in graph.outputs]


def _visit_bodies(node: Node, types: Types) -> list[Entry]:
    """Infer a node from its bodies; return the entries whose types have changed."""
    op = node.op
    assert op is not None
    names = [f"input {i}" for i in range(len(node.inputs))]
    inputs = _operand_types(node.inputs, names, types)
    outputs = [TensorType(*types.get((node, i))) for i in range(node.num_outputs)]
    try:
        BODY_RULES[op.name](node, inputs, outputs, _Bodies(node, types))
    except (ShapeError, DTypeError) as error:
        explained = op.explain(error, inputs, node.name)
        for note in getattr(error, "__notes__", ()):
            explained.add_note(f"inside: {note}")
        _locate(explained, node)
        raise explained from explained.__cause__
    entries = [*node.inputs, *((node, i) for i in range(len(outputs)))]
    learned = zip(entries, [*inputs, *outputs], strict=True)
    return [entry for entry, t in learned if types.set(entry, t.shape, t.dtype)]
