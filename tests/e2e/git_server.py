"""Serves Git repositories over HTTP as a host does, by Git's own program for it (git http-backend),
and fails in the ways in which a host fails."""

import base64
import contextlib
import http.server
import os
import socket
import subprocess
import threading
import time

import repository

BACKEND = os.path.join(subprocess.run(["git", "--exec-path"], capture_output=True, text=True,
                                      check=True).stdout.strip(), "git-http-backend")
CHUNK = 4096


class Answer:
    """A fault: the server answers with a status of its own; `to_pack`: only a request for a pack."""

    def __init__(self, status, to_pack=False, **headers):
        self.status, self.to_pack = status, to_pack
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Cut:
    """A fault: the connection ends in the middle of a pack, after so many bytes."""

    def __init__(self, after=CHUNK):
        self.after = after


class Hold:
    """A fault: the pack stops after so many bytes, until the test lets it go on."""

    def __init__(self, after=CHUNK):
        self.after = after
        self.reached = threading.Event()
        self.released = threading.Event()


class GitServer:
    """The repositories in the folders below `folder`, as `url(NAME)`. `partial`: whether clients may
    leave out files. `login`: "user:password", without which the server refuses everything. `old`:
    whether it only speaks the protocol in which commits have no address but a reference."""

    def __init__(self, test, folder, partial=True, login="", old=False):
        self.folder, self.partial, self.login, self.old = folder, partial, login, old
        self.delay = 0.0       # Seconds before each answer.
        self.lock = threading.Lock()
        self.faults = {}       # By name of a repository; each is used up by one request.
        self.requests = []     # (name, "info/refs" or "git-upload-pack", time).
        self.pack_bytes = {}   # By name.
        self.active = self.most_active = 0
        owner = self

        class Handler(_Handler):
            server_of_test = owner

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        test.addCleanup(self.http.server_close)
        test.addCleanup(self.http.shutdown)

    def url(self, name, credentials=""):
        return f"http://{credentials}127.0.0.1:{self.http.server_address[1]}/{name}"

    def fail(self, name, *faults):
        """The next requests for the repository get these faults, one each. Cut and Hold wait for one
        for a pack."""
        with self.lock:
            self.faults.setdefault(name, []).extend(faults)

    def asked(self, name):
        return [what for repository_name, what, _ in self.requests if repository_name == name]

    def begin(self, name, what, asks_for_pack):
        with self.lock:
            self.requests.append((name, what, time.monotonic()))
            self.active += 1
            self.most_active = max(self.most_active, self.active)
            left = self.faults.get(name, [])
            if left and (asks_for_pack or (isinstance(left[0], Answer) and not left[0].to_pack)):
                return left.pop(0)
            return None

    def end(self):
        with self.lock:
            self.active -= 1

    def count(self, name, size):
        with self.lock:
            self.pack_bytes[name] = self.pack_bytes.get(name, 0) + size

    def environment(self):
        settings = {"safe.directory": "*", "uploadpack.allowFilter": str(self.partial).lower()}
        variables = {"GIT_CONFIG_COUNT": str(len(settings)), "GIT_PROJECT_ROOT": str(self.folder),
                     "GIT_HTTP_EXPORT_ALL": "1", "PATH": os.environ["PATH"], **repository.IDENTITY}
        for number, (key, value) in enumerate(settings.items()):
            variables[f"GIT_CONFIG_KEY_{number}"] = key
            variables[f"GIT_CONFIG_VALUE_{number}"] = value
        return variables


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_test = None

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer()

    def log_message(self, *_):
        pass

    def handle(self):
        with contextlib.suppress(ConnectionError):  # Of a git that was killed.
            super().handle()

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = b""
        while size := int(self.rfile.readline(), 16):
            parts += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return parts

    def answer(self):
        path, _, query = self.path.partition("?")
        name, _, what = path.lstrip("/").partition("/")
        body = self.body()
        asks_for_pack = what == "git-upload-pack" and b"ls-refs" not in body
        fault = self.server_of_test.begin(name, what, asks_for_pack)
        try:
            time.sleep(self.server_of_test.delay)
            login = base64.b64encode(self.server_of_test.login.encode()).decode()
            if login and self.headers.get("Authorization") != f"Basic {login}":
                fault = Answer(401, WWW_Authenticate='Basic realm="tests"')
            if isinstance(fault, Answer):
                self.send_response(fault.status)
                for header, value in fault.headers.items():
                    self.send_header(header, value)
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self.run_backend(path, query, name, what, body, fault)
        finally:
            self.server_of_test.end()

    def run_backend(self, path, query, name, what, body, fault):
        variables = {**self.server_of_test.environment(), "REQUEST_METHOD": self.command,
                     "PATH_INFO": path, "QUERY_STRING": query, "REMOTE_ADDR": "127.0.0.1",
                     "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                     "CONTENT_LENGTH": str(len(body)),
                     "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                     "HTTP_GIT_PROTOCOL": "" if self.server_of_test.old
                                          else self.headers.get("Git-Protocol", "")}
        done = subprocess.run([BACKEND], input=body, capture_output=True, env=variables, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for header, value in headers.items():
            self.send_header(header, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if what == "git-upload-pack":
            self.server_of_test.count(name, len(content))
        sent = 0
        for start in range(0, len(content), CHUNK):
            if fault is not None and sent >= fault.after and self.stops(fault):
                return
            part = content[start:start + CHUNK]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            sent += len(part)
        self.wfile.write(b"0\r\n\r\n")

    def stops(self, fault):
        if isinstance(fault, Hold):
            fault.reached.set()
            fault.released.wait(timeout=120)
            return False
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
        return True
