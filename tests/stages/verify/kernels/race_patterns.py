import seeded

WITHIN, BETWEEN = {"within_block"}, {"between_blocks"}
BUGS = {
    "tile_load": WITHIN, "tile_reuse": WITHIN, "tail": WITHIN, "histogram": WITHIN, "clear": WITHIN,
    "ping_pong": WITHIN, "scan": WITHIN, "transpose": WITHIN, "broadcast": WITHIN,
    "rebroadcast": WITHIN, "mixed": WITHIN, "leader": WITHIN, "alias": WITHIN, "warp_sync": WITHIN,
    "overlap": BETWEEN, "global_sum": WITHIN | BETWEEN, "in_place": WITHIN,
    "halo": WITHIN | BETWEEN,
    "maximum": WITHIN | BETWEEN, "flag": BETWEEN, "column": BETWEEN,
}
# The order of threads decides whether memory is read before it is written.
UNWRITTEN = {"uninitialized_shared"}


def check_twins_are_clean(m):
    seeded.check_twins(m, BUGS)


def check_each_is_found_with_its_line(m):
    if seeded.KIND == "races":
        seeded.check_bugs(m, __file__,
                          {what: reasons | UNWRITTEN for what, reasons in BUGS.items()})
