import seeded
import torch

# What each kernel computes if it is right, in elements of x (1,024 of them).
TAKES = {"barrier": 1024, "awaited": 64, "groups": 64, "source": 64, "destination": 64,
         "misaligned": 64, "window": 64, "space": 64, "vector": 64, "stored": 64, "arrived": 64,
         "counted": 64, "halves": 1024, "unified": 1024, "named": 32, "last_block": 8,
         "ptx_last_block": 8}
# The reasons for which a build finds the bug.
ALWAYS = {"misaligned": {"misaligned_address"}, "window": {"wrong_space"}, "space": {"wrong_space"},
          "counted": {"deadlock"}}
IN_MEMORY = {"source": {"buffer_overflow"}, "destination": {"buffer_overflow"},
             "vector": {"buffer_overflow"}}
EARLY = {"within_block", "uninitialized_shared"}
IN_RACES = {"barrier": EARLY, "awaited": EARLY, "groups": EARLY, "arrived": EARLY, "halves": EARLY,
            "unified": EARLY, "named": EARLY, "stored": {"within_block"},
            "last_block": {"between_blocks"}, "ptx_last_block": {"between_blocks"}}


class OnInput:
    """Gives the module's run() its input, as `seeded` calls it."""

    def __init__(self, m):
        self.m, self.x = m, torch.randn(1024)

    def run(self, what, wrong):
        return self.m.run_on(what, self.x, wrong)


def expected(what, x):
    if what in ("barrier", "space", "stored", "last_block", "ptx_last_block"):
        return x[:TAKES[what]]
    if what in ("awaited", "groups", "arrived", "misaligned"):
        return x[:256].flip(0)[:64]
    if what == "destination":
        return x[:253].flip(0)[:64]
    if what == "source":
        return x[-256:].flip(0)[:64]
    if what == "vector":
        v = x[-256:].view(64, 4)
        return torch.stack([v[:, 0] + v[:, 2], v[:, 1]], 1).view(-1)[:64]
    size = 32 if what in ("halves", "named") else 64
    return x[:TAKES[what]].view(-1, size).flip(1).reshape(-1)


def check_twins(m):
    seeded.check_twins(OnInput(m), TAKES)
    x = torch.randn(1024)
    for what, count in TAKES.items():
        assert torch.equal(m.run_on(what, x, False)[:count], expected(what, x)), what


def check_fault_bugs(m):
    bugs = dict(ALWAYS)
    bugs.update({"memory": IN_MEMORY, "races": IN_RACES}.get(seeded.KIND, {}))
    seeded.check_bugs(OnInput(m), __file__, bugs)


def check_what_is_not_awaited_is_not_there(m):
    if seeded.KIND != "plain":
        return
    x = torch.randn(1024)
    for what in ("awaited", "groups", "halves"):
        assert not torch.equal(m.run_on(what, x, True)[:64], expected(what, x)[:64]), what


def check_zeros(m):
    for n in (128, 126, 61, 0):
        x = torch.randn(n if n else 1)
        if n == 0:
            continue
        padded = torch.zeros(256)
        padded[:n] = x
        assert torch.equal(m.zeros(x), padded), n


def check_atomics(m):
    y = m.atomics(3)
    half = torch.tensor([0.5 * 192]).view(torch.int32).item()
    assert y.tolist() == [5 + sum(range(64)), 384, 191, 0xffff, 7, 1, 576, 573, 9, half], y
