"""A transformer's block in plain PyTorch on hy's Triton kernels: python -m examples.triton_block.

It is compiled by torch.compile, which sees one step for each kernel. Without a GPU, set
TRITON_INTERPRET=1: Triton's interpreter runs the same kernels, slowly.
"""

import torch
from torch import nn

from hy_kernels.triton import functional as hy

__all__ = ["Block", "main"]


class Block(nn.Module):
    """Attention and two layers, each behind a normalisation and added to what came in.

    Args:
        width: Elements of a token, a multiple of ``heads``.
        heads: Heads of the attention.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.first = nn.LayerNorm(width)
        self.second = nn.RMSNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Tokens ``[batch, length, width]`` to the same shape."""
        batch, length, width = x.shape
        z = hy.layer_norm(x, self.first.weight, self.first.bias)
        parts = hy.linear(z, self.project.weight, self.project.bias)
        parts = parts.view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        y = hy.attention(query, key, value, causal=True)
        y = y.transpose(1, 2).reshape(batch, length, width)
        x = x + hy.linear(y, self.join.weight, self.join.bias)
        z = hy.rms_norm(x, self.second.weight)
        z = hy.linear(z, self.widen.weight, self.widen.bias, "relu")
        return x + hy.linear(z, self.narrow.weight, self.narrow.bias)


def main(steps: int = 5) -> list[float]:
    """Train a block and a classifier on random tokens; the losses."""
    has_gpu = torch.cuda.is_available()
    device = torch.device("cuda" if has_gpu else "cpu")
    torch.manual_seed(0)
    words, width, length = 11, 16, 7
    table = nn.Parameter(torch.randn(words, width, device=device) * 0.1)
    block = Block(width, 2).to(device)
    compiled = torch.compile(block, backend="inductor" if has_gpu else "aot_eager", fullgraph=True)
    tokens = torch.randint(0, words, (4, length), device=device)
    trainer = torch.optim.Adam([table, *block.parameters()], lr=0.01)
    losses = []
    for step in range(steps):
        x = hy.dropout(hy.embedding(tokens, table), 0.1, step)
        scores = hy.linear(compiled(x), table)
        loss = hy.cross_entropy(scores, tokens).mean()
        trainer.zero_grad()
        loss.backward()
        trainer.step()
        losses.append(float(loss.detach()))
    return losses


if __name__ == "__main__":
    print(*(f"{loss:.4f}" for loss in main()))
