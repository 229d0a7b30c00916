"""Requests that no client of `kernelmill serve` should send."""

POST = b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
# The bytes that are sent, and the status that they are answered with.
HOSTILE = {
    "header comes too slowly": (b"POST /v1/verify HTTP/1.1\r\nHost: local", 408),
    "body comes too slowly": (POST + b"Content-Length: 100\r\n\r\n{", 408),
    "body is too large": (POST + b"Content-Length: 99999999\r\n\r\n" + b"x" * 100_000, 413),
    "chunks are too large": (POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"%x\r\n" % (2 << 20)
                             + b"x" * (2 << 20), 413),
    "header is too large": (POST + b"X: " + b"x" * 100_000 + b"\r\n\r\n", 431),
    "length is negative": (POST + b"Content-Length: -5\r\n\r\n", 400),
    "length is no number": (POST + b"Content-Length: ten\r\n\r\n", 400),
    "two lengths": (POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20 + b"\r\n\r\n", 400),
    "no JSON": (POST + b"Connection: close\r\nContent-Length: 3\r\n\r\n{{{", 400),
    "deep JSON": (POST + b"Connection: close\r\nContent-Length: 100000\r\n\r\n" + b"[" * 100_000,
                  400),
    "no UTF-8": (POST + b"Connection: close\r\nContent-Length: 4\r\n\r\n\"\xff\xfe\"", 400),
    "another method": (b"DELETE /v1/verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                       b"\r\n", 405),
    "a path in the key": (b"GET /v1/verdicts/../../../../etc/passwd HTTP/1.1\r\n"
                          b"Host: localhost\r\nConnection: close\r\n\r\n", 400),
    "another host": (b"GET /healthz HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n",
                     403),
    "closes early": (POST + b"Content-Length: 1000\r\n\r\n{\"refer", None),
}


def status_of(response):
    """The status of a response, or None if there is none."""
    return int(response.split(b" ", 2)[1]) if response.startswith(b"HTTP/1.1 ") else None
