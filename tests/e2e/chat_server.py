"""An OpenAI-compatible server whose replies a test decides: each prompt gets the replies that the
test lists for it, one for each request, and after them whole answers."""

import collections
import http.server
import json
import socket
import threading

LONG_AGO = "Thu, 01 Jan 1970 00:00:00 GMT"


def answer_to(body, attempt=0):
    return f"Answer {attempt} to {body['messages'][-1]['content']}: größer."


def completion(body, choices, finish_reason="stop"):
    """The body of a whole reply."""
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": body["model"],
            "choices": [{"index": i, "finish_reason": finish_reason,
                         "message": {"role": "assistant", "content": answer_to(body, i)}}
                        for i in range(choices)],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5 * choices,
                      "total_tokens": 10 + 5 * choices}}


def chunks(body, choices, finish_reason="stop"):
    """The events of a whole streamed reply."""
    for i in range(choices):
        yield {"choices": [{"index": i, "delta": {"role": "assistant", "content": ""},
                            "finish_reason": None}]}
    texts = [answer_to(body, i) for i in range(choices)]
    for at in range(0, max(map(len, texts)), 4):
        for i, text in enumerate(texts):
            if at < len(text):
                yield {"choices": [{"index": i, "delta": {"content": text[at:at + 4]},
                                    "finish_reason": None}]}
    for i in range(choices):
        yield {"choices": [{"index": i, "delta": {}, "finish_reason": finish_reason}]}
    if body.get("stream_options", {}).get("include_usage"):
        yield {"choices": [], "usage": completion(body, choices)["usage"]}


class Exchange(http.server.BaseHTTPRequestHandler):
    """One connection. Replies are functions of an exchange and the body of its request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.chat.take(self.path, dict(self.headers), body)
        reply(self, body)

    def send(self, status, data, headers=(), length=None):
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), *headers):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def drop(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def stream(self, events, whole=True):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            data = f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        if whole:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.drop()

    def log_message(self, *_):
        pass


def whole(choices=None, finish_reason="stop"):
    """A whole reply, streamed if it is asked for."""
    def reply(exchange, body):
        count = body.get("n", 1) if choices is None else choices
        if body.get("stream"):
            exchange.stream([*chunks(body, count, finish_reason), "[DONE]"])
        else:
            data = completion(body, count, finish_reason)
            exchange.send(200, json.dumps(data, ensure_ascii=False).encode())
    return reply


def status(code, message="no", **headers):
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return lambda exchange, body: exchange.send(
        code, json.dumps({"error": {"message": message}}).encode(), named)


def raw(data):
    return lambda exchange, body: exchange.send(200, data)


def dropped(exchange, body):
    exchange.drop()


def cut(exchange, body):
    """Half of a reply."""
    if body.get("stream"):
        exchange.stream(list(chunks(body, 1))[:3], whole=False)
    else:
        data = json.dumps(completion(body, 1)).encode()
        exchange.send(200, data[:len(data) // 2], length=len(data))
        exchange.drop()


def ended_early(exchange, body):
    """A stream that ends as if it were whole."""
    exchange.stream([*list(chunks(body, 1))[:3], "[DONE]"])


def silent(exchange, body):
    exchange.server.chat.closed.wait(60)


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        """Clients end in the middle of replies, some of them killed."""


class ChatServer:
    """Serves until the test ends. `replies[NAME]` are the replies to requests whose last message is
    NAME, in their order; `replies[None]` are those to other requests."""

    def __init__(self, test, context=None):
        self.lock = threading.Lock()
        self.replies = collections.defaultdict(list)
        self.default = whole()
        self.requests = []  # (path, headers, body), in the order in which they came.
        self.closed = threading.Event()
        self.server = Listener(("127.0.0.1", 0), Exchange)
        self.server.chat = self
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.scheme = "http" if context is None else "https"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        test.addCleanup(self.close)

    def close(self):
        self.closed.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"{self.scheme}://localhost:{self.server.server_address[1]}/v1"

    def take(self, path, headers, body):
        name = body["messages"][-1]["content"]
        with self.lock:
            self.requests.append((path, headers, body))
            listed = self.replies[name if self.replies[name] else None]
            return listed.pop(0) if listed else self.default

    def bodies(self, name=None):
        with self.lock:
            return [body for _, _, body in self.requests
                    if name is None or body["messages"][-1]["content"] == name]
