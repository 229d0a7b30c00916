"""Request kind "admit": builds and runs a task, and reports the result and what it observed.

The code follows the KernelBench convention: Model, get_inputs(), get_init_inputs(). The model keeps
the mode in which it is built, train() by default, as in KernelBench, in graph capture and in
verification: batch normalisation uses the statistics of the batch, and dropout makes the result
random, so that no kernel can reproduce it.
"""

import random
import re

import numpy
import torch
from torch.overrides import TorchFunctionMode

from torch_worker import faults, measures, recorder
from torch_worker.cost import CostMode, OverBudget
from torch_worker.program import Program
from torch_worker.recorder import describe
from torch_worker.sandbox import attribute_hardening, integrity, task_policy
from torch_worker.sandbox.views import Views, private_names_of_torch

_module, _tensor = torch.nn.Module, torch.Tensor
_linspace = torch.linspace
_call_module, _generator = torch.nn.Module.__call__, torch.default_generator
_states = (_generator.get_state, random.getstate, numpy.random.get_state)
_OTHER_SEED = 0x5EED
_UNLIMITED = 1 << 62
_state = {}


class _Fault(Exception):
    """Carries a complete reply out of a phase."""

    def __init__(self, reply):
        super().__init__()
        self.reply = reply


def _out_of_memory(error):
    return isinstance(error, MemoryError) or "DefaultCPUAllocator" in str(error)[:400]


class _Phase:
    """Turns an exception of the task into a fault of this phase."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None or isinstance(error, (_Fault, OverBudget)):
            return False
        if _out_of_memory(error):
            raise _Fault({"end": "memory_limit"}) from None
        name = "refused" if isinstance(error, task_policy.Refused) else self._name
        raise _Fault(faults.describe_fault(error, name, _state.get("tree"))) from None


def reseed(value):
    _generator.manual_seed(value)  # torch.manual_seed() also queues one call per kind of device.
    random.seed(value)
    numpy.random.seed(value % (1 << 32))


def _drawn_so_far():
    torchs, pythons, (name, keys, *rest) = (state() for state in _states)
    return torchs.numpy().tobytes(), pythons, name, keys.tobytes(), rest


def _get(namespace, name):
    if not callable(namespace.get(name)):
        raise NameError(f"the task defines no {name}")
    return namespace[name]


def build(program, seed):
    """(namespace, model); all random numbers come from `seed`."""
    with _Phase("build"):
        reseed(seed)
        namespace = program.fresh()
        model_class = _get(namespace, "Model")
        arguments = list(_get(namespace, "get_init_inputs")())
        reseed(seed)
        model = model_class(*arguments)
        if not isinstance(model, _module):
            raise TypeError("Model is not an nn.Module")
    return namespace, model


def draw(namespace, seed):
    with _Phase("inputs"):
        reseed(seed)
        return list(_get(namespace, "get_inputs")())


def _run(model, inputs, seed):
    with _Phase("run"):
        reseed(seed)
        with torch.no_grad():
            return _call_module(model, *inputs)


# Errors of runs without data only: of code that reads values, and of tensors that code puts on the
# CPU explicitly.
NO_DATA = re.compile(r"\bmeta\b|\bno data\b|same device|data-dependent|unbacked", re.IGNORECASE)


class ReadableSteps(TorchFunctionMode):
    """Keeps linspace() on the CPU: constructors read the rates of their layers from it."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is _linspace and "device" not in kwargs:
            kwargs = {**kwargs, "device": "cpu"}
        return func(*args, **kwargs)


def _rehearse(program, request):
    """Runs the task on tensors without data.

    Ends a task that would cost too much, or that fails as it would with data, before any number is
    computed. Uses the meta device: FakeTensorMode takes ten times as long as the runs that this
    saves.
    """
    limits = request["limits"]
    cost = CostMode(limits["flops"], limits["bytes"])
    try:
        with torch.device("meta"), cost:
            with ReadableSteps():
                namespace, model = build(program, request["seed"])
            _run(model, draw(namespace, request["seed"]), request["seed"])
    except OverBudget:
        raise _Fault({"end": "too_costly"}) from None
    except _Fault as fault:
        reply = fault.reply
        if reply["end"] != "fault" or reply["type"] == "NotImplementedError":
            return
        if not NO_DATA.search(reply["message"]):
            reply["steps"] = sum(cost.operators.values())
            raise


