"""The tables of names that the legality check uses, each with the reason for its contents."""

from torch_worker.backends import BACKENDS, PACKAGES


def names_in(text):
    """The words of a text."""
    return frozenset(text.split())


# The modules that a candidate may import. Others reach the interpreter, other processes, the
# machine or this program.
ALLOWED_MODULES = PACKAGES | names_in("""
    torch numpy einops cupy setuptools math cmath os sys time typing
    typing_extensions functools itertools collections dataclasses enum abc copy re string random
    warnings contextlib types tempfile pathlib textwrap shutil hashlib json logging operator
    __future__ uuid platform statistics struct numbers io datetime traceback glob errno
    packaging triton argparse threading
""")
# The modules of torch that are refused.
FORBIDDEN_MODULES = names_in("""
    torch.multiprocessing torch.distributed torch.hub torch.utils.dlpack torch.utils.data
    torch.package torch.serialization torch.storage
""")
# The classes that describe an extension for setup().
EXTENSION_CLASSES = frozenset(["CppExtension", "Extension",
                               *(f"{backend.title}Extension" for backend in BACKENDS)])
# Names by which a candidate could stop the record of operators.
MODE_NAMES = names_in("""
    torch._C torch.utils._python_dispatch torch.overrides torch.autograd.profiler torch.profiler
    torch._ops torch._subclasses torch.autograd.graph torch.utils._mode_utils
    _disable_current_modes _pop_mode _pop_mode_temporarily _DisableTorchDispatch
    DisableTorchFunctionSubclass DisableTorchFunction _pop_torch_dispatch_stack
    _pop_torch_function_stack _push_mode _disable_profiler _enable_profiler
""")
# Modules with torch's operators that dispatch modes do not see by their public names.
UNDISPATCHED = ("torch._C._nn", "torch._C._VariableFunctions", "torch._C._linalg", "torch._C._fft",
                "torch._C._special", "torch._C._sparse", "torch._VF", "torch._refs", "torch._prims",
                "torch._decomp")
# Compilers that generate kernels from torch code.
COMPILERS = names_in("""
    torch.compile torch.jit torch.jit.script torch.jit.trace torch.jit.freeze
    torch.jit.optimize_for_inference torch._dynamo torch._dynamo.optimize torch._inductor torch.fx
    torch.fx.symbolic_trace torch.export
""")
# A recorded graph returns its old result for any inputs.
GRAPHS = frozenset(
    ["torch.cuda.make_graphed_callables", "torch.cuda.graphs"] +
    [f"torch.{backend.name}.{name}" for backend in BACKENDS
     for name in (f"{backend.title}Graph", "graph")])
# Functions that register an operator, and the namespaces of torch's own operators.
LIBRARIES = names_in("""
    torch.library.Library torch.library.define torch.library.impl torch.library.custom_op
    torch.library.register_kernel
""")
LIBRARY_DECORATORS = names_in("torch.library.custom_op torch.library.impl torch.library.register_kernel")
REGISTRATIONS = names_in("impl register_kernel")
TORCH_NAMESPACES = names_in("aten prim prims profiler quantized mkldnn mkl onednn prepacked sparse")
OS_ALLOWED = names_in("environ path makedirs getcwd getenv sep cpu_count putenv linesep name mkdir")
SYS_ALLOWED = names_in("path version version_info stdout stderr maxsize executable platform")
# A candidate has no threads of its own: computing in one is how work hides. Its module threading has
# these names only (candidate_program.py).
THREADING_ALLOWED = names_in("Lock RLock")
ESCAPE_BUILTINS = names_in("""
    exec eval compile __import__ globals locals vars breakpoint memoryview __builtins__ __loader__
    __spec__
""")
# Modules that are attributes of other modules.
HELD_MODULES = names_in("os sys builtins ctypes gc inspect subprocess importlib threading signal")
ESCAPE_ATTRIBUTES = names_in("""
    f_back f_globals f_locals f_builtins f_code tb_frame tb_next gi_frame cr_frame __globals__
    __code__ __closure__ __subclasses__ __mro__ __bases__ __builtins__ __loader__ __reduce__
    __reduce_ex__ _getframe settrace setprofile get_objects get_referrers
    __setattr__ __getattribute__ __array_interface__ ctypeslib from_address memmove memset
    untyped_storage _typed_storage share_memory_ set_ __self__ FunctionType CodeType walk_stack
    walk_tb _os _sys attrgetter methodcaller __base__ __wrapped__ __func__ __subclasshook__
    extract_stack format_stack print_stack storage load_library _as_parameter_
""")
# Libraries that compute on the host.
FOREIGN_COMPUTE = names_in("numpy scipy cupy numba jax pandas sklearn")
# Names of these libraries that do not compute on tensors: CuPy's kernels and arrays, and arithmetic
# on numbers for a launch. A run shows when a tensor is passed to a function of numpy.
FOREIGN_ALLOWED = frozenset(
    [f"cupy.{name}" for name in """RawKernel RawModule asarray array ascontiguousarray from_dlpack
        fromDlpack empty empty_like zeros zeros_like ndarray""".split()] +
    [f"{module}.{name}" for module in ("cupy", "numpy") for name in """int8 int16 int32 int64 uint8
        uint16 uint32 uint64 float16 float32 float64 bool_ intp dtype iinfo finfo""".split()] +
    [f"numpy.{name}" for name in "prod ceil floor sqrt log2 lcm gcd isscalar".split()])
