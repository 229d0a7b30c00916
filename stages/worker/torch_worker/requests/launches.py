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


def sampled(launch):
    """What a judge needs about a launch of which only some blocks ran."""
    return {"blocks": math.prod(launch["grid"]), "run": launch["blocks_run"],
            "first_block_items": launch["first_block_items"],
            "global_atomics": bool(launch["global_atomics"])}
