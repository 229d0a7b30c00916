"""Request kind "candidate": constructs and runs a ModelNew in a process that has never seen its task.

Files: the buffer of inputs (read) and the buffer of outputs (written). The first eight bytes of the
latter hold the number of trials that have begun, in case the process dies. The request has:
    code, backend, training       the backend is a name of backends.py
    target                        {"name", "warp_width"}: what kernels are compiled for
    constants, imports, renamed   names of the task's module that a candidate may use
    arguments                     the constructor's arguments, encoded
    other_parameters              null, or {"seed", "replaced"} of other_parameters.py; the reply
                                  then has its list of parameters
    module_buffers                {"names", "compared"}: buffers that the reference's forward()
                                  changes, and whether they are outputs too (module_buffers.py)
    trials                        [{"inputs", "layout", "seed", "reuse", "recorded", "order",
                                    "state", "left", "as_device"}]; layouts.py has the layouts.
                                  "left": whether new memory holds what the results of the call
                                  before have left in memory of their size. "as_device": the same,
                                  but some of these values are others, and that option of the
                                  executor (execution_options.h). "state": whether to reply a digest of the
                                  variables after it, and to run blocks in ascending order.
                                  "recorded": null, or other inputs: forward() runs with these, and
                                  then what it has done to device memory runs again with "inputs",
                                  whose results the outputs are, or with the same inputs
                                  (stages/cuda_executor/runtime/replay/replay.h), in the order that
                                  "order" names (stream_order.h). AskedTrial has "changed_at"
    after_another                 whether another model, with other parameters, is constructed and
                                  called before, also with its parameters where the model's lie
    tables                        whether to look for tables of results (value_tables.py), because the
                                  reference has no tensors of its own
    unfilled                      whether the inputs have no values, but for the integers of the task,
                                  nor large parameters, and outputs are only described: for sizes whose
                                  values fit no memory
    sampled                       whether to report what the judge needs about launches of which
                                  only some blocks run ("sample" of the options)
    operators                     the operators of torch's namespace aten that forward() may call;
                                  null: all
    work                          the operators that the constructor may not call either; "refused"
                                  of the reply lists them too
    libraries                     {hash: {"path", "torch_library", "error"}} of its extensions
    runtime                       {"folder": that of km_cuda, "options": of km_cuda.configure()}
Replies: {"end": "needs_build", "extensions": {hash: sources}}, {"end": "ran", "trials": […]},
{"end": "unsupported", "detail"}, {"end": "reached_out", "reason", "detail", "line"} when it has tried
to leave candidate_boundary.py, or {"end": "fault", "phase": "import" | "construct" | "run", …}.
From the first trial on, all other operators raise (python_refused_operators.h); "refused" of "ran"
and "fault" lists those that were called all the same: [{"name", "line"}]. A candidate without an
extension has no runtime, and is judged by the record of its operators alone: it has no kernel, so
policies that refuse operators refuse it anyway.
"""

import ast
import contextlib
import importlib
import itertools
import json.encoder
import os
import random
import sys
import types
import warnings

import numpy
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from torch_worker import exchange, faults, layouts, measures, module_buffers
from torch_worker.gpu import cupy_stand_in, extensions
from torch_worker.gpu.gpu_illusion import GpuIllusion, NotHere
from torch_worker.legality import candidate_program, candidate_syntax
from torch_worker.legality.all_values import AllValues
from torch_worker.legality.legality_names import ALLOWED_MODULES
from torch_worker.operator_log import OperatorLog
from torch_worker.other_parameters import OtherParameters
from torch_worker.requests import (device_trials, executor, kept_state, more_calls, reference,
                                   replay, second_model, torch_work, value_tables)
from torch_worker.requests.launches import counted, sampled
from torch_worker.sandbox import (attribute_hardening, candidate_boundary, guard, integrity,
                                  torch_parts)
from torch_worker.task_sizes import same_names
from torch_worker.unfilled import Unfilled

FILE = "candidate.py"
_MODEL_SEED = 42
_MOST_KEPT = 64 << 20  # Bytes of results that are kept until the last trial has run.
_tensor, _parameter, _module = torch.Tensor, torch.nn.Parameter, torch.nn.Module
_generator = torch.default_generator
_functions_off = torch._C.DisableTorchFunctionSubclass
_same_version = torch.autograd._unsafe_preserve_version_counter


class NoModel(Exception):
    """The text defines no ModelNew."""


class _Ended(Exception):
    """Carries a complete reply."""

    def __init__(self, reply):
        super().__init__()
        self.reply = reply


