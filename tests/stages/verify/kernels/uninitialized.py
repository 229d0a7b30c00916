import itertools

import km_cuda
import torch

import seeded

IN_SHARED = {what: {"uninitialized_shared"} for what in (
    "sum", "counter", "bins", "border", "tree", "pair", "blocks")}
# These give NaN in the result, so an answer with them is judged wrong.
IN_RESULT = ("local", "array", "accumulate", "part", "allocated")


def check_twins_are_clean(m):
    seeded.check_twins(m, [*IN_SHARED, *IN_RESULT])


def check_each_is_found_with_its_line(m):
    if seeded.KIND == "races":
        seeded.check_bugs(m, __file__, IN_SHARED)


def check_shared_memory_is_not_always_the_same(m):
    results = []
    for fresh in (0, 1, 2, 3):
        km_cuda.configure(fresh=fresh)
        results.append(m.run("pairs", True))
    assert not any(torch.equal(one, other) for one, other in itertools.combinations(results, 2))


def check_what_is_not_set_is_no_number(m):
    # This fills new tensors with NaN, as in the judge's workers.
    torch.use_deterministic_algorithms(True)
    for what in IN_RESULT:
        assert m.run(what, True).isnan().any() and not m.run(what, False).isnan().any(), what
    torch.use_deterministic_algorithms(False)


def check_what_is_not_set_may_be_large(m):
    for what in ("local", "allocated", "part"):
        results = []
        for fresh in (1, 5, 9):  # 3, 7 … fill it with zeros.
            km_cuda.configure(fresh=fresh)
            results.append(m.run(what, True))
            assert m.run(what, False).abs().max() < 1e16, what
        results = torch.stack(results)
        assert (results > 1e16).any() and (results < -1e16).any(), (what, results)
