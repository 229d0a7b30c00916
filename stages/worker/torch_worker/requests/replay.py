"""Runs what forward() has done to device memory once more, with other inputs
(stages/cuda_executor/runtime/replay/replay.h)."""

import torch

from torch_worker import exchange

_tensor = torch.Tensor
_OUTCOME = "not_replayed", "same_replayed", "other_orders", "sent_otherwise", "keeps"


def alike(first, second):
    """Whether values can take each other's place: a tensor's shape, dtype and layout are the same,
    and anything else is equal."""
    if not isinstance(first, _tensor) or not isinstance(second, _tensor):
        return type(first) is type(second) and first == second
    return (first.shape == second.shape and first.dtype == second.dtype
            and first.stride() == second.stride()
            # A tensor that begins within its memory has the strides of one that does not.
            and first.storage_offset() == second.storage_offset())


def replayed(runtime, inputs, values, earlier, trial):
    """Ends the record and runs it in an order (replay/stream_order.h). Returns, for the reply, why it
    did not run, or "", whether it ran with the same inputs, whether its streams allow other orders,
    how many bytes that the host sent are others than in the record before, and whether earlier calls
    have left anything in memory. `values`: those of the record and others; None if nothing is
    recorded. `earlier`: tensors of the calls before."""
    outcome = "", False, False, 0, False
    if values is not None:
        tuples = list(zip(*(exchange.leaves(item) for item in (inputs, *values))))
        may_change = all(alike(same, other) for _, same, other in tuples)
        why_not, ran_same, other_orders, sent, keeps = runtime.replay(
            [(tensor, same, other if may_change else same) for tensor, same, other in tuples
             if isinstance(tensor, _tensor)], trial["order"], earlier, trial["changed_at"])
        outcome = why_not, ran_same or not may_change, other_orders, sent, keeps and may_change
    return dict(zip(_OUTCOME, outcome))
