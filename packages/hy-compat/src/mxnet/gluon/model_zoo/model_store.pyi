from hy_gluon.model_zoo.model_store import *
