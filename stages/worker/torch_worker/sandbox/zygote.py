"""The process that has imported everything once and forks for each request."""

import gc
import os
import socket
import sys

from torch_worker import protocol
from torch_worker.sandbox import guard


def _warm():
    """Imports, and lazy imports behind the first use. No real operator: that could start threads."""
    import einops.layers.torch  # noqa: F401
    import numpy  # noqa: F401
    import torch

    from torch_worker.legality import legality
    from torch_worker.requests import admit, reference

    torch.set_num_threads(1)
    # Reads once from /proc and /sys what the processor can; a fork sees neither. One number starts
    # no thread.
    torch.zeros(1).half()
    admit.warm()
    handlers = {"probe": _probe, "admit": admit.handle, "legality": legality.handle}
    handlers.update((kind, reference.handle) for kind in ("sizes", "fit", "reference"))
    return torch, handlers


def _warm_symbolic():
    """At the first request of this kind: it imports as much again, and not everybody asks."""
    from torch_worker.requests import symbolic

    symbolic.warm()
    gc.collect()
    gc.freeze()
    return symbolic.handle


def _warm_candidate():
    from torch_worker.requests import candidate

    gc.collect()
    gc.freeze()
    return candidate.handle


def _warm_capture():
    from torch_worker.requests import capture

    capture.warm()
    gc.collect()
    gc.freeze()
    return capture.handle


def _warm_outline():
    from torch_worker.requests import outline

    outline.warm()
    gc.collect()
    gc.freeze()
    return outline.handle


_LATE = {"symbolic": _warm_symbolic, "candidate": _warm_candidate, "capture": _warm_capture,
         "outline": _warm_outline}


def _probe(_request):
    return {"end": "reply"}


_PROBE = {"limits": {"wall_ms": 60000, "cpu_ms": 60000, "memory_bytes": 1 << 30,
                     "output_bytes": 1 << 16}}


def serve(channel):
    """Answers until the channel closes. The first frame says that it is ready."""
    torch, handlers = _warm()
    gc.collect()
    gc.freeze()
    gc.disable()  # A collection would touch, and so copy, whatever a child shares with us.
    hello = {"ready": True, "torch": torch.__version__, "git": torch.version.git_version,
             "python": sys.version.split()[0]}
    ours = socket.socket(fileno=channel)
    try:
        protocol.write_frame(channel, protocol.encode(hello))
        # From here on nothing of ours is worth reading, and a full pipe would block.
        null = os.open("/dev/null", os.O_WRONLY)
        os.dup2(null, 2)
        while True:
            request, files = protocol.read_request(ours)
            kind = request.get("kind")
            if kind in _LATE and kind not in handlers:
                handlers[kind] = _LATE[kind]()
            handler = handlers.get(kind)
            if handler is None:
                guard.say(channel, {"end": "unknown_kind"})
                continue
            request.setdefault("limits", _PROBE["limits"])
            guard.answer(handler, request, files, channel)
            for file in files:
                os.close(file)
    except (protocol.ChannelClosed, BrokenPipeError, ConnectionResetError):
        return 0
