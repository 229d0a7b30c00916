"""Exchanges tensors and plain values between the judge and its workers.

Tensors are stored in shared memory in row-major order. A *spec* describes one: {"dtype", "shape",
"stride", "offset"}. Other values are encoded as JSON that decodes to equal Python objects.
"""

import ctypes
import mmap
import os

import torch

_DTYPES = {str(dtype).removeprefix("torch."): dtype for dtype in (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
    torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_ALIGNMENT = 64
_MAX_DEPTH = 16
_map = ctypes.CDLL(None, use_errno=True).mmap

# Bound before a candidate runs, so that its changes to torch's classes have no effect here.
_tensor = torch.Tensor
_frombuffer, _empty_strided = torch.frombuffer, torch.empty_strided
_base = torch._C.TensorBase
_copy, _reshape = _base.copy_, _base.reshape
_detach, _numel, _item_size = _base.detach, _base.numel, _base.element_size
_get_dtype, _get_shape, _stride = _base.dtype.__get__, _base.size, _base.stride
_get_layout, _storage = _base.layout.__get__, _base.untyped_storage
_resolve_conj, _resolve_neg = _base.resolve_conj, _base.resolve_neg
_module = torch.nn.Module
_new_module, _set = _module.__init__, object.__setattr__
_LAYERS = {name: layer for name, layer in vars(torch.nn).items()
           if isinstance(layer, type) and issubclass(layer, _module)}
_LAYER_NAMES = {layer: name for name, layer in _LAYERS.items()}


class NotExchangeable(Exception):
    """A value has no encoding; the message names its type."""


class BufferFull(Exception):
    """The tensors do not fit into the shared memory."""


def copy_values(target, source):
    """Copies values in row-major order to a tensor with the same dtype and number of elements."""
    _copy(target, _reshape(source, _get_shape(target)))


def alias(tensor):
    """Another tensor with the same memory, which later changes of the tensor's own attributes leave
    as it is, and the bytes of its values."""
    tensor = _detach(tensor)
    if _get_layout(tensor) is not torch.strided:
        raise NotExchangeable(f"a tensor of {_get_layout(tensor)}")
    return tensor, _numel(tensor) * _item_size(tensor)


def same_memory(first, second):
    """Also true if one of them has no memory that could be asked for."""
    try:
        return _storage(first).data_ptr() == _storage(second).data_ptr()
    except Exception:
        return True


def _mapped_file(descriptor, size, flags):
    """The memory of a file. Python's own mmap would keep a descriptor of it."""
    _map.restype = ctypes.c_void_p
    place = _map(None, ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE, flags, descriptor,
                 ctypes.c_long(0))
    if place in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "the memory of a request cannot be mapped")
    return (ctypes.c_char * size).from_address(place)


class Buffer:
    """The shared memory of an open file, until the process ends; the descriptor may be closed. The
    worker cannot change the memory unless `writable`. `copy` does what copy_values() does; it raises
    TypeError for tensors without memory of their own."""

    def __init__(self, descriptor, writable, copy=copy_values):
        size = os.fstat(descriptor).st_size
        # Torch needs writable memory: a read-only file is mapped privately.
        flags = mmap.MAP_SHARED if writable else mmap.MAP_PRIVATE
        self._map = _mapped_file(descriptor, size, flags)
        self._copy = copy
        self._size, self._used = size, _ALIGNMENT

    def counter(self):
        """A view of the first eight bytes as an integer; no tensor occupies them."""
        return memoryview(self._map).cast("B")[:8].cast("q")

    def _at(self, offset, count, dtype):
        return _frombuffer(self._map, dtype=dtype, count=count, offset=offset)

    def put(self, tensor):
        """Appends a tensor's values and returns their spec."""
        tensor = _detach(tensor)
        if _get_layout(tensor) is not torch.strided or _get_dtype(tensor) not in _NAMES:
            raise NotExchangeable(f"a tensor of {_get_dtype(tensor)}")
        spec = {"dtype": _NAMES[_get_dtype(tensor)], "shape": list(_get_shape(tensor)),
                "stride": list(_stride(tensor)), "offset": self._used}
        values = _resolve_neg(_resolve_conj(tensor))
        count = _numel(values)
        if count:
            end = self._used + count * _item_size(values)
            if end > self._size:
                raise BufferFull
            try:
                self._copy(self._at(self._used, count, _get_dtype(values)), values)
            except TypeError:
                raise NotExchangeable("a tensor without memory of its own") from None
            self._used = -(-end // _ALIGNMENT) * _ALIGNMENT
        return spec

    def get(self, spec):
        """A new tensor with the values and the strides of a spec."""
        dtype = _DTYPES[spec["dtype"]]
        shape, count = spec["shape"], 1
        for size in shape:
            count *= size
        target = _empty_strided(shape, _writable_strides(shape, spec["stride"]), dtype=dtype)
        if count:
            self._copy(target, self._at(spec["offset"], count, dtype))
        return target


class Shapes:
    """Stands for a Buffer where tensors are exchanged without their values. Their memory is only
    reserved: it uses none until it is written. `values`: the Buffer of those that have values all
    the same, which are not on torch's device "meta"."""

    def __init__(self, values=None):
        self._values = values

    def put(self, tensor):
        if self._values and tensor.device.type != "meta":
            return {**self._values.put(tensor), "filled": True}
        if _get_layout(tensor) is not torch.strided or _get_dtype(tensor) not in _NAMES:
            raise NotExchangeable(f"a tensor of {_get_dtype(tensor)}")
        return {"dtype": _NAMES[_get_dtype(tensor)], "shape": list(_get_shape(tensor)),
                "stride": list(_stride(tensor)), "offset": _ALIGNMENT}

    def get(self, spec):
        if spec.get("filled"):
            return self._values.get(spec)
        shape = spec["shape"]
        return _empty_strided(shape, _writable_strides(shape, spec["stride"]),
                              dtype=_DTYPES[spec["dtype"]])


def _writable_strides(shape, strides):
    """The strides, or row-major ones when elements would share memory (an expanded tensor)."""
    reach = 1
    for stride, size in sorted(zip(strides, shape)):
        if size > 1:
            if stride < reach:
                break
            reach = stride * size
    else:
        return strides
    row_major, step = [], 1
    for size in reversed(shape):
        row_major.insert(0, step)
        step *= max(size, 1)
    return row_major


def encode(value, buffer, depth=0):
    """Encodes a value as JSON and appends its tensors to `buffer`. If `buffer` is None, the value
    must not contain tensors."""
    if depth > _MAX_DEPTH:
        raise NotExchangeable("a value that is nested too deep")
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        return {"int": str(value)}
    if type(value) is float:
        return {"float": value.hex()}
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list, torch.Size):
        items = [encode(item, buffer, depth + 1) for item in value]
        return {"list" if type(value) is list else "tuple": items}
    if type(value) is dict:
        return {"dict": [[encode(key, None, depth + 1), encode(item, buffer, depth + 1)]
                         for key, item in value.items()]}
    if isinstance(value, torch.dtype) and value in _NAMES:
        return {"dtype": _NAMES[value]}
    if isinstance(value, _tensor) and buffer is not None:
        kind = "parameter" if isinstance(value, torch.nn.Parameter) else "tensor"
        return {kind: buffer.put(value)}
    if isinstance(value, type) and value in _LAYER_NAMES:
        return {"layer": _LAYER_NAMES[value]}
    if type(value) in _LAYER_NAMES and _is_bare(value):
        own = {name: item for name, item in vars(value).items() if not name.startswith("_")}
        return {"module": [_LAYER_NAMES[type(value)], encode(own, None, depth + 1)]}
    raise NotExchangeable(f"a value of type {type(value).__name__}")


def _is_bare(module):
    """Whether a module of torch has no parameters, buffers, submodules or hooks: an activation."""
    return not any(item for name, item in vars(module).items()
                   if name in ("_parameters", "_buffers", "_modules") or name.endswith("_hooks"))


def _made(name, own):
    """A module of torch with these attributes, created without calling its constructor."""
    module = object.__new__(_LAYERS[name])
    _new_module(module)
    for key, item in own.items():
        _set(module, key, item)
    return module


def decode(value, buffer):
    if not isinstance(value, dict):
        return value
    (kind, body), = value.items()
    if kind == "int":
        return int(body)
    if kind == "float":
        return float.fromhex(body)
    if kind in ("list", "tuple"):
        items = [decode(item, buffer) for item in body]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {decode(key, None): decode(item, buffer) for key, item in body}
    if kind == "dtype":
        return _DTYPES[body]
    if kind == "layer":
        return _LAYERS[body]
    if kind == "module":
        return _made(body[0], decode(body[1], None))
    tensor = buffer.get(body)
    return torch.nn.Parameter(tensor, tensor.is_floating_point()) if kind == "parameter" else tensor


def leaves(value):
    """The leaves of nested lists, tuples and dicts, in order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, (list, tuple, dict)):
            stack.extend(reversed(list(item.values() if isinstance(item, dict) else item)))
        else:
            yield item


def mapped(function, value):
    """The same nested lists, tuples and dicts with `function` applied to each leaf."""
    if isinstance(value, dict):
        return {key: mapped(function, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [mapped(function, item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return function(value)


def plain_names(namespace, names):
    """Encodes those of `names` whose values have no tensors: a task's constants."""
    found = {}
    for name in names:
        try:
            found[name] = encode(namespace.get(name), None)
        except NotExchangeable:
            continue
    return found
