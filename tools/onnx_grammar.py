"""Draws ONNX models from a grammar: graphs of all operators, and what files may say of them.

Most of a model is as ONNX has it, so that readers come far; some of it is not. Sizes, loops,
strings, bodies and the folders of weights are those that ask for too much.
"""

from collections.abc import Callable, Iterable
from functools import cache
from random import Random
from typing import Any, TypeAlias

import numpy as np
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper
from onnx.defs import OpSchema, get_all_schemas_with_history

__all__ = ["model_of"]

Scope: TypeAlias = dict[str, str]
"""Values in sight, and their dtypes, as far as these are known."""

_NEWEST_OPSET = 26
_MAX_DEPTH = 3  # of bodies inside bodies
_GIANT = (2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63), -1, -2, 10**6, 10**9)
_SMALL_NUMBERS = (0, 1, 1, 2, 2, 3, 4, -1, -1, -2)
_DTYPES: dict[str, Any] = {
    "float": np.float32,
    "double": np.float64,
    "float16": np.float16,
    "int64": np.int64,
    "int32": np.int32,
    "uint8": np.uint8,
    "int8": np.int8,
    "bool": np.bool_,
    "string": np.object_,
}
_SHAPES = ((2, 3), (3,), (2, 3, 4), (1, 4, 3, 3), (3, 3), (2, 2, 2), ())
_TEXTS = ("", "a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "1e9", "\udc80"[:0], "x,y", "é")
_WORDS: dict[str, tuple[str, ...]] = {
    "auto_pad": ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "other"),
    "coordinate_transformation_mode": ("half_pixel", "align_corners", "asymmetric", "tf_crop"),
    "delimiter": ("", "a", ","),
    "direction": ("forward", "reverse", "bidirectional", "sideways"),
    "equation": ("ij,jk->ik", "i,j->ij", "...ii->...i", "a,b,c,d,e,f->abcdef", "i->", "->i"),
    "mode": ("constant", "edge", "reflect", "wrap", "linear", "nearest", "cubic", "DCR", "CRD"),
    "padding_mode": ("zeros", "border", "reflection"),
    "pattern": ("(a+)+b", "(a|a)*b", "[", "a{100000}", "(?=a)*"),
    "reduction": ("none", "add", "mul", "max", "mean", "sum"),
}
_FILES = (
    *("w.bin", "../w.bin", "/etc/hostname", "sub/../../w.bin", "missing.bin", ".", ""),
    *("a" * 5000, "w\0.bin", "link.bin", "sub", "fifo"),
)
_SIZED = (
    *(
        "ConstantOfShape",
        "Expand",
        "Tile",
        "Pad",
        "Range",
        "OneHot",
        "Resize",
        "EyeLike",
        "Reshape",
    ),
    *("Upsample", "MaxUnpool", "BlackmanWindow", "MelWeightMatrix", "Trilu", "Split", "TopK"),
    *("CenterCropPad", "AffineGrid", "Col2Im", "RandomNormal", "DFT", "GatherND", "Slice"),
)
_DOUBLING = (
    "Concat",
    "Add",
    "Mul",
    "StringConcat",
    "Sum",
    "Max",
    "MatMul",
    "Einsum",
    "Tile",
    "Pow",
)

_ATTRIBUTES: dict[str, dict[str, Any]] = {"Concat": {"axis": 0}, "Einsum": {"equation": "i,j->ij"}}
"""Attributes that an operator needs to double a value."""


@cache
def _schemas() -> dict[tuple[str, str], list[OpSchema]]:
    """Versions of all operators, by domain and name."""
    versions: dict[tuple[str, str], list[OpSchema]] = {}
    for schema in sorted(get_all_schemas_with_history(), key=lambda s: s.since_version):
        versions.setdefault((schema.domain, schema.name), []).append(schema)
    return versions


