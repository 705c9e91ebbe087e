"""Engines that run ONNX models, as backends of ``hybridize`` and ``optimize_for``."""
