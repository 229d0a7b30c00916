import seeded

EXITED, DEADLOCK = {"exited_before_barrier"}, {"deadlock"}
BUGS = {
    "branch": EXITED, "two": {"divergent_barrier"}, "early": EXITED, "trips": EXITED,
    "break": EXITED,
    "count": EXITED, "half_warp": DEADLOCK,
    "other_mask": {"lane_outside_mask", "shuffle_from_absent_lane"},
    "warp_barrier": DEADLOCK, "vote": DEADLOCK, "tile": DEADLOCK, "group": EXITED,
}


def check_twins_are_clean(m):
    seeded.check_twins(m, BUGS)


def check_fault_each_is_found_with_its_line(m):
    seeded.check_bugs(m, __file__, BUGS)