def model_of(seed: int) -> ModelProto:
    """Return the model of a seed."""
    return _Grammar(Random(seed)).model()  # noqa: S311  # no secrets


class _Grammar:
    """One model in the course of being drawn."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.opset = rng.choice((*range(1, _NEWEST_OPSET + 1), 13, 17, 17, 18, 21))
        self.count = 0
        self.weights: list[TensorProto] = []
        self.shape = rng.choice(_SHAPES)  # of most values
        self.names = {name: s for (_, name), s in _schemas().items() if self._version(s)}
        self.ops = sorted(self.names)
        standard = [name for (domain, name) in _schemas() if not domain and name in self.names]
        self.ops += sorted(standard) * 8
        self.spoils = self.seldom(8)

    def _version(self, schemas: list[OpSchema]) -> OpSchema | None:
        fitting = [s for s in schemas if s.domain or s.since_version <= self.opset]
        return fitting[-1] if fitting else None

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def seldom(self, one_in: int) -> bool:
        return self.rng.randrange(one_in) == 0

    # --- the model ------------------------------------------------------------------------------

    def model(self) -> ModelProto:
        scope: Scope = {}
        inputs = [self.value(scope) for _ in range(self.rng.randrange(3))]
        nodes: list[NodeProto] = []
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
            self.rng.choice(self.statements())(nodes, scope)
        if self.seldom(20):
            self.rng.shuffle(nodes)
        outputs = [
            helper.make_empty_tensor_value_info(self.rng.choice([*scope][-4:] or ["none"]))
            for _ in range(self.rng.choice((1, 1, 2)))
        ]
        graph = helper.make_graph(nodes, "g", inputs, outputs, self.weights)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("d", 1)]
        functions = [self.function(k) for k in range(2)] if self.seldom(8) else []
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=self.rng.choice((3, 8, 10)),
            functions=functions,
        )  # fmt: skip

    def statements(self) -> list[Callable[[list[NodeProto], Scope], None]]:
        return [
            *[self.any_node] * 16,
            *[self.constant_node] * 8,
            *[self.sized] * 8,
            *[self.body] * 4,
            *(self.doubling, self.again, self.circle, self.nested, self.foreign),
        ]

    def value(self, scope: Scope) -> Any:
        name = self.fresh()
        scope[name] = ""
        if self.seldom(80):
            return helper.make_tensor_sequence_value_info(name, TensorProto.FLOAT, [2])
        shape: Any = None if self.seldom(80) else self.shape
        if self.seldom(6):
            shape = [self.dim() for _ in range(self.rng.randrange(5))]
        kind = self.rng.choice((1, 6, 7, 9)) if self.rng.randrange(30) else 8
        scope[name] = "float" if kind == 1 else ""
        return helper.make_tensor_value_info(name, kind, shape)

    def dim(self) -> Any:
        if self.seldom(15):
            return self.rng.choice(_GIANT)
        return self.rng.choice((1, 2, 3, 4, 8, "N", "M", None))

    def function(self, k: int) -> FunctionProto:
        nodes = [helper.make_node(f"F{self.rng.randrange(2)}", ["a"], ["b"], domain="d")]
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("d", 1)]
        return helper.make_function("d", f"F{k}", ["a"], ["b"], nodes, opsets)

    # --- statements -----------------------------------------------------------------------------

    def any_node(self, nodes: list[NodeProto], scope: Scope) -> None:
        self.node(self.rng.choice(self.ops), nodes, scope)

    def constant_node(self, nodes: list[NodeProto], scope: Scope) -> None:
        self.node(self.rng.choice(self.ops), nodes, scope, known=True)

    def sized(self, nodes: list[NodeProto], scope: Scope) -> None:
        """Add an operator whose sizes are numbers in the file."""
        fitting = [op for op in _SIZED if op in self.names]
        if fitting:
            self.node(self.rng.choice(fitting), nodes, scope, known=not self.seldom(3), giant=True)

    def body(self, nodes: list[NodeProto], scope: Scope) -> None:
        fitting = [op for op in ("If", "Loop", "Scan", "SequenceMap") if op in self.names]
        self.node(self.rng.choice(fitting or self.ops), nodes, scope)

    def doubling(self, nodes: list[NodeProto], scope: Scope) -> None:
        """Add operators that double a value, again and again."""
        op = self.rng.choice(_DOUBLING)
        name = self.constant(self.rng.choice(("string", "float", "int64")), (2,))
        if scope and self.seldom(3):
            name = self.rng.choice([*scope])
        if op == "Concat" and self.seldom(2):
            nodes.append(helper.make_node("Shape", [name], [name := self.fresh()]))
        attributes = _ATTRIBUTES.get(op, {})
        count = self.rng.choice((3, 30, 70))
        nodes += (
            helper.make_node(op, [name] * 2, [name := self.fresh()], **attributes)
            for _ in range(count)
        )
        scope[name] = ""

    def again(self, nodes: list[NodeProto], scope: Scope) -> None:
        """Many nodes on one large weight."""
        weight = self.constant("float", (300, 300))
        op = self.rng.choice(("MatMul", "Gemm", "ReduceSum", "Transpose", "Conv", "Add", "Trilu"))
        other = self.rng.choice([weight, *scope])
        inputs = [weight] if op in ("ReduceSum", "Transpose", "Trilu") else [other, weight]
        names = [self.fresh() for _ in range(self.rng.choice((5, 200)))]
        nodes += (helper.make_node(op, inputs, [name]) for name in names)
        scope[names[-1]] = ""

    def circle(self, nodes: list[NodeProto], scope: Scope) -> None:
        a, b = self.fresh(), self.fresh()
        nodes.append(helper.make_node("Identity", [b], [a]))
        nodes.append(helper.make_node("Identity", [a], [b]))
        scope[a] = "bool"

    def nested(self, nodes: list[NodeProto], scope: Scope) -> None:
        """Bodies inside each other."""
        op, name = self.rng.choice(("If", "Loop")), self.fresh()
        condition, x = self.constant("bool", ()), self.rng.choice([*scope] or ["none"])
        if scope and self.seldom(2):
            condition = self.rng.choice([*scope])
        inner = helper.make_node("Neg", [x], [name])
        for _ in range(self.rng.choice((2, 6, 20, 30))):  # protobuf reads 33
            inner = self._around(inner, op, condition, x)
        nodes.append(inner)
        scope[inner.output[0]] = ""

    def _around(self, inner: NodeProto, op: str, condition: str, x: str) -> NodeProto:
        empty = helper.make_empty_tensor_value_info
        if op == "If":
            body = helper.make_graph([inner], "b", [], [empty(inner.output[0])])
            other = self.fresh()
            third = helper.make_graph(
                [helper.make_node("Abs", [x], [other])], "c", [], [empty(other)]
            )
            return helper.make_node(
                "If", [condition], [self.fresh()], then_branch=body, else_branch=third
            )
        i, c, s = self.fresh(), self.fresh(), self.fresh()
        body = helper.make_graph(
            [inner], "b", [empty(i), empty(c), empty(s)], [empty(c), empty(inner.output[0])]
        )
        steps = self.constant("int64", (), giant=self.seldom(4))
        return helper.make_node("Loop", [steps, condition, x], [self.fresh()], body=body)

    def foreign(self, nodes: list[NodeProto], scope: Scope) -> None:
        domain = self.rng.choice(("d", "com.microsoft", "ai.onnx.ml", "ai.onnx"))
        op = self.rng.choice(("F0", "F1", "QLinearAdd", "QGemm", "Relu", "NoSuchOperator"))
        name = self.fresh()
        inputs = [self.argument("float", scope) for _ in range(self.rng.randrange(1, 9))]
        nodes.append(helper.make_node(op, inputs, [name], domain=domain))
        scope[name] = ""

    # --- nodes ----------------------------------------------------------------------------------

    def node(
        self,
        op: str,
        nodes: list[NodeProto],
        scope: Scope,
        *,
        known: bool = False,
        giant: bool = False,
        depth: int = 0,
    ) -> None:
        """Add a node, with the inputs and attributes that its schema asks for, mostly."""
        schema = self._version(self.names[op])
        assert schema is not None, "only such are drawn"
        kinds = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
        inputs, bound = [], dict[str, str]()
        for i, formal in enumerate(schema.inputs):
            option = formal.option
            if option == OpSchema.FormalParameterOption.Optional and self.seldom(2):
                inputs.append("")
                continue
            several = option == OpSchema.FormalParameterOption.Variadic
            for _ in range(self.rng.randrange(1, 4) if several else 1):
                kind = bound.get(formal.type_str) or self.kind_of(
                    kinds.get(formal.type_str, [formal.type_str])
                )
                bound[formal.type_str] = kind
                visible = {} if known else scope
                inputs.append(self.argument(kind, visible, giant=giant and i > 0))
        if self.seldom(20) and inputs:
            inputs = inputs[: self.rng.randrange(len(inputs))]
        names = [self.fresh() for _ in range(self.outputs_of(schema))]
        attributes = {
            name: self.graph(op, inputs, len(names), scope, depth + 1)
            if a.type == OpSchema.AttrType.GRAPH
            else self.attribute(a, giant=giant)
            for name, a in schema.attributes.items()
            if (a.required or self.seldom(3)) and not self.seldom(40)
        }
        attributes = {name: value for name, value in attributes.items() if value is not None}
        if op == "Scan" and self.rng.randrange(4):
            attributes["num_scan_inputs"] = self.rng.randrange(1, len(inputs) + 1) if inputs else 1
        nodes.append(helper.make_node(op, inputs, names, domain=schema.domain, **attributes))
        for name, formal in zip(names, schema.outputs, strict=False):
            scope[name] = bound.get(formal.type_str, "")

    def outputs_of(self, schema: OpSchema) -> int:
        max_outputs = min(schema.max_output, 4)
        return self.rng.randint(min(schema.min_output, max_outputs) or 1, max(max_outputs, 1))

    def kind_of(self, allowed: Iterable[str]) -> str:
        plain = sorted(kind[7:-1] for kind in allowed if kind.startswith("tensor("))
        fitting = [kind for kind in plain if kind in _DTYPES]
        if "float" in fitting and self.rng.randrange(4):
            return "float"
        return self.rng.choice(fitting or ["float"])

    def argument(self, kind: str, scope: Scope, *, giant: bool = False) -> str:
        fitting = [name for name, of in scope.items() if of == kind]
        if fitting and self.rng.randrange(4):
            return self.rng.choice(fitting[-6:])
        if scope and self.seldom(6):
            return self.rng.choice([*scope])
        if self.seldom(60):
            return "nothing"
        if giant or (kind == "int64" and self.seldom(2)):
            return self.constant(
                kind, self.rng.choice(((), (1,), (2,), (len(self.shape),))), giant=giant
            )
        shape = self.rng.choice(_SHAPES) if self.seldom(5) else self.shape
        return self.constant(kind, shape)

    def attribute(self, a: Any, *, giant: bool) -> Any:
        kinds, rng = OpSchema.AttrType, self.rng
        if a.type == kinds.TENSOR:
            return self.tensor(rng.choice(("float", "int64", "string")), (1,), giant=False)
        whole = (*(_GIANT if giant and self.seldom(2) else _SMALL_NUMBERS), 1, 1, 7, 16)
        values: dict[Any, tuple[Any, ...]] = {
            kinds.INT: whole,
            kinds.INTS: whole,
            kinds.FLOAT: (0.0, 0.5, -1.0, 1e-5, 1e30, float("nan"), float("inf")),
            kinds.FLOATS: (0.5, 1.0, 1e6),
            kinds.STRING: _WORDS.get(a.name, _TEXTS),
            kinds.STRINGS: ("Tanh", "Relu", "a"),
        }
        if a.type not in values:
            return None
        if a.type in (kinds.INT, kinds.FLOAT, kinds.STRING):
            return rng.choice(values[a.type])
        return [rng.choice(values[a.type]) for _ in range(rng.randrange(1, 5))]

    def graph(
        self, op: str, taken: list[str], outputs: int, scope: Scope, depth: int
    ) -> GraphProto | None:
        """Return a body that may read outer values; mostly it fits its node."""
        if depth > _MAX_DEPTH:
            return None
        inner = dict(scope)
        count = 0 if op == "If" else len(taken)
        inputs = [
            self.value(inner) for _ in range(self.rng.randrange(5) if self.seldom(8) else count)
        ]
        for value, name in zip(inputs, taken, strict=False):
            inner[value.name] = scope.get(name, "float")
        nodes: list[NodeProto] = []
        for _ in range(self.rng.randrange(4)):
            known = self.seldom(4)
            self.node(
                self.rng.choice((*self.ops, "Add", "Neg")),
                nodes,
                inner,
                depth=depth,
                known=known,
            )
        if self.seldom(10):
            self.circle(nodes, inner)
        names = [self.rng.choice([*inner] or ["none"]) for _ in range(outputs + (op == "Loop"))]
        if op == "Loop" and len(inputs) > 1 and self.rng.randrange(4):
            names[0] = inputs[1].name
        ends = [helper.make_empty_tensor_value_info(name) for name in names]
        return helper.make_graph(nodes, "b", inputs, ends)

    # --- weights --------------------------------------------------------------------------------

    def constant(self, kind: str, shape: tuple[int, ...], *, giant: bool = False) -> str:
        """Return the name of a new weight."""
        tensor = self.tensor(kind, shape, giant=giant)
        tensor.name = self.fresh()
        self.weights.append(tensor)
        return str(tensor.name)

    def tensor(self, kind: str, shape: tuple[int, ...], *, giant: bool) -> TensorProto:
        rng = self.rng
        if kind == "string":
            values: Any = np.full(shape, rng.choice(_TEXTS), object)
        elif giant and kind.startswith(("int64", "int32", "float", "double")):
            picked = [rng.choice((*_GIANT, 1, 2, 3)) for _ in range(max(int(np.prod(shape)), 1))]
            with np.errstate(all="ignore"):
                values = np.array(picked[: int(np.prod(shape))], np.float64).reshape(shape)
                limit = 2.0**31 - 1 if kind == "int32" else 2.0**62
                values = np.clip(values, -limit, limit).astype(_DTYPES[kind])
        else:
            values = np.full(shape, rng.choice(_SMALL_NUMBERS)).astype(_DTYPES[kind])
        tensor = numpy_helper.from_array(values)
        if self.spoils and self.seldom(4):
            self.spoil(tensor)
        return tensor

    def spoil(self, tensor: TensorProto) -> None:
        """Let a weight lie elsewhere, or be of another shape or dtype than it says."""
        kind = self.rng.randrange(3)
        if kind == 0:
            del tensor.dims[:]
            tensor.dims.extend(self.rng.choice((*_GIANT, 0, 2)) for _ in range(2))
        elif kind == 1:
            tensor.data_type = self.rng.randrange(25)
        else:
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            entries = {"location": self.rng.choice(_FILES)}
            if self.seldom(2):
                entries["offset"] = str(self.rng.choice((*_GIANT, 0, "x")))
            if self.seldom(2):
                entries["length"] = str(self.rng.choice((*_GIANT, 4, 24)))
            for key, value in entries.items():
                tensor.external_data.add(key=key, value=value)
