from hy_gluon.image import *
