from hy_gluon.loss_scaler import *
