"""Text processing: token counts, vocabularies, and token embeddings."""

from mxnet.contrib.text import embedding as embedding, utils as utils, vocab as vocab