def _reseed(value):
    _generator.manual_seed(value)
    random.seed(value)
    numpy.random.seed(value % (1 << 32))


class _Run:
    def __init__(self, request):
        self._request = request
        self._runtime, self._copy, self._refused = None, exchange.copy_values, list
        self._extensions = extensions.Extensions(request["backend"], request["libraries"], None)
        if request["libraries"]:
            self._runtime = executor.taken()
            self._extensions.loader(self._runtime)
            self._copy, self._refused = self._runtime.copy_values, self._runtime.refused_operators
        # Only the memory stays: a candidate has no descriptor of either file.
        self.inputs = exchange.Buffer(guard.FIRST_FILE, False, self._copy)
        self.outputs = exchange.Buffer(guard.FIRST_FILE + 1, True, self._copy)
        for descriptor in (guard.FIRST_FILE, guard.FIRST_FILE + 1):
            os.close(descriptor)
        strict = request["operators"] is not None
        shown = {("torch.utils.cpp_extension", "COMMON_NVCC_FLAGS"): self._extensions.common_flags}
        self._boundary = candidate_boundary.Boundary(FILE, shown) if strict else None
        self._begun = self.outputs.counter()
        self._kept_bytes, self._constructed, self._another, self._earlier = 0, [], None, []
        self._constants = []
        others = request["other_parameters"]
        self._others = OtherParameters(**others) if others else None
        self._given = exchange.Shapes(self.inputs) if request["unfilled"] else self.inputs

    def _phase(self, name, function, trial=0):
        """Calls `function`; an exception becomes a fault of this phase."""
        problem = None
        try:
            with self._boundary or contextlib.nullcontext():
                result = function()
        except extensions.NeedsBuild:
            result = None
        except (exchange.BufferFull, exchange.NotExchangeable):
            raise
        except BaseException as error:  # noqa: B036: SystemExit and KeyboardInterrupt too
            problem = error
        if self._boundary and (changed := self._seal.broken()):
            self._seal.mend()
            self._boundary.note("patches_torch", f"changes {changed}")
        if self._boundary and self._boundary.refused:
            raise _Ended({"end": "reached_out", "refused": self._refused_calls(),
                          **self._boundary.refused[0]})
        if self._extensions.wanted:
            raise _Ended({"end": "needs_build", "extensions": self._extensions.wanted})
        if problem is None:
            return result
        if isinstance(problem, ModuleNotFoundError) and faults.is_triton(problem):
            raise _Ended({"end": "unsupported", "detail": "kernels in Triton"})
        if isinstance(problem, NotHere):
            raise _Ended({"end": "unsupported", "detail": str(problem)})
        detail = faults.text_of(problem)
        if isinstance(problem, MemoryError) or "DefaultCPUAllocator" in detail:
            raise _Ended({"end": "memory_limit"})
        raise self._fault(name, trial, type(problem).__name__[:100], detail, faults.line_of(problem, FILE))

    def _fault(self, phase, trial, kind, detail, line):
        return _Ended({"end": "fault", "phase": phase, "trial": trial, "type": kind, "line": line,
                       "detail": detail, "refused": self._refused_calls(), **self._at_device()})

    def _refused_calls(self):
        return self._constructed + [{"name": name, "line": line} for name, line in self._refused()]

    def _at_device(self):
        if not self._runtime:
            return {"launches": 0, "fault": None}
        return {"launches": self._runtime.launch_count(), "fault": self._runtime.fault()}

    def _import(self):
        module = types.ModuleType("candidate")
        sys.modules["candidate"] = module
        namespace = self._namespace = vars(module)
        self._reads_versions = "_version" in self._request["code"]
        namespace["__file__"] = FILE
        for name, value in self._request["constants"].items():
            namespace[name] = exchange.decode(value, None)
        seen = self._boundary.view if self._boundary else lambda module: module
        for module_name, item, alias in self._request["imports"]:
            root = module_name.partition(".")[0]
            if self._boundary and root not in ALLOWED_MODULES:
                continue
            imported = seen(importlib.import_module(module_name))
            if item:
                namespace[alias] = getattr(imported, item)
            else:
                namespace[alias or root] = imported if alias else seen(sys.modules[root])
        code = same_names(self._request["code"], self._request["renamed"])
        tree = candidate_program.without_main_block(ast.parse(code, FILE))
        built, loaders = candidate_syntax.built_modules(tree), candidate_syntax.loader_modules(tree)
        if self._boundary:
            self._boundary.begin(namespace, built | loaders)
            tree = candidate_program.checked(tree, namespace, self._boundary)
        for name in built:
            # Until setup() has built it, so that no file with that name is imported.
            sys.modules[name] = None
        self._extensions.provide(loaders)
        exec(compile(tree, FILE, "exec", dont_inherit=True), namespace)
        if not isinstance(namespace.get("ModelNew"), type):
            raise NoModel("it defines no class ModelNew")
        return namespace["ModelNew"]

    def _construct(self, model_class, seed=_MODEL_SEED):
        arguments = exchange.decode(self._request["arguments"], self.inputs)
        _reseed(seed)
        values = Unfilled() if self._request["unfilled"] else self._others
        with torch.no_grad(), values or contextlib.nullcontext():
            model = model_class(*arguments)
        if not isinstance(model, _module):
            raise TypeError("ModelNew is not an nn.Module")
        if not self._request["training"]:
            _module.eval(model)
        return model

    def run(self):
        warnings.simplefilter("ignore")
        attribute_hardening.restore()
        if self._request["operators"] is not None:
            torch_parts.remove_executors()
        torch.use_deterministic_algorithms(True, warn_only=True)
        self._fill_new_memory(True)
        illusion = self._illusion = GpuIllusion(self._request["backend"], self._request["target"],
                                                self._runtime)
        self._extensions.install()
        cupy_stand_in.install(self._extensions)
        if self._runtime:
            self._runtime.configure(**self._request["runtime"]["options"], host_by_default=True,
                                    fills_memory=not self._request["unfilled"])
        if self._boundary:
            self._boundary.watch()
            # Functions that set attributes of any object could change the classes that run here.
            self._seal = integrity.Seal([types.SimpleNamespace(
                **{f"{index}": cls for index, cls in enumerate(_ours())})])
        _reseed(_MODEL_SEED)  # Names that a module draws are the same in every process.
        with illusion, AllValues(FILE) as tables:
            model_class = self._phase("import", self._import)
            with OperatorLog(FILE) as log:
                if self._request["after_another"]:
                    self._another = self._phase(
                        "construct", lambda: self._construct(model_class, _MODEL_SEED + 1))
                model = self._phase("construct", lambda: self._construct(model_class))
        # The task's work stays torch's when it is done once, before the first call.
        self._constructed = [item for item in log.operators + tables.found
                             if item["name"] in self._request["work"]]
        models = [model, self._another] if self._another is not None else [model]
        if self._runtime and not illusion.device_named:
            for tensor in itertools.chain.from_iterable(map(kept_state.left_behind, models)):
                self._runtime.put_on_host(tensor)
        parameters = [] if self._request["unfilled"] else (
            self._others.filled(model) if self._others else reference.fingerprints(model))
        for each in models:
            self._put_on_device([*_module.parameters(each), *_module.buffers(each)])
        buffers = self._request["module_buffers"]
        if buffers["compared"]:
            model = module_buffers.WithBuffers(model, buffers["names"])
        trials = self._request["trials"]
        if self._runtime and self._request["tables"] and len(trials) >= device_trials.MANY:
            self._constants = value_tables.constant_inputs(
                exchange.decode(trials[0]["inputs"], self._given))
            self._put_on_device(exchange.leaves(self._constants))
        if self._runtime and self._request["operators"] is not None:
            self._runtime.refuse_operators(self._request["operators"], FILE)
        if self._runtime and any(trial["recorded"] for trial in self._request["trials"]):
            self._runtime.note_constructed()
        trials = self._as_host_code(lambda: self._trials(model, illusion))
        return {"end": "ran", "parameters": parameters, "trials": trials,
                "refused": self._refused_calls()}

    def _as_host_code(self, function):
        """Calls `function` while device memory is closed to Python, to the candidate's and to this
        module's: the candidate's may run in it, called by an object of its own."""
        return self._runtime.call(function) if self._runtime else function()

    def _trials(self, model, illusion):
        trials, inputs, counts = [], None, []
        changing = device_trials.Changing(
            self._runtime, len(self._request["trials"]) if self._boundary else 0,
            self._may_change(model))
        if self._another is not None:
            trial = self._request["trials"][0]
            places = second_model.in_memory_of(model, self._another, self._copy)
            for place in (contextlib.nullcontext(), places):
                with place:
                    self._trial(self._another, trial, self._inputs(trial, trial["inputs"], None),
                                illusion, 0)
        for index, trial in enumerate(self._request["trials"]):
            counts.append(self._bytes_to_host())
            inputs = self._inputs(trial, trial["recorded"] or trial["inputs"], inputs)
            disturbed = changing.begin(index)
            trials.append(self._trial(model, trial, inputs, illusion, index))
            trials[-1].setdefault("disturbed", disturbed)
            changing.end(index, [item for item in exchange.leaves(inputs)
                                 if isinstance(item, _tensor)])
        # Only now, so that a result that a later call has overwritten is seen to be another one.
        trials = [self._with_outputs(reply, index) for index, reply in enumerate(trials)]
        torch_work.note_makers(trials)
        counts.append(self._bytes_to_host())
        if self._boundary and len(trials) >= device_trials.MANY and "raised" not in trials[-1]:
            self._refuse_kept(model, inputs, illusion)
        # Also what was read after a call had ended.
        return [reply if "raised" in reply else {**reply, "host_bytes": after - before}
                for reply, before, after in zip(trials, counts, counts[1:])]

    def _fill_new_memory(self, fills):
        """Whether memory that torch gives out uninitialised holds NaN, or the largest integer."""
        fills = fills and not self._request["unfilled"]
        torch.utils.deterministic.fill_uninitialized_memory = fills

    def _refuse_kept(self, model, inputs, illusion):
        """Ends a candidate for what more calls show of what it keeps (more_calls.py)."""
        def forward(given):
            with torch.no_grad(), illusion:
                return measures.outputs_of(model(*given))

        try:
            found = more_calls.found(
                self._runtime, lambda given: self._phase("run", lambda: forward(given)), inputs,
                self._constants, self._may_change(model),
                lambda: kept_state.State(model, self._namespace, self._reads_versions))
        except _Ended as ended:
            if ended.reply["end"] == "reached_out":
                raise
            return
        if found and found[0] == more_calls.LEAK:
            raise self._fault("run", len(self._request["trials"]) - 1, *found, 0)
        if found:
            raise _Ended({"end": "reached_out", "refused": self._refused_calls(), "line": 0,
                          "reason": found[0], "detail": found[1]})

    def _may_change(self, model):
        return module_buffers.may_change(model, self._request["module_buffers"]["names"],
                                         self._request["training"])

    def _put_on_device(self, values):
        """Marks tensors as device memory, where a caller puts parameters and inputs: host code must
        not access them from now on."""
        for value in values:
            if self._runtime and isinstance(value, _tensor):
                self._runtime.put_on_device(value)
                self._illusion.memory.note(value)

    def _bytes_to_host(self):
        return self._runtime.bytes_to_host() if self._runtime else 0

    def _inputs(self, trial, values, previous):
        """Fresh tensors, or those of the previous trial with new values: an answer that identifies
        a tensor by its identity, address or version then returns stale results."""
        fresh = exchange.decode(values, self._given)
        fresh = exchange.mapped(
            lambda item: layouts.laid_out(item, trial["layout"], trial["seed"]), fresh)
        before, after = list(exchange.leaves(previous)), list(exchange.leaves(fresh))
        if previous is not None and trial["reuse"] and len(before) == len(after) and all(
                map(replay.alike, before, after)):
            for old, new in zip(before, after):
                if isinstance(new, _tensor):
                    with _same_version(old):
                        self._copy(old, new)
            self._put_on_device(before)
            return previous
        self._put_on_device(after)
        return fresh

    def _trial(self, model, trial, inputs, illusion, index):
        self._begun[0] = index + 1
        _reseed(trial["seed"])
        if self._runtime:
            self._fill_new_memory(device_trials.begin(self._runtime, self._request, index))
        log = OperatorLog(FILE, *([self._runtime.counted_up] if self._runtime else []))
        given = [item for item in exchange.leaves(inputs) if isinstance(item, _tensor)]

        def forward():
            with torch.no_grad(), log, illusion:
                # Reads the outputs here: a result may be a list that computes when it is read.
                return measures.outputs_of(model(*inputs))

        values = None
        if trial["recorded"] and self._runtime:
            values = [self._inputs({**trial, "reuse": False}, trial[name], None)
                      for name in ("recorded", "inputs")]
            self._runtime.record()
        before = self._digests(given)
        follows = self._runtime and values is None and not (
            self._request["unfilled"] or self._request["sampled"])
        if follows:
            self._runtime.follow_results([*given, *kept_state.tensors_of(model)])
        try:
            # Other orders are those of two calls: the second may not wait for what the first leaves.
            again = values is not None and (trial["order"] != "as_called" or trial["changed_at"])
            first = self._phase("run", forward, index) if again else None
            if again:
                self._runtime.note_call()
            outputs = self._phase("run", forward, index)
        except _Ended as ended:
            # An answer may refuse a memory layout that it does not support. A launch that has
            # failed on it is no refusal.
            if (trial["layout"] == "own" or ended.reply["end"] != "fault"
                    or ended.reply["fault"]):
                raise
            return {"raised": ended.reply["detail"]}
        if self._runtime and not self._request["unfilled"]:
            with _functions_off():
                device_trials.leave(self._runtime, self._request, index, outputs)
        with _functions_off():
            maker = self._runtime.maker_of(outputs) if follows else ("", "")
        moves = torch_work.moves_of(self._runtime, trial["layout"]) if follows else []
        state = self._runtime.state() if self._runtime and trial["state"] else 0
        outcome = self._phase("run", lambda: replay.replayed(
            self._runtime, inputs, values, self._earlier, trial), index)
        if self._request["trials"][-1]["recorded"]:
            self._earlier += [*given, *(item for item in outputs if isinstance(item, _tensor))]
        behind = self._runtime.operators_behind() if self._runtime else []

        def exchanged():
            if self._request["unfilled"]:
                with _functions_off():
                    return {"outputs": [exchange.Shapes().put(item) for item in outputs],
                            "inputs": []}
            with _functions_off():
                return {"outputs": [self._put_or_kept(item, given) for item in outputs],
                        "inputs": [self.outputs.put(item) for item in given
                                   if not self._request["sampled"]]}

        # Reading values runs operators if they are only computed then.
        reply = {**self._phase("run", exchanged, index),
                 "operators": torch_work.with_moves(log.operators, moves), "log_whole": log.whole,
                 **outcome, "state": f"{state:x}",
                 "wrote_inputs": before != self._digests(given), "maker": maker, "launches": [],
                 "steps": 0, "findings": [], "sampled": None}
        if self._runtime:
            if self._runtime.fault():
                # As on a device, a refused launch raises nothing unless the code checks for errors.
                raise _Ended({"end": "fault", "phase": "run", "trial": index, "type": "CUDA error",
                              "detail": "", "line": 0, "refused": self._refused_calls(),
                              **self._at_device()})
            launches = self._runtime.launches()
            reply["launches"] = counted(launches)
            reply["steps"] = sum(launch["steps"] for launch in launches)
            reply["findings"] = [dict(item) for item in self._runtime.findings()][:16]
            if self._request["sampled"]:
                reply["sampled"] = {
                    **sampled(launches), "operators": behind,
                    "allocations": [-1 if number is None else number for number in
                                    map(self._runtime.allocation_of, outputs)]}
        return reply

    def _digests(self, given):
        """Of inputs that are not written out afterwards, because they are large."""
        if not self._runtime or not self._request["sampled"] or self._request["unfilled"]:
            return []
        if "sample" in self._request["runtime"]["options"]:
            return []
        return [self._runtime.digest_of_values(item) for item in given]

    def _put_or_kept(self, output, given):
        """The output, to be written out after the last trial, or its spec. An input that forward()
        returns is written out at once: the next trial may give it new values."""
        kept, size = exchange.alias(output)
        if (self._kept_bytes + size > _MOST_KEPT
                or any(exchange.same_memory(kept, item) for item in given)):
            return self.outputs.put(output)
        self._kept_bytes += size
        return kept

    def _with_outputs(self, reply, index):
        def put():
            with _functions_off():
                return [item if type(item) is dict else self.outputs.put(item)
                        for item in reply["outputs"]]
        return reply if "raised" in reply else {**reply, "outputs": self._phase("run", put, index)}


def _ours():
    """The classes that this process uses between and after the calls of a candidate."""
    modules = [exchange, extensions, faults, json.encoder, sys.modules[__name__],
               *(module for name, module in sorted(sys.modules.items())
                 if name.startswith("torch_worker."))]
    return dict.fromkeys([_module, _tensor, _parameter, TorchFunctionMode, TorchDispatchMode] + [
        value for module in modules for value in vars(module).values() if isinstance(value, type)])


branch_key, prepare_branch = executor.key, executor.prepare


def handle(request):
    try:
        return _Run(request).run()
    except _Ended as ended:
        return ended.reply
    except exchange.BufferFull:
        return {"end": "too_large"}
    except exchange.NotExchangeable as error:
        return {"end": "not_exchangeable", "detail": str(error)}
