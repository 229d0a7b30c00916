import torch


def check_sizes_and_alignments(m):
    element = {"char": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8}
    for name, row in zip(("char", "char", "short", "short", "int", "int", "long", "long", "long",
                          "long",
                          "float", "double"), m.sizes(torch.zeros(1)).tolist()):
        size = element[name]
        pair, four = min(2 * size, 16), min(4 * size, 16)
        assert row == [size, size, 2 * size, pair, 3 * size, size, 4 * size, four], name


def check_made(m):
    v = torch.arange(20.0, dtype=torch.float64)
    wanted = (v + 1) * 3 + (v + 2) * 5 + (2 * v + 3) * 7 + v * 11
    for row in m.made(torch.zeros(1)):
        assert torch.equal(row, wanted)


def check_copies_of_whole_vectors(m):
    x = torch.randint(0, 256, (48 * 40,)).to(torch.uint8)
    for how in range(10):
        assert torch.equal(m.copied(x, how), x), how


def check_loads_and_stores_that_name_a_cache(m):
    x = torch.randint(0, 256, (64,)).to(torch.uint8)
    for how in range(10):
        assert torch.equal(m.cached(x, how), x), how


def check_structures(m):
    raw = b"".join(int(i).to_bytes(2, "little") + int(2 * i).to_bytes(2,
        "little") for i in range(5))
    edges = torch.zeros(5, 8, dtype=torch.uint8)
    edges[:, :4] = torch.tensor(list(raw), dtype=torch.uint8).view(5, 4)
    weight = torch.arange(5.0) / 4
    edges[:, 4:] = weight.view(torch.uint8).view(5, 4)
    particles, layout = m.structures(edges.view(-1))
    # A structure of 32 bytes: three floats of position, the kind as an integer, the speed, and
    # padding.
    i = torch.arange(5.0)
    assert torch.equal(particles[:, 0], i) and torch.equal(particles[:, 2], weight)
    assert particles[:, 3].view(torch.int32).tolist() == [0, 2, 4, 6, 8]
    assert (particles[:, 4] == 0.5).all()
    assert layout.tolist() == [32, 16, 8, 8, 16, 12, 8, 4, 1]


def check_operators_of_ones_own(m):
    x, z = torch.randn(2, 80)
    wanted = (x + z * 2).view(-1, 4).clone()
    i = torch.arange(20)
    wanted[i, i % 4] = -1.0
    assert torch.allclose(m.operators(x, z), wanted.view(-1))
