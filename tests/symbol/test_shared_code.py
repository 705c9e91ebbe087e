"""Programs whose text is the same share its code, and nothing besides."""

import linecache

import numpy as np
import pytest

from hy_ndarray import ShapeError, cpu, device_of, nd
from hy_symbol import Symbol, TypedGraph, sym
from hy_symbol.execution.program import Program


def compiled(net: Symbol) -> Program:
    """A program of a net, for any types."""
    inputs = [(node, 0) for node in net.graph.variables]
    program = Program(inputs, net.graph.outputs, device_of(cpu()), is_train=False)
    program.compile()
    return program


def texts() -> set[str]:
    return {name for name in linecache.cache if name.startswith("<program ")}


def test_a_net_that_is_made_again_compiles_nothing() -> None:
    def net(name: str) -> Symbol:
        return sym.tanh(sym.dot(sym.var(f"{name}_a"), sym.var(f"{name}_b"), name=name)) * 2

    first = compiled(net("first"))
    known = texts()
    second = compiled(net("second"))
    assert texts() == known
    assert first.source == second.source
    x = nd.ones((2, 3)).buffer
    for program in (first, second):
        with pytest.raises(ShapeError, match=program.steps[0].name):
            program(x, x)


def test_values_outside_of_the_text_are_each_programs_own() -> None:
    x = nd.array([1, 2])
    double, triple = compiled(sym.var("x") * 2.5), compiled(sym.var("x") * 3.5)
    assert double.source == triple.source
    np.testing.assert_array_equal(np.asarray(double(x.buffer)[0]), [2.5, 5])
    np.testing.assert_array_equal(np.asarray(triple(x.buffer)[0]), [3.5, 7])


def test_a_net_of_other_sizes_compiles_nothing() -> None:
    net = sym.tanh(sym.reshape(sym.var("x"), shape=(-1, 3)))

    def planned(*shape: int) -> Program:
        typed = TypedGraph.of(net.graph, [(shape, "float32")])
        program = Program.of(typed, device_of(cpu()), is_train=False)
        program.compile()
        return program

    small = planned(6)
    known = texts()
    large = planned(4, 9)
    assert texts() == known
    assert "view" in str(large.plan)
    assert small(nd.ones(6).buffer)[0].shape == (2, 3)
    assert large(nd.ones((4, 9)).buffer)[0].shape == (12, 3)