# Functions of torch and torch.nn.functional that forward() may call: allocation, views, queries.
# Data movement is included; the operators that ran show whether it was the task itself.
TORCH_ALLOWED = names_in("""
    empty empty_like empty_strided zeros zeros_like ones ones_like full full_like tensor as_tensor
    scalar_tensor arange asarray from_numpy device dtype Size is_tensor is_floating_point
    is_complex is_contiguous numel no_grad inference_mode enable_grad set_grad_enabled
    is_grad_enabled finfo iinfo manual_seed get_default_dtype promote_types result_type can_cast
    broadcast_shapes broadcast_tensors broadcast_to reshape view_as_real view_as_complex transpose
    permute squeeze unsqueeze flatten unflatten ravel movedim swapaxes swapdims t narrow select
    split chunk unbind tensor_split as_strided detach clone cat concat concatenate stack hstack
    vstack dstack gather take index_select masked_select flip roll rot90 tile repeat_interleave
    tril triu where scatter pad unfold fold one_hot embedding diag diagonal expand_copy rand randn
    randint randperm empty_permuted typename Generator Tensor is_nonzero equal cond _assert
    float32 float16 bfloat16 float64 int32 int64 channels_last autocast stride contiguous nonzero
    LongTensor FloatTensor IntTensor HalfTensor is_autocast_enabled from_dlpack
""")
# Names in torch.nn that are not layers.
LAYER_CALLS_ALLOWED = ("torch.nn.Parameter", "torch.nn.parameter.", "torch.nn.init.",
                       "torch.nn.modules.utils.", "torch.nn.utils.rnn.")
# Methods of a tensor that compute.
COMPUTE_ATTRIBUTES = names_in("""
    matmul mm bmm addmm addmv mv dot baddbmm einsum relu relu_ sigmoid sigmoid_ tanh tanh_ softmax
    log_softmax exp exp_ log log_ sqrt sqrt_ rsqrt rsqrt_ pow pow_ abs abs_ neg sin cos erf sum mean
    std var max min amax amin argmax argmin prod cumsum cumprod norm logsumexp add add_ sub sub_
    mul mul_ div div_ clamp clamp_ clip clip_ sort topk median lerp addcmul addcdiv masked_fill
    masked_fill_ hardshrink prelu square reciprocal floor ceil round sign fmod remainder
    conv1d conv2d log1p expm1 cdist renorm any all
""") | {f"__{side}{name}__" for side in ("", "r", "i") for name in """add sub mul truediv floordiv mod
    pow matmul and or xor""".split()}
COMPUTE_ATTRIBUTES |= names_in("__neg__ __abs__ __invert__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__")
