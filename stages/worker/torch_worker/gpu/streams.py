"""Streams and events as torch.cuda has them. They tell the executor which order a replay may run
launches in (stages/cuda_executor/runtime/replay/stream_order.h); nothing waits here, because every
operation has ended when its call returns.
"""

import contextlib

import torch

from torch_worker.backends import BY_NAME


def stand_ins(kind, runtime):
    """What replaces the names of torch.cuda, by name. `runtime`: the executor, or None."""

    class Event:
        def __init__(self, *_, **__):
            self._handle = runtime.new_event() if runtime else 0

        def __del__(self):
            if runtime:
                runtime.drop_event(self._handle)

        def record(self, stream=None):
            if runtime:
                runtime.record_event(self._handle, (stream or Stream.current())._handle)

        def wait(self, stream=None):
            (stream or Stream.current()).wait_event(self)

        def synchronize(self):
            if runtime:
                runtime.wait_for_event(self._handle)

        def query(self):
            self.synchronize()
            return True

        def elapsed_time(self, _other):
            return 1.0

    class Stream:
        def __init__(self, *_, **__):
            self._set(runtime.new_stream() if runtime else 0)

        def _set(self, handle):
            self._handle = self.stream_id = handle
            for name in BY_NAME:
                setattr(self, f"{name}_stream", handle)
            self.device_index = self.priority = 0
            self.device_type, self.device = 1, torch.device(kind, 0)

        @classmethod
        def named(cls, handle, *_, **__):
            stream = cls.__new__(cls)
            stream._set(handle)
            return stream

        @classmethod
        def current(cls, *_, **__):
            return cls.named(runtime.current_stream() if runtime else 0)

        @classmethod
        def default(cls, *_, **__):
            return cls.named(0)

        def __eq__(self, other):
            return isinstance(other, Stream) and other._handle == self._handle

        def __hash__(self):
            return hash(self._handle)

        def __enter__(self):
            self._before = Stream.current()
            use(self)
            return self

        def __exit__(self, *_):
            use(self._before)

        def synchronize(self):
            if runtime:
                runtime.wait_for_stream(self._handle)

        def query(self):
            self.synchronize()
            return True

        def record_event(self, event=None):
            event = event or Event()
            event.record(self)
            return event

        def wait_event(self, event):
            if runtime:
                runtime.stream_waits(self._handle, event._handle)

        def wait_stream(self, stream):
            self.wait_event(stream.record_event())

        @staticmethod
        def priority_range():
            return 0, -5

    def use(stream):
        if runtime and stream is not None:
            runtime.use_stream(stream._handle)

    def synchronize(*_, **__):
        if runtime:
            runtime.wait_for_all()

    return {"Event": Event, "Stream": Stream, "ExternalStream": Stream.named,
            "current_stream": Stream.current, "default_stream": Stream.default,
            "stream": lambda stream: stream or contextlib.nullcontext(),
            "set_stream": use, "synchronize": synchronize}
