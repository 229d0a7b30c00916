"""Describes the launches of a trial for the judge."""

import math


def counted(launches):
    """[{"kernel", "count", "threads", "shared", "most_threads", "counts"}], in order of first
    launch. "threads" and "shared" (dynamic shared memory) are those of the first launch,
    "most_threads" those of the largest block; "counts" are summed over a kernel's launches, and
    None in builds that do not count."""
    kernels = {}
    for launch in launches:
        threads = math.prod(launch["block"])
        kernel = kernels.setdefault(launch["kernel"], {
            "kernel": launch["kernel"], "count": 0, "threads": threads, "shared": launch["shared"],
            "most_threads": threads, "counts": None})
        kernel["count"] += 1
        kernel["most_threads"] = max(kernel["most_threads"], threads)
        if launch["counts"] is not None:
            blocks = math.prod(launch["grid"])
            counts = {"blocks": blocks, "threads": blocks * threads, **launch["counts"]}
            before = kernel["counts"] or dict.fromkeys(counts, 0)
            kernel["counts"] = {name: value + before[name] for name, value in counts.items()}
    return list(kernels.values())[:256]


def sampled(launches):
    """What a judge needs about launches of which only some blocks ran. "most_items": how many
    elements of the filled memory all of their blocks write at most, if none writes more than the
    first one of its launch, or than those that ran do on average. "left_pages": of blocks/scratch_pages.h,
    as the last launch leaves them."""
    most = 0
    for launch in launches:
        blocks, run = math.prod(launch["grid"]), max(launch["blocks_run"], 1)
        most += launch["items_before"] + max(launch["first_block_items"] * blocks,
                                             -(-launch["items"] * blocks // run))
    first = launches[0] if launches else {"first_block_items": 0}
    return {"launches": len(launches),
            "blocks": sum(math.prod(launch["grid"]) for launch in launches),
            "run": sum(launch["blocks_run"] for launch in launches),
            "first_block_items": first["first_block_items"],
            "most_items": min(most, 2**62),
            "left_pages": launches[-1]["left_pages"] if launches else 0,
            "global_atomics": any(launch["global_atomics"] for launch in launches)}
