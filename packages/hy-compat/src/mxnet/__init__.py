"""MXNet's names for hy: `import mxnet` works again."""
