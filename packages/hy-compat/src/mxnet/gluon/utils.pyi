from hy_gluon.utils import *
