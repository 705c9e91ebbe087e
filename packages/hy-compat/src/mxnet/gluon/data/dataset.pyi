from hy_gluon.data.dataset import *
