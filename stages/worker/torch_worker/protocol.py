"""Frames on the channel: a 4-byte big-endian length, then that many bytes. All but the first one,
the system call filter, are JSON.

Open files may come with a request's first bytes: shared memory that both sides map.
"""

import errno
import json
import os
import socket
import struct

MAX_FRAME = 64 << 20
MAX_FILES = 8


class ChannelClosed(Exception):
    """The other end has closed the channel."""


# Errors that tell of a shortage of the machine, as in manifests/shortage.h.
SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)


def _read_exactly(descriptor, size):
    chunks = []
    while size > 0:
        chunk = os.read(descriptor, min(size, 1 << 20))
        if not chunk:
            raise ChannelClosed
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def read_frame(channel):
    """(bytes of one frame, descriptors of the files that came with it) from a socket. None for the
    files when this process may not have as many."""
    head, files, flags, _ = socket.recv_fds(channel, 4, MAX_FILES)
    if not head:
        raise ChannelClosed
    head += _read_exactly(channel.fileno(), 4 - len(head))
    (size,) = struct.unpack(">I", head)
    if size > MAX_FRAME:
        raise ChannelClosed
    frame = _read_exactly(channel.fileno(), size)
    if flags & socket.MSG_CTRUNC:
        for file in files:
            os.close(file)
        files = None
    return frame, files


def write_request(channel, frame, files):
    """Sends what read_frame() has read on, through another socket."""
    socket.send_fds(channel, [struct.pack(">I", len(frame))], files)
    channel.sendall(frame)


def read_request(channel):
    """(request, descriptors of the files that came with it), see read_frame()."""
    frame, files = read_frame(channel)
    return json.loads(frame), files


def encode(value):
    """Encodes a value as canonical JSON (sorted keys, no white space), so that equal replies have
    equal bytes."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")


def write_all(descriptor, data, write=os.write):
    view = memoryview(data)
    while view:
        view = view[write(descriptor, view):]


def write_frame(descriptor, payload):
    write_all(descriptor, struct.pack(">I", len(payload)) + payload)
