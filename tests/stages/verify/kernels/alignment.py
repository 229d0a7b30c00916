import seeded

BUGS = {what: {"misaligned_address"} for what in (
    "four", "two", "store", "row", "shared", "pair", "wide", "cached", "bytes", "pack",
    "loaded", "macro", "place", "choice", "add", "volatile", "flag", "local")}


def check_twins_are_clean(m):
    seeded.check_twins(m, BUGS)


def check_fault_each_is_found_with_its_line(m):
    if seeded.KIND == "plain":
        seeded.check_bugs(m, __file__, BUGS)
