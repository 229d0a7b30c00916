"""Finds out whether integer inputs are numbers, of which any is allowed, or positions, counts and
codes, of which a kernel need handle only those that get_inputs() can return.

They are numbers if all that the reference does with them is arithmetic and conversion. Gathering,
comparing with other integers (`arange(n) < lengths`) and choosing by them need not raise an error
for an integer that has no meaning. They are places if they also name what is gathered, and nothing
else is done with them: then any order of them is allowed.

What is done with a few of them is followed through views and arithmetic, up to where they end as bools,
as floating-point numbers or as numbers of segments: the flags of a mask, and the offsets or lengths
of segments, need not all be numbers for that.
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
# Those that put integers in order. Their indices count as integers that are used, too.
_ORDERING = frozenset("""
    sort argsort topk argmax argmin kthvalue median cummax cummin msort
""".split())
# Those that only compare integers with each other. A sort or a median may count them instead,
# where there are few.
_FINDING = frozenset("topk argmax argmin cummax cummin max min".split())
# Those that take offsets or lengths of segments. Their results are numbers of segments, or no integers.
_SEGMENTING = frozenset("""
    embedding_bag _embedding_bag _embedding_bag_forward_only segment_reduce repeat_interleave bucketize
    searchsorted sparse_compressed_tensor _sparse_compressed_tensor_unsafe sparse_csr_tensor
    _sparse_csr_tensor_unsafe _local_scalar_dense
""".split())
# Those that multiply, by which large integers leave their type's range.
_PRODUCTS = frozenset("mul square prod pow cumprod".split())
_LOOK_UPS = frozenset("embedding index index_select gather take take_along_dim".split())
_MOST_SCALE = 1 << 12
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


def _floats(values):
    return [item for item in _pytree.tree_leaves(values)
            if isinstance(item, _tensor) and item.is_floating_point()]


class IntegerUses(TorchDispatchMode):
    """A context. Afterwards `numbers` says whether the integers are only computed with, `places`
    whether they are only computed with and looked up by, `ordered` whether they are only computed with
    and put in order, `multiplied` whether large ones leave the
    range of a product, and `overwrites` whether results depend on an order that torch leaves open if
    integers repeat. `compares` says whether some are put in order and all of these only compared with
    each other, and `meets` whether floating-point tensors are compared with others. Of the integers
    `followed`, `flags` says whether they are only computed with, and `segments` whether beside
    that they only divide other tensors into segments."""

    def __init__(self, followed=()):
        super().__init__()
        self.numbers = self.places = self.ordered = True
        self.flags = self.segments = True
        self.overwrites = self._finds = self._sorts = False
        self.multiplied = self.meets = False
        # A tensor stays alive here, so that no other has its id.
        self._followed = {id(item): item for item in _integers(followed)}

    @property
    def compares(self):
        return self.ordered and self._finds and not self._sorts

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func._schema.name.removeprefix("aten::")
        integers = _integers((args, kwargs))
        if integers:
            scalar = name in _COMPARISONS and len(integers) == 1
            computed = name in _ARITHMETIC or scalar
            self.numbers &= computed
            self.places &= computed or name in _LOOK_UPS
            self.ordered &= computed or name in _ORDERING
            self._finds |= name in _FINDING
            self._sorts |= name in _ORDERING - _FINDING
            self.multiplied |= name in _PRODUCTS and (
                name != "mul" or len(integers) > 1 or integers[0].element_size() < 8
                or not _is_small(args[1:]))
            adds = name in _PUT and len(args) > 3 and bool(args[3])
            self.overwrites |= (name in _OVERWRITING and "reduce" not in kwargs) or (
                name in _PUT and not adds)
        if name in _COMPARISONS or name in ("bucketize", "searchsorted"):
            self.meets |= len(_floats((args, kwargs))) > 1
        result = func(*args, **kwargs)
        if any(id(item) in self._followed for item in integers):
            self._follow(name, computed, args, result)
        return result

    def _follow(self, name, computed, args, result):
        self.flags &= computed
        looked_up_by = "embedding_bag" in name and id(args[1]) in self._followed  # Its indices.
        self.segments &= not looked_up_by and (
            computed or name in _COMPARISONS or name in _SEGMENTING)
        if name not in _SEGMENTING:
            self._followed.update((id(item), item) for item in _integers(result))


def _is_small(values):
    return all(isinstance(item, (int, float)) and abs(item) <= _MOST_SCALE for item in values)
