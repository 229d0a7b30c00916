"""Computes a reference by other formulas, which a right kernel may use: those of textbooks, where
torch has more exact ones. Where both differ by more than the tolerance, values say nothing about a
kernel.

What is computed exactly because that alone is the operator's purpose (log1p, expm1, hypot) stays.
"""

import numpy
import torch
from torch.utils._python_dispatch import TorchDispatchMode

_aten = torch.ops.aten


def _elu(x, alpha=1, scale=1, input_scale=1):
    return torch.where(x > 0, x * scale, (torch.exp(x * input_scale) - 1) * (alpha * scale))


def _tanh(x):
    shrunk = torch.exp(-2 * x.abs())
    return torch.sign(x) * (1 - shrunk) / (1 + shrunk)


def _moments(x, dims):
    """Mean and variance from the sums of the values and of their squares."""
    mean = x.mean(dims, keepdim=True)
    return mean, (x.square().mean(dims, keepdim=True) - mean.square()).clamp(min=0)


def _var(x, dim=None, *, correction=None, keepdim=False):
    dims = list(range(x.dim())) if not dim else list(dim)
    _, var = _moments(x, dims)
    count = 1
    for d in dims:
        count *= x.shape[d]
    var = var * (count / max(count - (1 if correction is None else correction), 1e-30))
    return var if keepdim else var.reshape([n for d, n in enumerate(x.shape) if d not in
                                            {i % x.dim() for i in dims}])


def _std(x, dim=None, *, correction=None, keepdim=False):
    return _var(x, dim, correction=correction, keepdim=keepdim).sqrt()


def _layer_norm(x, shape, weight, bias, eps):
    mean, var = _moments(x, list(range(x.dim() - len(shape), x.dim())))
    y = (x - mean) * torch.rsqrt(var + eps)
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias), mean, torch.rsqrt(var + eps)


def _group_norm(x, weight, bias, batch, channels, inner, groups, eps):
    mean, var = _moments(x.reshape(batch, groups, -1), [2])
    y = ((x.reshape(batch, groups, -1) - mean) * torch.rsqrt(var + eps)).reshape(x.shape)
    shape = [1, channels] + [1] * (x.dim() - 2)
    y = y if weight is None else y * weight.reshape(shape)
    y = y if bias is None else y + bias.reshape(shape)
    return y, mean.reshape(batch, groups), torch.rsqrt(var + eps).reshape(batch, groups)


def _cumsum(x, dim, *, dtype=None):
    """In float32, one element after the other: torch sums in float64 on a CPU."""
    if x.dim() == 0:
        return x if dtype is None else x.to(dtype)
    sums = numpy.add.accumulate(x.detach().float().numpy(), axis=dim, dtype=numpy.float32)
    return torch.from_numpy(sums).to(dtype or x.dtype)


def _vector_norm(x, order=2, dim=None, keepdim=False, *, dtype=None):
    """The root of the sum of squares, which overflow; others as torch computes them."""
    if order != 2:
        return _aten.linalg_vector_norm.default(x, order, dim, keepdim, dtype=dtype)
    x = x if dtype is None else x.to(dtype)
    dims = list(range(x.dim())) if not dim else list(dim)
    return x.square().sum(dims, keepdim=keepdim).sqrt()


def _batch_norm(x, weight, bias, mean, var, training, momentum, eps):
    if not training and mean is not None:
        return _aten.native_batch_norm.default(x, weight, bias, mean, var, training, momentum, eps)
    mean, var = _moments(x, [d for d in range(x.dim()) if d != 1])
    scale = torch.rsqrt(var + eps)
    y = (x - mean) * scale
    shape = [1, -1] + [1] * (x.dim() - 2)
    y = y if weight is None else y * weight.reshape(shape)
    y = y if bias is None else y + bias.reshape(shape)
    return y, mean.flatten(), scale.flatten()


FORMULAS = {
    _aten.elu.default: _elu,
    _aten.tanh.default: _tanh,
    _aten.var.correction: _var,
    _aten.std.correction: _std,
    _aten.native_layer_norm.default: _layer_norm,
    _aten.native_group_norm.default: _group_norm,
}
def _gated(activation):
    """An activation x * gate(x) that remembers x and its gate, for _product()."""
    def formula(x, **kwargs):
        result = activation(x, **kwargs)
        result.factors = x, torch.where(x == 0, torch.full_like(x, 0.5), result / x)
        return result
    return formula


def _product(a, b):
    """A kernel may multiply the number that an activation has let through before the gate."""
    for one, other in ((a, b), (b, a)):
        if hasattr(one, "factors"):
            number, gate = one.factors
            return _aten.mul.Tensor(_aten.mul.Tensor(number, other), gate)
    return _aten.mul.Tensor(a, b)


# Torch computes these in wider types, or in an order, where numbers of float32 would overflow in others.
IN_FLOAT32 = {
    **FORMULAS,
    _aten.silu.default: _gated(_aten.silu.default),
    _aten.gelu.default: _gated(_aten.gelu.default),
    _aten.mul.Tensor: _product,
    _aten.linalg_vector_norm.default: _vector_norm,
    _aten.native_batch_norm.default: _batch_norm,
}
ROUNDED_SUMS = {_aten.cumsum.default: _cumsum}


class Textbook(TorchDispatchMode):
    """A context in which torch computes floating-point numbers by these formulas. `used`: whether it
    used one."""

    def __init__(self, formulas):
        super().__init__()
        self.used = False
        self._formulas = formulas

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        formula = self._formulas.get(func)
        if formula is None or not args[0].is_floating_point():
            return func(*args, **kwargs)
        self.used = True
        return formula(*args, **kwargs)
