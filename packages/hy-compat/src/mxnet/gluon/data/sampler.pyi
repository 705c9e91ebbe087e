from hy_gluon.data.sampler import *
