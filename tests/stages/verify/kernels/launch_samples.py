import os

import km_cuda
import torch

# The allocator of builds that check memory touches the first page of an allocation.
TOUCHES = os.environ["KERNELMILL_BUILD_KIND"] == "memory"
FILL = 0x5B


def sampled(function, y, threads=4096, filled=True, **options):
    km_cuda.reset()
    number = km_cuda.allocation_of(y())
    km_cuda.reset()
    y = y()
    assert km_cuda.allocation_of(y) == number
    km_cuda.configure(sample=dict(threads=threads, part=1, seed=7, fill=FILL,
                                  filled=[[number, y.element_size()]] if filled else [], **options))
    try:
        function(y)
    finally:
        km_cuda.configure(sample=None)
    return y, km_cuda.launches()


def check_some_blocks_run(m):
    y, (launch,) = sampled(lambda y: m.numbered(y, 100_000, 1), lambda: torch.zeros(6_400_000).int(),
                           filled=False)
    ran = sorted(set(y.tolist()))
    assert len(ran) == launch["blocks_run"] == 64
    assert {0, 99_999, 65536, 32768, 16384} <= set(ran), ran
    # Two blocks share each place of which there are a power of two.
    for places in (2, 128, 4096):
        assert len({block % places for block in ran}) < len(ran), places


def check_a_filled_output_shows_what_is_written(m):
    y, (launch,) = sampled(lambda y: m.numbered(y, 1000, 1),
                           lambda: torch.empty(64_000, dtype=torch.int32))
    assert launch["first_block_items"] == 64 and launch["items"] == 64 * launch["blocks_run"]
    assert (y == 0x5B5B5B5B).sum().item() == 64 * (1000 - launch["blocks_run"])


def check_touched_pages_of_a_large_output(m):
    # 16 GiB, of which some pages are used.
    def large():
        return torch.empty(1 << 32, dtype=torch.int32)

    if TOUCHES:
        return
    y, launches = sampled(lambda y: m.numbered(y, 65535, 2), large, touched_pages=True)
    for launch in launches:
        assert launch["first_block_items"] == 64
        assert launch["items"] == 64 * launch["blocks_run"] == 64 * 64
    # A read touches a page, too. Nothing had touched this one before the first launch.
    assert launches[0]["items_before"] <= 1024
    assert 32 * 1024 < launches[1]["items_before"] <= 65 * 1024


def check_what_was_there_counts_as_written(m):
    y, (launch,) = sampled(lambda y: m.numbered(y, 100, 1), lambda: torch.ones(1 << 20).int(),
                           touched_pages=True)
    assert launch["items_before"] == 1 << 20


def check_blocks_that_write_more_than_the_first(m):
    y, (launch,) = sampled(m.lower, lambda: torch.empty(512, 512, dtype=torch.int32),
                           touched_pages=True)
    assert launch["first_block_items"] == 1
    share = launch["items"] / launch["blocks_run"] / 512
    assert 0.4 < share < 0.6, share


def check_later_launches_run_no_block(m):
    y, launches = sampled(lambda y: m.numbered(y, 1000, 3), lambda: torch.zeros(64_000).int(),
                          filled=False, launches=1)
    assert [launch["blocks_run"] for launch in launches] == [64, 0, 0]
    assert y.view(1000, 64)[999].tolist() == 64 * [999]
