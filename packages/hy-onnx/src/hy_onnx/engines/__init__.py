"""Engines: runtimes of ONNX models as backends of ``hybridize`` and ``optimize_for``."""
