"""Integer cost of dispatched operators: FLOPs and bytes moved.

FLOPs: torch's formula where torch.utils.flop_counter has one (a multiply-add is two); otherwise one
for each element of the largest input or output; none for views, allocations and copies.
Bytes: every input and every output tensor once; none for views.
Updates of counters (is_count()) are ignored.
"""

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

_FREE = frozenset("""
    empty empty_like empty_strided new_empty new_empty_strided zeros zeros_like new_zeros ones
    ones_like new_ones full full_like new_full arange clone copy _to_copy lift_fresh detach cat
    stack index_select constant_pad_nd scalar_tensor resize_ set_ repeat fill_ zero_
    copy_ embedding gather index flip roll contiguous
""".split())
# Views that torch does not call views: they return the memory of their input.
_VIEWS = frozenset(("aten._unsafe_view", "aten._reshape_alias"))

_tensor, _leaves, _registry = torch.Tensor, _pytree.tree_leaves, dict(flop_registry)
_numel, _element_size = torch._C.TensorBase.numel, torch._C.TensorBase.element_size
_rank, _dtype = torch._C.TensorBase.dim, torch._C.TensorBase.dtype.__get__
_functions_off = torch._C.DisableTorchFunctionSubclass


def is_count(operands):
    """Whether an in-place addition updates a single integer: batch normalisation counts its
    training batches that way, and no result depends on the count."""
    with _functions_off():
        return (len(operands) > 0 and isinstance(operands[0], _tensor) and _rank(operands[0]) == 0
                and _dtype(operands[0]) is torch.int64)


class OverBudget(BaseException):
    """Ends a run that exceeds its budget. Not an Exception, because tasks catch those."""


class CostMode(TorchDispatchMode):
    """Sums the cost of the operators that run under it, counts them, and raises OverBudget."""

    def __init__(self, max_flops, max_bytes):
        super().__init__()
        self.flops, self.bytes, self.operators = 0, 0, {}
        self._max_flops, self._max_bytes = max_flops, max_bytes

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        packet = func._overloadpacket
        name = packet._qualified_op_name.replace("::", ".")
        if name == "prim.device":  # Dispatched only for tensors without data.
            return out
        if name == "aten.add_" and is_count(args):
            return out
        self.operators[name] = self.operators.get(name, 0) + 1
        if not func.is_view and name not in _VIEWS:
            ins = [x for x in _leaves((args, kwargs)) if isinstance(x, _tensor)]
            outs = [x for x in _leaves(out) if isinstance(x, _tensor)]
            self.bytes += sum(_numel(x) * _element_size(x) for x in ins + outs)
            if packet in _registry:
                self.flops += int(_registry[packet](*args, **kwargs, out_val=out))
            elif name.rpartition(".")[2] not in _FREE:
                self.flops += max((_numel(x) for x in ins + outs), default=0)
            if self.flops > self._max_flops or self.bytes > self._max_bytes:
                raise OverBudget
        return out
