from hy_gluon.data.vision import *
