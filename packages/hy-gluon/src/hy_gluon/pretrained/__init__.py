"""Pretrained models: loads and saves folders in Hugging Face's format.

Example:
    >>> from hy_gluon import pretrained
    >>> from hy_gluon.model_zoo.transformer import Decoder
    >>> net = Decoder(11, units=8, num_layers=1, num_heads=2, max_length=16)
    >>> net.initialize()
    >>> pretrained.save(net, "small-gpt2")
    >>> pretrained.load("small-gpt2").generate([1, 2], 3) == net.generate([1, 2], 3)
    True
"""

from hy_gluon.pretrained.architecture import (
    Architecture as Architecture,
    PretrainedError as PretrainedError,
    Row as Row,
)
from hy_gluon.pretrained.folder import load as load, save as save
from hy_gluon.pretrained.tables import ARCHITECTURES as ARCHITECTURES
