"""The precision pass: inserts the casts of a casting policy."""

from collections.abc import Collection, Sequence

from hy_ndarray import DTypeError
from hy_ndarray.core.casting import Casting, CastingPolicy
from hy_ndarray.ops import TensorType
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite

__all__ = ["with_precision"]

_FULL = "float32"
_KNOWN = frozenset((_FULL, "float16", "bfloat16"))


def with_precision(graph: Graph, policy: CastingPolicy, *, excluded: Collection[str] = ()) -> Graph:
    """Insert ``amp_cast`` and ``amp_multicast`` where a casting policy requires them.

    Dtypes are propagated through the graph: a value that has the required dtype already is not
    cast, and one cast serves all its users. Dtypes of variables are unknown, except that variables
    used by float32 operators are assumed to be float32.

    Ensures: all floating outputs are float32. Bodies of loops are unchanged, and their inputs
    float32.

    Args:
        graph: The graph.
        policy: Determines how the inputs of each operator are cast.
        excluded: Names of nodes that compute in float32, regardless of the policy.

    Example:
        >>> from hy_ndarray.core.casting import Casting
        >>> from hy_symbol import Symbol, sym
        >>> class Half:
        ...     def casting(self, op, inputs, params):
        ...         return Casting("float16") if op.name == "dot" else None
        ...     def gradient_scale(self, op, *, traced):
        ...         return 1.0
        >>> net = sym.relu(sym.dot(sym.var("a"), sym.var("b"), name="product"))
        >>> [node.name for node in with_precision(net.graph, Half()).nodes]  # doctest: +ELLIPSIS
        ['a', 'a_amp_cast_float16', 'b', 'b_amp_cast_float16', 'product', 'relu0', 'relu0_...']
    """
    pass_ = _Pass(policy, frozenset(excluded))
    changed = rewrite(graph, pass_.rule)
    outputs = [pass_.cast(entry, _FULL) for entry in changed.outputs]
    return Graph(tuple(outputs), changed.first)


class _Pass:
    """State of the pass: known dtypes and inserted casts."""

    def __init__(self, policy: CastingPolicy, excluded: frozenset[str]) -> None:
        self._policy = policy
        self._excluded = excluded
        self._dtypes: dict[Entry, str | None] = {}
        self._casts: dict[tuple[Entry, str], Entry] = {}

    def rule(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        """Rewriting rule: return a node's outputs, on cast inputs."""
        if node.op is None or is_op(node, "amp_cast", "amp_multicast"):
            return None
        casting = self._casting(node)
        casts = [casting is not None and name not in casting.unchanged for name in node.input_names]
        if casting is not None and casting.dtype is None:
            inputs = self._widest(node, inputs, casts, if_differing=casting.if_differing)
        elif casting is not None:
            full = casting.dtype == _FULL
            inputs = tuple(
                self.cast(entry, str(casting.dtype))
                # Variables used by float32 operators are float32: a cast would convert a parameter
                # in each run.
                if wanted and not (full and entry[0].is_variable)
                else entry
                for entry, wanted in zip(inputs, casts, strict=True)
            )
        copied = node if inputs == node.inputs else node.copy(inputs=inputs)
        self._follow(copied, full=casting is not None and casting.dtype == _FULL)
        return [(copied, i) for i in range(copied.num_outputs)]

    def _casting(self, node: Node) -> Casting | None:
        if node.is_control_flow or node.name in self._excluded:
            assert node.op is not None
            return Casting(_FULL, frozenset(node.op.aux))
        assert node.op is not None
        return self._policy.casting(node.op, node.operands(node.inputs), node.params)

    def cast(self, entry: Entry, dtype: str) -> Entry:
        """Return the entry cast to a dtype, or itself if it is known to have the dtype."""
        node, i = entry
        if self._dtypes.get(entry) == dtype:
            return entry
        key = (entry, dtype)
        if key not in self._casts:
            name = f"{node.output_name(i)}_amp_cast_{dtype}"
            cast_node = new_node("amp_cast", [entry], name=name, beside=node, dtype=dtype)
            self._know((cast_node, 0), dtype)
            self._casts[key] = (cast_node, 0)
        return self._casts[key]

    def _widest(
        self,
        node: Node,
        inputs: tuple[Entry, ...],
        casts: Sequence[bool],
        *,
        if_differing: bool,
    ) -> tuple[Entry, ...]:
        """Return the selected inputs cast to their widest dtype, at run time if unknown."""
        picked = [entry for entry, wanted in zip(inputs, casts, strict=True) if wanted]
        known = {self._dtypes.get((source, i)) for source, i in picked}
        if len(picked) < 2 or (len(known) == 1 and None not in known):  # noqa: PLR2004
            return inputs
        if if_differing and known <= {None, _FULL}:  # what is not known is float32, or no float
            return inputs
        # The widest is known then; `amp_multicast` finds it out at run time, for every step.
        if _FULL in known:
            cast = [self.cast(entry, _FULL) for entry in picked]
        else:
            source, i = picked[0]
            name = f"{source.output_name(i)}_amp_multicast"
            count = len(picked)
            multicast = new_node("amp_multicast", picked, name=name, beside=node, num_outputs=count)
            cast = [(multicast, k) for k in range(count)]
        rest = iter(cast)
        return tuple(
            next(rest) if wanted else entry for entry, wanted in zip(inputs, casts, strict=True)
        )

    def _follow(self, node: Node, *, full: bool) -> None:
        """Infer and record the dtypes of a node's outputs; ``full``: unknown inputs are float32."""
        assert node.op is not None
        if node.bodies:
            return
        types = []
        for name, (source, i) in zip(node.input_names, node.inputs, strict=True):
            dtype = self._dtypes.get((source, i))
            types.append(TensorType(None, _FULL if full and dtype is None else dtype, name))
        if not full and all(t.dtype is None for t in types):
            return
        try:
            results = node.op.infer(node.operands(types), node.params)
        except DTypeError:  # the graph is wrong; whoever infers it tells where
            return
        for i, result in enumerate(results):
            if result.dtype in _KNOWN:
                self._know((node, i), result.dtype)

    def _know(self, entry: Entry, dtype: str | None) -> None:
        self._dtypes[entry] = dtype
