"""Training: TrainStep, which runs a whole training step as one program."""

from hy_gluon.train.train_step import TrainStep as TrainStep
