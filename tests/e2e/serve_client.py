"""Starts `kernelmill serve` and talks to it: well by http.client, badly by a socket."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import program

STORE = pathlib.Path(os.environ.get("KERNELMILL_ROOT", program.ROOT), ".cache/verdicts")


class Service:
    """A running service on a free port. Use it as a context: it is killed at the end."""

    def __init__(self, *options, environment=None):
        self.process = subprocess.Popen(
            [program.BINARY, "serve", "--port", "0", *map(str, options)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, **(environment or {})})
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError(self.process.communicate()[1])
        self.port = int(self.url.rpartition(":")[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        program.kill_group(self.process)
        self.process.communicate()

    def ask(self, method, path, body=None, headers=None, timeout=120):
        """(status, headers, bytes) of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
            kind = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, path, body, {**kind, **(headers or {})})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def verify(self, request, **more):
        """The bytes of the response to a request, which must succeed."""
        status, _, body = self.ask("POST", "/v1/verify", request, **more)
        if status != 200:
            raise AssertionError(f"{status}: {body}")
        return body

    def send(self, data, timeout=60, waits=True):
        """Sends bytes and returns what comes back until the service closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(data)
            received = b""
            while waits and (chunk := connection.recv(65536)):
                received += chunk
            return received

    def metric(self, name):
        """The value of a metric, with its labels if it has some: 'name{status="200"}'."""
        for line in self.ask("GET", "/metrics")[2].decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return 0.0

    def wait_for(self, name, least, seconds=60):
        """Waits until a metric has this value or more."""
        end = time.monotonic() + seconds
        while self.metric(name) < least:
            if time.monotonic() > end:
                raise AssertionError(f"{name} does not become {least}")
            time.sleep(0.02)

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def end(self, seconds=120):
        """The exit code."""
        return self.process.wait(seconds)


def verdict_bytes(response):
    """The bytes of the verdict in a response or in a line of verdicts.jsonl. JSON of the program
    has sorted keys, so that only the version can come after it."""
    _, _, rest = response.partition(b'"verdict":')
    text = rest.decode()
    _, length = json.JSONDecoder().raw_decode(text)
    return text[:length].encode()


def attempts(key):
    """What the store has noted about the judging of a key: one word for each begin and end."""
    path = STORE / key[:2] / f"{key}.attempts"
    return path.read_text().split() if path.exists() else []
