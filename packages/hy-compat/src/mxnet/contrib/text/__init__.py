"""Text: counting tokens, vocabularies, and vectors of tokens."""

from mxnet.contrib.text import embedding as embedding, utils as utils, vocab as vocab
