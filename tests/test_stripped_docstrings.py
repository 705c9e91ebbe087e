"""Packages work however Python keeps docstrings: without indentation since 3.13, not with -OO."""

import subprocess
import sys

import pytest

DEDENTED = """
import ast, inspect
from importlib.machinery import SourceFileLoader

def source_to_code(self, data, path, *, _optimize=-1):
    tree = ast.parse(data, path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if ast.get_docstring(node) is not None:
                node.body[0].value.value = ast.get_docstring(node, clean=True)
    return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)

SourceFileLoader.source_to_code = source_to_code
SourceFileLoader.get_code = lambda self, name: self.source_to_code(
    self.get_data(self.get_filename(name)), self.get_filename(name)
)
"""
DOCUMENTATION = """
import hashlib
from hy_ndarray import nd
from hy_ndarray.ops import operators

assert "act_type" in nd.Activation.__doc__
text = "".join(op.doc for op in operators())
print(len(text), hashlib.sha256(text.encode()).hexdigest())
"""
TRAINING = """
import mxnet as mx
from mxnet.gluon import nn

net = nn.Dense(2, in_units=3)
net.initialize(mx.init.One())
net.hybridize()
trainer = mx.gluon.Trainer(net.collect_params(), "adam")
with mx.autograd.record():
    loss = net(mx.nd.ones((4, 3))).sum()
loss.backward()
trainer.step(4)
print(loss.asscalar())
"""


def _printed(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_operators_have_the_same_documentation_from_docstrings_without_indentation() -> None:
    assert _printed("-c", DEDENTED + DOCUMENTATION) == _printed("-c", DOCUMENTATION)


def test_packages_work_without_docstrings_and_asserts() -> None:
    assert _printed("-OO", "-c", TRAINING) == "24.0\n"
