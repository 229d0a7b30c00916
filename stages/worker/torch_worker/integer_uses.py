"""Finds out whether integer inputs are numbers, of which any is allowed, or positions, counts and
codes, of which a kernel need handle only those that get_inputs() can return.

They are numbers if all that the reference does with them is arithmetic and conversion. Gathering,
comparing with other integers (`arange(n) < lengths`) and choosing by them need not raise an error
for an integer that has no meaning.
"""

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

_tensor = torch.Tensor
_ARITHMETIC = frozenset("""
    add sub rsub mul div floor_divide remainder fmod neg abs sign square sum mean prod cumsum amax
    amin max min clamp maximum minimum clone copy_ _to_copy alias detach view _unsafe_view reshape
    permute transpose t expand unsqueeze squeeze slice select cat stack
""".split())
_COMPARISONS = frozenset("eq ne lt le gt ge".split())
# Where several elements go to one place, torch leaves open which one stays.
_OVERWRITING = frozenset("scatter scatter_ index_copy index_copy_ put_ masked_scatter".split())
_PUT = frozenset("index_put index_put_ _index_put_impl_".split())


def is_order(x):
    """Whether integers are sorted, or a permutation: offsets, say, which others would not be."""
    flat = x.flatten()
    ordered = bool((flat[1:] >= flat[:-1]).all())
    return ordered or flat.unique().numel() == flat.numel() == int(flat.max()) + 1


def _integers(values):
    return [item for item in _pytree.tree_leaves(values) if isinstance(item, _tensor)
            and not (item.is_floating_point() or item.is_complex() or item.dtype == torch.bool)]


class IntegerUses(TorchDispatchMode):
    """A context. Afterwards `numbers` says whether the integers are only computed with, and
    `overwrites` whether results depend on an order that torch leaves open if integers repeat."""

    def __init__(self):
        super().__init__()
        self.numbers, self.overwrites = True, False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func._schema.name.removeprefix("aten::")
        integers = _integers((args, kwargs))
        if integers:
            scalar = name in _COMPARISONS and len(integers) == 1
            self.numbers &= name in _ARITHMETIC or scalar
            adds = name in _PUT and len(args) > 3 and bool(args[3])
            self.overwrites |= (name in _OVERWRITING and "reduce" not in kwargs) or (
                name in _PUT and not adds)
        return func(*args, **kwargs)
