"""Replaces loss heads by their outputs in prediction, without labels."""

from hy_symbol import Entry, Graph, Node, new_node, rewrite

__all__ = ["HEADS", "without_heads"]

_SAME = ("LinearRegressionOutput", "MAERegressionOutput", "SVMOutput", "MakeLoss", "make_loss")
HEADS = (*_SAME, "LogisticRegressionOutput", "SoftmaxOutput")
"""Names of the loss operators that are replaced."""


def without_heads(graph: Graph) -> Graph:
    """Replace loss heads by softmax, sigmoid, or the identity."""

    def rule(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
        op = "" if node.op is None else node.op.name
        if op in _SAME:
            return [inputs[0]]
        if op == "LogisticRegressionOutput":
            return [(new_node("sigmoid", inputs[:1], name=node.name, like=node), 0)]
        if op != "SoftmaxOutput":
            return None
        if node.params["multi_output"]:
            return [(new_node("softmax", inputs[:1], name=node.name, like=node, axis=1), 0)]
        if node.params["preserve_shape"]:
            return [(new_node("softmax", inputs[:1], name=node.name, like=node), 0)]
        return [(new_node("SoftmaxActivation", inputs[:1], name=node.name, like=node), 0)]

    return rewrite(graph, rule)
