"""Builds an answer for a device, runs and times it there: one process for one request.

stages/device/device_process.cc starts it inside bubblewrap, with this folder and stages/worker in PYTHONPATH. Standard
input is a socket that carries frames of JSON: a length of four bytes, the most significant first, then the text. The
program gets one request, and answers with one frame, except that "run" and "baseline" first say {"state": "ready"} and
wait for a frame before they touch the device: until then other processes may use it. A "run" that finds on the device
that something is still to be built says {"state": "building"}, waits for a frame, builds, and is "ready" again.

    describe   fills the folder of headers, then {"state": "described", "name", "capability", "driver", "cuda", "torch"}
    run        builds what the answer asks for, then {"state": "measured", "answer", "eager", "before", "after"}: times
               as device_clock.spread() has them, and the device's state
    baseline   {"state": "measured", "compiled"}: the reference under torch.compile

Other ends: {"state": "failed", "what", "detail"}; `what` is "device", "headers", "reference", "build", "load", "call" or
"wrong". A process that ends without a frame has crashed.
"""

import copy
import gc
import json
import os
import socket
import sys
import traceback
import types

_DETAIL = 2000  # Characters of an error that are kept.
_CONSTRUCTOR_SEED = 42  # KernelBench's, before each constructor.


class Channel:
    def __init__(self, descriptor):
        self._socket = socket.socket(fileno=descriptor)

    def receive(self):
        size = int.from_bytes(self._exactly(4), "big")
        return json.loads(self._exactly(size))

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            part = self._socket.recv(size - len(data))
            if not part:
                os._exit(1)  # Nobody waits for an answer.
            data += part
        return data

    def send(self, reply):
        if "detail" in reply:  # An error's text may hold halves of surrogate pairs.
            reply["detail"] = reply["detail"].encode("utf-8", "replace").decode()
        data = json.dumps(reply).encode()
        self._socket.sendall(len(data).to_bytes(4, "big") + data)


class Failed(Exception):
    """The request ends here: what failed, and how."""


def _last_lines(error):
    return "".join(traceback.format_exception_only(error)).strip()[-_DETAIL:]


def _module(text, name):
    module = types.ModuleType(name)
    module.__file__ = f"/tmp/{name}.py"
    sys.modules[name] = module
    exec(compile(text, f"{name}.py", "exec"), vars(module))
    return module


class WantsBuild(Exception):
    """The answer has asked for an extension that is not built."""


