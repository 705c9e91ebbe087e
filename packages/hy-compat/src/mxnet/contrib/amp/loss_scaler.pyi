from hy_gluon.optimizer.loss_scaler import *
