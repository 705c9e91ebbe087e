"""Blocks: layers and models, plain, hybrid, or around a graph."""

from hy_gluon.block.base import Block as Block
from hy_gluon.block.hooks import HookHandle as HookHandle
from hy_gluon.block.hybrid import HybridBlock as HybridBlock
from hy_gluon.block.scope import BlockScope as _BlockScope  # pickles of MXNet name it
from hy_gluon.block.symbol_block import SymbolBlock as SymbolBlock
from hy_gluon.trace.structure import flatten as _flatten, regroup as _regroup
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = [
    "Block",
    "HookHandle",
    "HybridBlock",
    "SymbolBlock",
    "_BlockScope",
    "_flatten",
    "_regroup",
]

_suggest_members(globals())
