"""The process that has imported everything once and forks for each request."""

import gc
import os
import sys

from torch_worker import guard, protocol


def _warm():
    """Imports, and lazy imports behind the first use. No real operator: that could start threads."""
    import einops.layers.torch  # noqa: F401
    import numpy  # noqa: F401
    import torch

    from torch_worker import admit

    torch.set_num_threads(1)
    admit.warm()
    return torch, {"probe": _probe, "admit": admit.handle}


def _warm_symbolic():
    """At the first request of this kind: it imports as much again, and not everybody asks."""
    from torch_worker import symbolic

    symbolic.warm()
    gc.collect()
    gc.freeze()
    return symbolic.handle


def _probe(_request):
    return {"end": "reply"}


_PROBE = {"limits": {"wall_ms": 60000, "cpu_ms": 60000, "memory_bytes": 1 << 30,
                     "output_bytes": 1 << 16}}


def serve(channel):
    """Answers until the channel closes. The first frame says that it is ready."""
    torch, handlers = _warm()
    gc.collect()
    gc.freeze()
    hello = {"ready": True, "torch": torch.__version__, "git": torch.version.git_version,
             "python": sys.version.split()[0]}
    try:
        protocol.write_frame(channel, protocol.encode(hello))
        # From here on nothing of ours is worth reading, and a full pipe would block.
        null = os.open("/dev/null", os.O_WRONLY)
        os.dup2(null, 2)
        while True:
            request = protocol.read_frame(channel)
            if request.get("kind") == "symbolic" and "symbolic" not in handlers:
                handlers["symbolic"] = _warm_symbolic()
            handler = handlers.get(request.get("kind"))
            if handler is None:
                protocol.write_frame(channel, protocol.encode({"end": "unknown_kind"}))
                continue
            request.setdefault("limits", _PROBE["limits"])
            if not guard.run_guarded(handler, request, channel):
                return 1  # The client restarts us: half a frame may have been written.
    except (protocol.ChannelClosed, BrokenPipeError, ConnectionResetError):
        return 0