def _clone(inputs):
    return [item.clone() if isinstance(item, _tensor) else item for item in inputs]


def observed_run(program, model, inputs, request):
    """(outputs, annotation) of the run that is recorded."""
    limits = request["limits"]
    tracer, operators = recorder.Tracer(program), recorder.OperatorMode()
    cost = CostMode(limits["flops"], limits["bytes"])
    try:
        with _Phase("run"):
            reseed(request["seed"])
            with torch.no_grad(), cost, operators, tracer:
                result = _call_module(model, *inputs)
    except _Fault as fault:
        if fault.reply["end"] == "fault":
            fault.reply["steps"] = sum(cost.operators.values())
        raise
    outputs = measures.outputs_of(result)
    annotation = {
        "values": tracer.values,
        "operators": operators.operators,
        "aten": [{"name": name, "count": cost.operators[name]} for name in sorted(cost.operators)],
        "outputs": [describe(output) for output in outputs],
        "parameters": [{"name": name, "shape": facts["shape"], "dtype": facts["dtype"]}
                       for name, tensor in measures.parameters_of(model)
                       for facts in [describe(tensor)]],
        "flops": cost.flops,
        "bytes": cost.bytes,
        "truncated": tracer.truncated or operators.truncated,
    }
    return outputs, annotation


def answer(work, request):
    """The reply of `work(request)`, or that of the fault that ended it."""
    try:
        return work(request)
    except _Fault as fault:
        return fault.reply
    except OverBudget:
        return {"end": "too_costly"}
    except (MemoryError, RuntimeError) as error:  # Raised while the outputs are measured.
        if _out_of_memory(error):
            return {"end": "memory_limit"}
        raise


def handle(request):
    return answer(_admit, request)


def read(request):
    with _Phase("parse"):
        program = Program(request["code"], _state["views"], _state["taken"])
    _state["tree"] = program.tree
    return program


def _admit(request):
    seed = request["seed"]
    program = read(request)
    _rehearse(program, request)

    namespace, model = build(program, seed)
    inputs = draw(namespace, seed)
    given = _clone(inputs)
    outputs, annotation = observed_run(program, model, inputs, request)
    drawn = _drawn_so_far()
    reseed(seed)
    draws = drawn != _drawn_so_far()
    inputs_unchanged = measures.identical(measures.outputs_of(inputs), measures.outputs_of(given))

    other_inputs = draw(namespace, seed ^ _OTHER_SEED)
    others = measures.outputs_of(_run(model, other_inputs, seed))

    namespace, model = build(program, seed)
    again = measures.outputs_of(_run(model, draw(namespace, seed), seed))

    if draws:  # Whether the drawn numbers affect the outputs.
        namespace, model = build(program, seed)
        unlike = measures.outputs_of(_run(model, draw(namespace, seed), seed ^ _OTHER_SEED))
        draws = not measures.identical(outputs, unlike)

    broken = seal_broken()
    if broken:
        return {"end": "tampered", "detail": broken}
    return {
        "end": "ran",
        "deterministic": measures.identical(outputs, again),
        "random": draws,
        "inputs_unchanged": inputs_unchanged,
        "inputs": [{"argument": index, "shape": facts["shape"], "dtype": facts["dtype"]}
                   for index, item in enumerate(given) if isinstance(item, _tensor)
                   for facts in [describe(item)]],
        "outputs": measures.measure(outputs, others, given),
        "annotation": annotation,
    }


def views():
    return _state["views"]


def taken():
    return _state["taken"]


def seal_broken():
    return _state["seal"].broken()


def warm():
    """Runs everything that torch initialises lazily, before the first fork. Tensors without data
    start no threads."""
    attribute_hardening.harden()
    _state["views"] = Views()
    _state["taken"] = private_names_of_torch()
    recorder._spelling(torch.relu)
    with torch.device("meta"), torch.no_grad(), CostMode(_UNLIMITED, _UNLIMITED):
        layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4),
                                     torch.nn.GELU(), torch.nn.Flatten(2), torch.nn.Linear(36, 8),
                                     torch.nn.LayerNorm(8)).eval()
        query = layers(torch.randn(2, 3, 8, 8))
        torch.nn.functional.scaled_dot_product_attention(query, query, query).softmax(-1).sum()
        torch.cat([query.transpose(1, 2)[:, :1] * 2, query.new_zeros(2, 1, 4)], dim=1)
    _state["seal"] = integrity.Seal(_state["views"].all())
