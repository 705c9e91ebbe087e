"""These tests are of those who have Triton; without a GPU its interpreter runs the kernels."""

import os
from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") and find_spec("triton") else ["test_*.py"]

if not collect_ignore_glob:
    import torch

    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"  # read when device parts are defined
