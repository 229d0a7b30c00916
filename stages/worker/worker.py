"""The torch worker: answers requests on standard input, each in a confined fork of itself.

stages/worker/torch_worker.cc starts it inside bubblewrap, as `python -s -P -B worker.py` with an
empty environment (not -I, which would ignore PYTHONHASHSEED). Standard input is a socket; when its
other end closes, the worker and its forks end.
"""

import ctypes
import os
import sys

_ADDR_NO_RANDOMIZE = 0x0040000  # linux/personality.h


def _fix_addresses():
    """Restarts without address randomisation, if the kernel allows it: a candidate that reads
    beyond its memory then reads the same values in every run."""
    libc = ctypes.CDLL(None)
    now = libc.personality(ctypes.c_ulong(0xFFFFFFFF))
    if (now >= 0 and not now & _ADDR_NO_RANDOMIZE
            and libc.personality(ctypes.c_ulong(now | _ADDR_NO_RANDOMIZE)) >= 0):
        os.execv(sys.executable, sys.orig_argv)


if __name__ == "__main__":
    _fix_addresses()

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from torch_worker.sandbox import zygote  # noqa: E402: the line above makes it importable

if __name__ == "__main__":
    sys.exit(zygote.serve(channel=0))
