from hy_gluon.model_zoo.vision import *