class Libraries:
    """The extensions of an answer: replaces torch's loaders, and builds what they are asked for."""

    def __init__(self, request):
        from torch_worker.gpu.extensions import Extensions

        import native_build

        self._native_build, self._folder = native_build, request["folder"]
        self._toolchain = native_build.Toolchain(request["compiler"], request["nvcc"], request["capability"],
                                                 request["headers"])
        self._built = {}
        self.failure = ""  # The messages of the last build that failed.
        self._extensions = Extensions(request["backend"], self._built, self._load)
        self._extensions.install()

    @staticmethod
    def _load(library):
        import importlib.util

        import torch

        if library["torch_library"]:
            torch.ops.load_library(library["path"])
            return torch.ops
        spec = importlib.util.spec_from_file_location(library["name"], library["path"])
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def wants_build(self):
        return bool(self._extensions.wanted)

    def build_wanted(self):
        """Builds what has been asked for since the last call; False if there is nothing."""
        wanted, self._extensions.wanted = self._extensions.wanted, {}
        for key, record in wanted.items():
            # A source may name its module itself.
            name, taken = record["name"], {library["name"] for library in self._built.values()}
            if not name.isidentifier() or name in taken:
                name = f"answer_{key[:16]}"
            path = error = ""
            try:
                path = self._toolchain.build(record, name, os.path.join(self._folder, key[:16]))
            except self._native_build.BuildFailed as failed:
                error = self.failure = str(failed)  # The loader raises it, and the answer may catch it.
            text = "".join([*record["cpp_sources"], *record["cuda_sources"]])
            is_torch_library = not record["functions"] and "PYBIND11_MODULE" not in text and "TORCH_LIBRARY" in text
            self._built[key] = {"name": name, "path": path, "error": error, "torch_library": is_torch_library}
        return bool(wanted)

    def failed(self, what, error):
        """The end of an answer that raised `error`: a build's, if one has failed."""
        return Failed("build", self.failure) if self.failure else Failed(what, _last_lines(error))

    def build_apart(self, answer):
        """Builds what an import and a constructor of the answer ask for, in a fork that sees no device: another
        process may have it now."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
            try:
                answer.build_ahead()
                with os.fdopen(writing, "w") as out:
                    json.dump([self._built, self.failure], out)
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as got:
            text = got.read()
        os.waitpid(child, 0)
        if text:
            built, self.failure = json.loads(text)
            self._built.update(built)


def _constructed(torch, module, name, arguments, request, device=None):
    """A module's model on the request's device, or on another one."""
    torch.manual_seed(_CONSTRUCTOR_SEED)
    model = getattr(module, name)(*copy.deepcopy(arguments))
    return (model if request["training"] else model.eval()).to(device or request["device"])


def describe(request, channel):
    import torch

    import device_clock
    import native_build

    known = {"name": "cpu", "capability": None, "driver": None, "cuda": None}
    if request["device"] != "cpu":
        if not torch.cuda.is_available():
            reason = "torch was built without CUDA" if torch.version.cuda is None else "torch finds no device"
            raise Failed("device", reason)
        properties = torch.cuda.get_device_properties(0)
        driver = device_clock.ask_driver("driver_version")
        known = {"name": properties.name, "capability": [properties.major, properties.minor],
                 "driver": driver[0] if driver else None, "cuda": torch.version.cuda}
    try:
        native_build.Toolchain(request["compiler"], request["nvcc"], None, request["headers"]).write_headers()
    except OSError as error:
        raise Failed("headers", _last_lines(error)) from None
    return {"state": "described", "torch": torch.__version__, **known}


def _without_tf32(torch):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False


def _take_device(torch, request, channel):
    """Waits for the device, and returns its clock."""
    import device_clock

    channel.send({"state": "ready"})
    channel.receive()
    _without_tf32(torch)
    return device_clock.CLOCKS[request["device"]]()


def _inputs(torch, task, seed, device):
    """The task's inputs, drawn on the device where it lets them be: the processor takes seconds for large ones."""
    try:
        torch.manual_seed(seed)
        with torch.device(device):
            values = task.get_inputs()
    except Exception:
        torch.manual_seed(seed)
        values = task.get_inputs()
    return [value.to(device) if torch.is_tensor(value) else value for value in values]


def _copies(torch, values):
    return [value.clone() if torch.is_tensor(value) else value for value in values]


def _exact(torch, model, seed, inputs):
    """The outputs in float64; none where the task does not run so."""
    import agreement

    try:
        torch.manual_seed(seed)
        wide = copy.deepcopy(model).double()
        values = [value.double() if torch.is_tensor(value) and value.is_floating_point() else value
                  for value in inputs]
        return agreement.tensors_in(wide(*values))
    except Exception:
        return []


class Answer:
    """An answer's model. What it asks for is built, and then it starts anew: it may keep what the first call of its
    loader gave it."""

    def __init__(self, request, libraries, arguments):
        import torch

        self._torch, self._request, self._libraries, self._arguments = torch, request, libraries, arguments
        self._model = None

    def build_ahead(self):
        """Builds what an import, and then the constructor, ask for, without the device."""
        from torch_worker.gpu.extensions import NeedsBuild

        while True:
            try:
                self._start("cpu")
            except (Exception, NeedsBuild):
                pass  # On the device it may run; there an error counts.
            self._model = None
            if not self._libraries.build_wanted():
                return

    def _start(self, device=None):
        self._model = _constructed(self._torch, _module(self._request["candidate"], "candidate"), "ModelNew",
                                   self._arguments, self._request, device)

    def call(self, seed, values):
        """The result for copies of the values, under the seed. WantsBuild when the answer asks for an extension: then
        nothing of it is left, and it starts anew with the next call."""
        from torch_worker.gpu.extensions import NeedsBuild

        what = "load" if self._model is None else "call"
        try:
            if self._model is None:
                self._start()
            what = "call"
            self._torch.manual_seed(seed)
            return self._model(*_copies(self._torch, values))
        except (Exception, NeedsBuild) as error:
            if not self._libraries.wants_build():
                raise self._libraries.failed(what, error) from None
        self._model = None
        sys.modules.pop("candidate", None)
        raise WantsBuild

    def __call__(self, *values):
        return self._model(*values)


