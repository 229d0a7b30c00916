"""The torch worker: answers requests on standard input, each in a confined fork of itself.

Started by stages/worker/torch_worker.cc inside bubblewrap, as `python -s -P -B worker.py` with an
emptied environment (not -I: that would ignore PYTHONHASHSEED). The other end of standard input is a
socket; when it closes, everything here ends.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from torch_worker import zygote  # noqa: E402: the line above makes it importable

if __name__ == "__main__":
    sys.exit(zygote.serve(channel=0))
