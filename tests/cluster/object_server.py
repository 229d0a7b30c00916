"""An S3 server for tests: moto's, behind a gate. Runs in the environment of tools/setup/validators.txt:

    object_server.py BUCKET KEY_ID SECRET

It prints its port. The gate does what moto leaves to AWS: it does one request at a time, so that of
two conditional writes one is the first; it refuses a request whose signature is not that of botocore,
or whose body is not the one that was signed. And it fails on demand: `POST /-/faults` takes a list of

    {"method": "PUT", "name": REGEX, "does": WHAT, "times": N, "after": N}

which applies to N requests after the first ones that fit. WHAT is a status, or "cut_before" and
"cut_after" (the connection ends without a reply, and nothing or everything was done), "cut_within"
(the reply's body ends too early), "damage" (one byte of it is another one), "replace" (a write that
forgets If-None-Match). `GET /-/log` gives the requests so far, each [method, path, status]."""

import hashlib
import io
import json
import re
import socket
import sys
import threading

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_server.werkzeug_app import (DomainDispatcherApplication, MotoRequestHandler,
                                           create_backend_app)
from moto.s3.models import s3_backends
from werkzeug.serving import make_server
from werkzeug.test import run_wsgi_app
from werkzeug.wrappers import Request, Response

CODES = {409: "ConditionalRequestConflict", 412: "PreconditionFailed", 500: "InternalError",
         503: "SlowDown"}


class QuietHandler(MotoRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


class Gate:
    def __init__(self, key_id, secret):
        self.moto = DomainDispatcherApplication(create_backend_app)
        self.credentials = Credentials(key_id, secret)
        self.lock = threading.Lock()
        self.faults, self.log = [], []

    def __call__(self, environ, start_response):
        request = Request(environ)
        body = request.get_data(cache=True)
        with self.lock:
            response = self.control(request, body) or self.answer(request, environ, body)
        if response is None:  # The connection ends.
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            response = Response()
        return response(environ, start_response)

    def control(self, request, body):
        if request.path == "/-/faults":
            self.faults = json.loads(body)
            return Response()
        if request.path == "/-/log":
            return Response(json.dumps(self.log))
        return None

    def answer(self, request, environ, body):
        does = self.fault(request)
        if does != "cut_before" and not isinstance(does, int):
            if does == "replace":
                environ.pop("HTTP_IF_NONE_MATCH", None)
            response = self.pass_on(request, environ, body)
        else:
            response = error(does) if isinstance(does, int) else None
        self.log.append([request.method, request.path, response.status_code if response else 0])
        if does == "cut_after":
            return None
        data = response.get_data() if does in ("cut_within", "damage") else b""
        if does == "cut_within":
            response.set_data(data[:-1])
            response.headers["Content-Length"] = str(len(data))
        if does == "damage" and data:
            response.set_data(bytes([data[0] ^ 1]) + data[1:])
        return response

    def fault(self, request):
        for fault in self.faults:
            if request.method != fault["method"] or not re.search(fault["name"], request.path):
                continue
            if fault.get("after", 0) > 0:
                fault["after"] -= 1
            elif fault["times"] > 0:
                fault["times"] -= 1
                return fault["does"]
        return None

    def pass_on(self, request, environ, body):
        if not self.is_signed(request, environ, body):
            return error(403, "SignatureDoesNotMatch")
        environ["wsgi.input"] = io.BytesIO(body)  # The connection's was read.
        parts, status, headers = run_wsgi_app(self.moto, environ)
        if request.method != "HEAD":
            return Response(b"".join(parts), status, headers)
        if status.startswith("200"):  # moto does not say it.
            bucket, _, name = request.path[1:].partition("/")
            found = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].get_object(bucket, name)
            headers["Content-Length"] = str(found.size)
        return Response(None, status, headers)

    def is_signed(self, request, environ, body):
        found = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/\d+/([\w-]+)/s3/aws4_request, ?"
                             r"SignedHeaders=([^,]+), ?Signature=(\w+)",
                             request.headers.get("Authorization", ""))
        if not found or found[1] != self.credentials.access_key:
            return False
        if request.headers["X-Amz-Content-Sha256"] != hashlib.sha256(body).hexdigest():
            return False
        names = found[3].split(";")
        if {"host", "x-amz-date", "x-amz-content-sha256"} - set(names):
            return False
        if request.method == "PUT" and "if-none-match" not in names:
            return False
        signed = AWSRequest(request.method, f"http://{request.host}{environ['REQUEST_URI']}",
                            headers={name: request.headers[name] for name in names})
        signed.context["timestamp"] = request.headers["X-Amz-Date"]
        signer = S3SigV4Auth(self.credentials, "s3", found[2])
        text = signer.string_to_sign(signed, signer.canonical_request(signed))
        return signer.signature(text, signed) == found[4]


def error(status, code=None):
    code = code or CODES.get(status, "Error")
    response = Response(f"<Error><Code>{code}</Code></Error>", status, mimetype="application/xml")
    if status == 503:
        response.headers["Retry-After"] = "0"
    return response


def main(bucket, key_id, secret):
    gate = Gate(key_id, secret)
    server = make_server("127.0.0.1", 0, gate, threaded=True, request_handler=QuietHandler)
    s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(bucket, "us-east-1")
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
