"""The torch worker: answers requests on standard input, each in a confined fork of itself.

Started by stages/worker/torch_worker.cc inside bubblewrap, as `python -s -P -B worker.py` with an
emptied environment (not -I: that would ignore PYTHONHASHSEED). The other end of standard input is a
socket; when it closes, everything here ends.
"""

import ctypes
import os
import sys

_ADDR_NO_RANDOMIZE = 0x0040000  # linux/personality.h


def _fix_addresses():
    """Begins again at addresses that are the same in every run, where the kernel lets it: what a
    candidate reads beyond its memory is then the same too."""
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
