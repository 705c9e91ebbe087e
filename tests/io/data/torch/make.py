"""Writes the files of this folder with PyTorch: ``python make.py``."""

from pathlib import Path

import torch

FOLDER = Path(__file__).parent
DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("float8_e4m3fn", "float8_e5m2"),
)


def main() -> None:
    """Write them."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    for index, value in enumerate(net.state_dict().values()):
        value.copy_(torch.arange(value.numel()).reshape(value.shape) + index)
    torch.save(net.state_dict(), FOLDER / "module.pt")
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    whole = {"epoch": 3, "loss": 0.5, "optimizer": optimizer.state_dict(), "name": "net"}
    torch.save(whole | {"state_dict": {"w": torch.arange(3.0)}}, FOLDER / "checkpoint.pt")
    ones = torch.tensor([[0, 1], [1, 0]])
    torch.save({name: ones.to(getattr(torch, name)) for name in DTYPES}, FOLDER / "dtypes.pt")
    base = torch.arange(12.0).reshape(3, 4)
    views = {
        "base": base,
        "turned": base.t(),
        "part": base[1:, 2:],
        "spread": torch.tensor([7.0]).expand(5),
        "empty": torch.zeros(0, 3),
        "number": torch.tensor(2.5),
        "parameter": torch.nn.Parameter(base[0]),
    }
    torch.save(views, FOLDER / "views.pt")
    torch.save({"a": base}, FOLDER / "older.pt", _use_new_zipfile_serialization=False)
    torch.save({"a": base.to_sparse()}, FOLDER / "sparse.pt")
    torch.save({"a": torch.view_as_complex(base.reshape(3, 2, 2)).conj()}, FOLDER / "conj.pt")
    torch.save(net, FOLDER / "whole_module.pt")
    torch.save(base, FOLDER / "tensor.pt")
    torch.jit.script(torch.nn.ReLU()).save(str(FOLDER / "script.pt"))
    torch.serialization.set_crc32_options(False)
    torch.save({"a": base}, FOLDER / "no_checksums.pt")


if __name__ == "__main__":
    main()
