import seeded

BEYOND, INDEX, FREED = {"buffer_overflow"}, {"array_index", "buffer_overflow"}, {"use_after_free"}
FAR = {"buffer_overflow", "bad_pointer", "far_pointer"}
BUGS = {
    "before": BEYOND, "write_before": BEYOND, "corner": BEYOND, "loop": BEYOND, "tail": BEYOND,
    "vector_end": BEYOND, "vector_rest": BEYOND, "cached_rest": BEYOND, "halo": BEYOND,
    "cached": BEYOND, "half": BEYOND, "gather": BEYOND,
    "column": BEYOND, "shared_before": BEYOND, "shared_row": INDEX, "too_little": BEYOND,
    "bins": INDEX, "halo_tile": INDEX, "local_before": INDEX, "local_top": INDEX, "member": INDEX,
    "constant": INDEX, "table": INDEX, "product": FAR, "wrap": FAR, "backwards": FAR, "narrow": FAR,
    "freed_buffer": FREED, "freed_tensor": FREED, "freed_async": FREED, "freed_managed": FREED,
}


def check_twins_are_clean(m):
    seeded.check_twins(m, BUGS)


def check_fault_each_is_found_with_its_line(m):
    if seeded.KIND == "memory":
        seeded.check_bugs(m, __file__, BUGS)
