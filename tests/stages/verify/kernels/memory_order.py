import seeded

WITHIN, BETWEEN, READ_ONLY = {"within_block"}, {"between_blocks"}, {"read_only_load"}
BUGS = {
    "shuffled": WITHIN, "voted": WITHIN, "handed": WITHIN,
    "leader": BETWEEN, "early_fence": BETWEEN, "early_ticket": BETWEEN, "warp": BETWEEN | WITHIN,
    "chain": BETWEEN, "handed_on": BETWEEN, "published": BETWEEN, "lock": BETWEEN,
    "read_only": READ_ONLY, "read_only_bytes": READ_ONLY,
}
# The order of threads decides whether memory is read before it is written.
UNWRITTEN = {"uninitialized_shared"}


def check_twins_are_clean(m):
    seeded.check_twins(m, [*BUGS, "accumulated"])


def check_each_is_found_with_its_line(m):
    if seeded.KIND == "races":
        seeded.check_bugs(m, __file__,
                          {what: reasons | UNWRITTEN for what, reasons in BUGS.items()})
