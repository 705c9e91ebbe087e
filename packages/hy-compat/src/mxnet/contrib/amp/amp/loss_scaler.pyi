from hy_gluon.amp.loss_scaler import *
