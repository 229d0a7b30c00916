import torch


def rounded(x, dtype=torch.float16):
    """Computed in double and rounded once, as a device instruction does."""
    return x.to(dtype)


def check_halves(m):
    a, b = torch.randn(2, 200).half()
    y = m.halves(a, b)
    x, z = a.double(), b.double()
    product = rounded(x * z)
    wanted = [rounded(x + z), rounded(x - z), product, rounded(x / z), rounded(x * z + x),
              rounded(product.double() + x), torch.maximum(a, b), (a < b).half(),
              rounded(x.float().exp()), rounded(a.float() * 0.3333),
              -rounded(rounded(x + z).double() * 0.5), rounded(x.abs().sqrt())]
    fused = rounded(x * z + x)
    for row, (got, want) in enumerate(zip(y, wanted)):
        # A compiler may fuse the multiplication and addition of row 5.
        same = (got == want) | (got == fused) if row == 5 else got == want
        assert same.all(), (row, (got - want).abs().max())


def check_pairs(m):
    a, b = torch.randn(2, 64).half()
    y = m.pairs(a, b)
    x, z = a.double(), b.double()
    swapped = torch.stack([a.view(-1, 2)[:, 1], b.view(-1, 2)[:, 0]], 1).view(-1)
    shift = torch.tensor([1.0, -1.0]).repeat(32)
    wanted = [rounded(x + z), rounded(x * z), rounded(x * z + 1), swapped,
              rounded(a.float() + shift), torch.maximum(a, b), rounded(a.float().exp())]
    for row, (got, want) in enumerate(zip(y, wanted)):
        assert torch.equal(got, want), row


def check_bfloat16s(m):
    a, b = torch.randn(2, 100).bfloat16()
    y = m.bfloat16s(a, b)
    x, z = a.double(), b.double()
    wanted = [x + z, x * z, (a.float() / 3.0).double(), x * z + x, z + z, -x]
    for row, (got, want) in enumerate(zip(y, wanted)):
        assert torch.equal(got, rounded(want, torch.bfloat16)), row


def check_narrow_and_wide_sums_differ(m):
    wide, narrow = m.accumulate(torch.ones(4000, dtype=torch.float16)).tolist()
    assert wide == 4000.0 and narrow == 2048.0
    wide, narrow = m.accumulate(torch.ones(4096, dtype=torch.bfloat16)).tolist()
    assert wide == 4096.0 and narrow == 256.0
