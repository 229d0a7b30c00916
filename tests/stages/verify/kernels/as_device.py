import os

import km_cuda
import torch

# Builds that check accesses have a stack for each thread.
PLAIN = os.environ["KERNELMILL_BUILD_KIND"] == "plain"


def check_all_add_before_one_reads(m):
    for as_device in (False, True):
        km_cuda.configure(seed=3, as_device=as_device)
        seen = m.counts(96)
        km_cuda.configure(as_device=False)
        assert bool((seen == 96).all()) == (as_device and PLAIN), (as_device, seen)


def check_local_variables_have_one_address(m):
    for seed in range(4):
        for as_device in (True, False):
            km_cuda.configure(seed=seed, as_device=as_device)
            places, sums = m.locals(96)
            km_cuda.configure(as_device=False)
            threads = torch.arange(96)
            other = threads ^ 1
            wanted = 64 * threads + 63 * 32
            for added in range(4):
                wanted += other + added
            assert torch.equal(sums, wanted), (seed, as_device)
            alike = bool((places == places[0]).all())
            assert alike == (as_device and PLAIN), (seed, as_device, places)


def check_new_memory_looks_like_values(m):
    km_cuda.configure(fresh=1, as_device=True)
    new = [torch.empty(1000, dtype=dtype) for dtype in (torch.float, torch.half, torch.double)]
    km_cuda.configure(fresh=0, as_device=False)
    for values in new:
        assert values.isfinite().all() and values.unique().numel() > 400, values


def check_results_are_left_with_changes(m):
    result = torch.randn(1000)
    km_cuda.configure(fresh=1, as_device=True)
    km_cuda.leave([result], True)
    new = torch.empty(1000)
    km_cuda.leave([])
    km_cuda.configure(fresh=0, as_device=False)
    near = (new - result).abs() <= 1e-6 * result.abs()
    assert 300 < near.sum() < 700 and (new != result).sum() > 600, near.sum()


def check_what_goes_on_changing_gets_other_values(m):
    first = km_cuda.allocations()
    for call in range(5):
        assert m.kept_before().tolist() == [call, 0, 5 if call else 0, call % 2]
        km_cuda.note_changes(first, [])
    assert km_cuda.disturb() == 1
    before = m.kept_before().tolist()
    assert before[0] != 5 and before[1:] == [0, 5, 1], before
