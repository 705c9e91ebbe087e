"""Outputs that bring their own gradient: SoftmaxOutput, regression outputs, MakeLoss."""

__all__: list[str] = []
