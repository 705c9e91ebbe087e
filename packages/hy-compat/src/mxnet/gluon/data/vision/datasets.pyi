from hy_gluon.data.vision.datasets import *
