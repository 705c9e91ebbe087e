"""MXNet's ``gluon.contrib.data``: a sampler, and datasets of text for language models."""

from hy_gluon.contrib.data import sampler as sampler, text as text
from hy_gluon.contrib.data.sampler import IntervalSampler as IntervalSampler
from hy_gluon.contrib.data.text import WikiText2 as WikiText2, WikiText103 as WikiText103
from hy_gluon.contrib.data.vocabulary import Vocabulary as Vocabulary
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
