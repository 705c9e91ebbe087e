"""Common models, and downloads of trained parameters."""

from hy_gluon.model_zoo import (
    model_store as model_store,
    transformer as transformer,
    vision as vision,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
