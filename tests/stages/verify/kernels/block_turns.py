import os

import km_cuda
import torch

# Builds that check accesses run blocks one after the other.
IN_TURNS = os.environ["KERNELMILL_BUILD_KIND"] == "plain"


def check_two_steps_are_interrupted(m):
    rights = []
    for seed in range(24):
        x = torch.randint(1, 1_000_000, (4, 32)).int()
        km_cuda.configure(seed=seed)
        rights.append(torch.equal(m.largest_in_two_steps(x), x.amax(0)))
    assert rights[0] and all(rights) != IN_TURNS, rights


def check_shared_memory_is_the_blocks_own(m):
    x = torch.randint(0, 1000, (64 * 33,)).int()
    rows = x.view(33, 64)
    wanted = 3 * rows
    wanted[1::2] = 5 * rows[1::2]
    for seed in range(8):
        km_cuda.configure(seed=seed)
        y, total = m.shared_in_turns(x)
        assert torch.equal(y.view(33, 64), wanted), seed
        assert total.item() == 64 * (33 + 16)


def check_a_lock_is_passed_on(m):
    for seed in range(8):
        km_cuda.configure(seed=seed)
        assert m.count_with_lock(50).tolist() == [0, 50], seed


def check_fault_within_a_turn(m):
    for seed in range(8):
        km_cuda.configure(seed=seed)
        km_cuda.reset()
        try:
            m.trap(20)
        except RuntimeError:
            pass
        assert km_cuda.fault()["reason"] == "trap", km_cuda.fault()
    km_cuda.reset()
    assert m.count_with_lock(20).tolist() == [0, 20]


def check_read_only_parameters_read_what_was_there(m):
    x = torch.arange(64).float()
    for count in (1, 3):
        assert torch.equal(m.passes(x, count, False), x + 1)
        assert torch.equal(m.passes(x, count, True), x + (1 if IN_TURNS else count))