def run(request, channel):
    import torch

    libraries = Libraries(request)
    try:
        task = _module(request["reference"], "reference")
        arguments = task.get_init_inputs()
    except Exception as error:
        raise Failed("reference", _last_lines(error)) from None
    answer = Answer(request, libraries, arguments)
    libraries.build_apart(answer)
    while True:
        clock = _take_device(torch, request, channel)
        try:
            with torch.no_grad():
                return _measured(torch, request, clock, task, arguments, answer)
        except WantsBuild:
            pass  # Its traceback holds tensors until here.
        gc.collect()
        try:
            clock.give_back()
        except Exception as error:  # Of a kernel that ran before.
            raise Failed("call", _last_lines(error)) from None
        channel.send({"state": "building"})
        channel.receive()
        libraries.build_wanted()


def _measured(torch, request, clock, task, arguments, answer):
    """The reply of an answer that is right and was timed."""
    import agreement
    import device_clock

    device = request["device"]
    before = clock.state()
    try:
        reference = _constructed(torch, task, "Model", arguments, request)
        results, models = [], []
        inputs = [_inputs(torch, task, seed, device) for seed in request["seeds"]]
        for seed, values in zip(request["seeds"], inputs):
            models.append(copy.deepcopy(reference))  # A call may change the module.
            # A task may change its inputs.
            results.append(agreement.expected_outputs(reference, models[-1], seed,
                                                      lambda: _copies(torch, values)))
        clock.synchronize()
    except Exception as error:
        raise Failed("reference", _last_lines(error)) from None
    for trial, (seed, values, (expected, log)) in enumerate(zip(request["seeds"], inputs, results)):
        try:
            got = agreement.tensors_in(answer.call(seed, values))
            clock.synchronize()
        except (Failed, WantsBuild):
            raise
        except Exception as error:  # Of a kernel.
            raise Failed("call", _last_lines(error)) from None
        try:
            differs = agreement.difference(expected, got, log, request["tolerances"], lambda: _exact(
                torch, models[trial], seed, _copies(torch, values)))
        except Exception as error:  # The memory may not suffice for what is no fault of the answer.
            raise Failed("reference", f"the comparison: {_last_lines(error)}") from None
        if differs:
            raise Failed("wrong", f"trial {trial + 1}: {differs}")
    results = models = expected = got = None
    # The answer may have set them. Each side has inputs of its own, which it may change.
    _without_tf32(torch)
    torch.backends.cudnn.benchmark = False
    mine, other = _copies(torch, values), _copies(torch, values)
    try:
        eager, own = device_clock.alternate(
            clock, [lambda: reference(*other), lambda: answer(*mine)], request["budget_ms"])
    except Exception as error:
        raise Failed("call", _last_lines(error)) from None
    return {"state": "measured", "answer": own, "eager": eager, "before": before, "after": clock.state()}


def _show_driver_to_triton():
    """Says where the driver's library is, which this process has loaded: Triton would ask /sbin/ldconfig, which the
    sandbox does not have."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if "/libcuda.so" in line:
                os.environ["TRITON_LIBCUDA_PATH"] = os.path.dirname(line.split(maxsplit=5)[5].strip())
                return


def baseline(request, channel):
    import torch

    import device_clock

    device = request["device"]
    try:
        task = _module(request["reference"], "reference")
        arguments = task.get_init_inputs()
        clock = _take_device(torch, request, channel)
        with torch.no_grad():
            values = _inputs(torch, task, request["seeds"][0], device)
            _show_driver_to_triton()
            model = torch.compile(_constructed(torch, task, "Model", arguments, request))
            compiled, = device_clock.alternate(clock, [lambda: model(*values)], request["budget_ms"])
    except Exception as error:
        raise Failed("reference", _last_lines(error)) from None
    return {"state": "measured", "compiled": compiled}


REQUESTS = {"describe": describe, "run": run, "baseline": baseline}


def main():
    channel = Channel(0)
    request = channel.receive()
    # Nobody reads what an answer prints: a full pipe would stop it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.environ["KERNELMILL_BACKENDS"] = json.dumps(request["backends"])
    try:
        reply = REQUESTS[request["kind"]](request, channel)
    except Failed as failed:
        reply = {"state": "failed", "what": failed.args[0], "detail": failed.args[1][-_DETAIL:]}
    channel.send(reply)
    os._exit(0)  # Skips the cleanup of whatever an answer has left behind.


if __name__ == "__main__":
    main()
