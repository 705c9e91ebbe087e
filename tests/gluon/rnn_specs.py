"""Blocks out of JSON: ``{"class": "rnn.ZoneoutCell", "cells": [...], "kwargs": {...}}``."""

from typing import Any

from hy_gluon import Block, contrib, rnn

__all__ = ["made"]

_SPACES = {"rnn": rnn, "contrib.rnn": contrib.rnn}


def made(spec: dict[str, Any]) -> Block:
    """The block; ``cells`` are given to its constructor, those of ``add`` added to it."""
    space, name = spec["class"].rsplit(".", 1)
    kwargs = {k: tuple(v) if isinstance(v, list) else v for k, v in spec.get("kwargs", {}).items()}
    inner = [made(cell) for cell in spec.get("cells", [])]
    block: Any = getattr(_SPACES[space], name)(*inner, **kwargs)
    with block.name_scope():
        for cell in spec.get("add", []):
            block.add(made(cell))
    assert isinstance(block, Block)
    return block
