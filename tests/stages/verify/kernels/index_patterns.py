import torch
import torch.nn.functional as F


def close(a, b, tolerance=1e-4):
    assert a.shape == b.shape and torch.allclose(a, b, atol=tolerance,
                                                 rtol=tolerance), (a - b).abs().max()


def check_embedding_and_its_gradient(m):
    table, index = torch.randn(10, 40), torch.randint(0, 10, (25,))
    y, back = m.embedding(index, table)
    assert torch.equal(y, table[index])
    close(back, torch.zeros_like(table).index_add(0, index, y))


def check_bilinear(m):
    x = torch.randn(2, 2, 9, 11)
    for size in ((18, 22), (13, 5)):
        close(m.bilinear(x, *size), F.interpolate(x, size, mode="bilinear"))


def check_stencil(m):
    x = torch.randn(29, 37)
    kernel = torch.tensor([[0.0, -1, 0], [-1, 4, -1], [0, -1, 0]])
    close(m.stencil(x), F.conv2d(x[None, None], kernel[None, None], padding=1)[0, 0])


def check_recurrence(m):
    x, gate = torch.randn(2, 20, 50)
    state, g, rows = torch.zeros(50), gate.sigmoid(), []
    for r in range(20):
        state = g[r] * state + (1 - g[r]) * x[r]
        rows.append(state)
    close(m.recurrence(x, gate), torch.stack(rows), 1e-5)
