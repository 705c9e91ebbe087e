from hy_gluon.data.vision.transforms import *
