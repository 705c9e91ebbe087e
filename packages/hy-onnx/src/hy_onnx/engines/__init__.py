"""Engines: what runs ONNX models, as backends of ``hybridize`` and ``optimize_for``."""
