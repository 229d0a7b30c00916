"""The process that imports everything once and forks for each request.

Request kinds that need more imports are warmed at their first request, and prepare() of a kind's
module imports what only some requests need. Requests of a kind whose module has a branch_key() are
answered by a fork of prepare_branch() (branches.py).
"""

import gc
import importlib
import json
import os
import socket
import sys

from torch_worker import protocol
from torch_worker.sandbox import branches, confinement, guard


def _warm():
    """Imports everything, including what torch imports lazily at first use. Runs no real operator,
    because that could start threads."""
    import einops.layers.torch  # noqa: F401
    import numpy  # noqa: F401
    import torch

    from torch_worker import dynamo_stand_in
    from torch_worker.legality import legality
    from torch_worker.requests import admit, independence, reference

    dynamo_stand_in.install()

    torch.set_num_threads(1)
    # Makes torch read the processor's features from /proc and /sys, which a fork cannot see. An
    # operation on one element starts no thread.
    torch.zeros(1).half()
    admit.warm()
    handlers = {"probe": _probe, "admit": admit.handle, "legality": legality.handle}
    handlers.update((kind, reference.handle) for kind in ("sizes", "fit", "shapes", "reference"))
    handlers["independence"] = independence.handle
    return torch, handlers


def _late(kind):
    """The module of a request kind that is warmed at its first request: it imports as much as all
    others together, and not every run uses it."""
    module = importlib.import_module(f"torch_worker.requests.{kind}")
    if hasattr(module, "warm"):
        module.warm()
    gc.freeze()
    return module


_LATE = ("symbolic", "candidate", "capture", "outline")


def _probe(_request):
    return {"end": "reply"}


_PROBE = {"limits": {"wall_ms": 60000, "cpu_ms": 60000, "memory_bytes": 1 << 30,
                     "output_bytes": 1 << 16}}


def serve(channel):
    """Answers until the channel closes. Reads the system call filter first, then says in the first
    frame that it is ready."""
    ours = socket.socket(fileno=channel)
    try:
        program, _ = protocol.read_frame(ours)
    except protocol.ChannelClosed:
        return 0
    confinement.set_filter(program)
    # A collection would touch the pages that forks share, and so copy them. Those of the imports
    # take a quarter of a start, and free 2 of 280 MB.
    gc.disable()
    torch, handlers = _warm()
    gc.freeze()
    hello = {"ready": True, "torch": torch.__version__, "git": torch.version.git_version,
             "python": sys.version.split()[0]}
    try:
        protocol.write_frame(channel, protocol.encode(hello))
        # Standard error is not read from here on, and writing to a full pipe would block.
        null = os.open("/dev/null", os.O_WRONLY)
        os.dup2(null, 2)
        late, forks = {}, branches.Branches(channel)
        while True:
            frame, files = protocol.read_frame(ours)
            request = json.loads(frame)
            kind = request.get("kind")
            if kind in _LATE and kind not in late:
                late[kind] = _late(kind)
                handlers[kind] = late[kind].handle
            handler = handlers.get(kind)
            if handler is None:
                guard.say(channel, {"end": "unknown_kind"})
                continue
            if hasattr(late.get(kind), "prepare"):
                late[kind].prepare(request)
            key = late[kind].branch_key(request) if hasattr(late.get(kind), "branch_key") else None
            if key is not None and files is not None:
                forks.answer(key, late[kind].prepare_branch, handler, frame, files)
            else:
                request.setdefault("limits", _PROBE["limits"])
                guard.answer(handler, request, files, channel)
            for file in files or ():
                os.close(file)
    except branches.BranchEnded:
        return 1
    except (protocol.ChannelClosed, BrokenPipeError, ConnectionResetError):
        return 0
