"""Calls of forward() after all trials, which show what a candidate keeps from one call to the next."""

import torch

from torch_worker import exchange
from torch_worker.requests import kept_state, value_tables

LEAK = "OutOfMemoryError"
_MORE_CALLS = 4
_tensor = torch.Tensor


def found(runtime, call, inputs, constants, statistics, state):
    """(LEAK or the reason of a refusal, why), or None. `call`: calls forward() with some inputs.
    `constants`: those of value_tables.py, or none. `statistics`: tensors that calls are to change.
    `state`: takes a kept_state.State."""
    seen = [item for item in exchange.leaves(inputs) if isinstance(item, _tensor)]
    calls = kept_state.Calls(runtime, statistics)
    for _ in range(_MORE_CALLS):
        seen += call(inputs)
        calls.note(state())
    if leak := calls.leak():
        return LEAK, leak
    if path := calls.counter({item.data_ptr() for item in seen}):
        return "fallback", (f"{path:.80} changes from call to call with the same inputs, so that it tells how "
                            "often forward() was called")
    if constants and value_tables.look_up(runtime, call, constants):
        return "fallback", ("a kernel looks results up, by the values of its inputs, in memory that was filled "
                            "before the first call; compute them in the kernel")
    return None
