"""How the executor runs one trial of a candidate: the options that differ from trial to trial, and what
it changes in device memory between trials."""

# With so many trials, the first ones show what goes on changing; before every third trial behind them it gets
# other values.
MANY, _EACH = 8, 3


def begin(runtime, request, index):
    """Sets the executor's options for a trial. Returns whether torch is to fill new memory."""
    trial, options = request["trials"][index], request["runtime"]["options"]
    # The natural order of blocks and threads first, then others: a result that depends on the order
    # has a race.
    alike = index == 0 or trial["state"]
    order = 0 if alike else options["seed"] + index
    fresh = 0 if trial["state"] else options.get("fresh", 0) + index
    if trial["left"] or trial["as_device"]:
        fresh |= 1  # The executor fills new memory.
    runtime.configure(seed=order, fresh=fresh, as_device=trial["as_device"])
    # What a kernel was allowed stays allowed, as in one process with a device.
    runtime.reset(True)
    # Where kernels run, the executor fills new memory for odd numbers.
    return fresh % 2 == 0 or not options.get("run_kernels", True)


def leave(runtime, request, index, outputs):
    """What new memory holds in the trial after this one, if there is one."""
    following = request["trials"][index + 1:index + 2]
    changed = bool(following) and following[0]["as_device"]
    stays = changed or (bool(following) and following[0]["left"])
    runtime.leave(outputs if stays else [], changed)


class Changing:
    """Gives other values to what goes on changing on the device, before some of many trials
    (stages/cuda_executor/runtime/changing_words.h). `without`: tensors that calls are to change."""

    def __init__(self, runtime, trials, without):
        self._runtime = runtime if trials >= MANY else None
        self._without, self._before = without, 0

    def begin(self, index):
        """Before a trial. Returns how many words it has changed."""
        if not self._runtime or index < MANY or index % _EACH:
            return 0
        return self._runtime.disturb()

    def end(self, index, inputs):
        """After a trial."""
        if not self._runtime:
            return
        if index == 0:
            self._before = self._runtime.allocations()
            self._without = [*self._without, *inputs]
        self._runtime.note_changes(self._before, self._without)
