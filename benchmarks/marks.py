"""The marks: what hy with its numpy table, divided by MXNet 1.9.1 on the same machine, is to be."""

MARKS = {
    "add_10x10": 0.15,
    "chain_64": 0.5,
    "mlp_static": 0.25,
    "mlp_training": 0.5,
    "lenet_inference": 0.9,
    "lenet_training": 0.8,
    "resnet18_b1": 0.75,
    "resnet18_b16": 0.8,
    "resnet50_b1": 0.8,
    "mobilenet_b1": 1.0,
    "resnet18_training": 0.8,
    "lstm_language_model": 0.9,
    "transformer_layer": 0.8,
    "sparse_dot": 1.0,
    "sparse_dot_gradient": 1.0,
    "sparse_sgd": 1.0,
    "sparse_adam": 1.0,
    "import_mxnet": 0.35,
}
"""By workload, for two cores; a ratio up to its mark meets it. Workloads without one are extra."""
