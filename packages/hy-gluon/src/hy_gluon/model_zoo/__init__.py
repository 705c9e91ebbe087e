"""Well-known models, and files of trained parameters."""

from hy_gluon.model_zoo import model_store as model_store, vision as vision
