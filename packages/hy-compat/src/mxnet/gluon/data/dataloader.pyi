from hy_gluon.data.dataloader import *
