"""Reward functions for reinforcement learning that ask a running `kernelmill serve`.

For TRL, with the rows of `kernelmill export --format trl-rl`:

    trl.GRPOTrainer(model, kernelmill.reward.reward, train_dataset=rows["train"])

For verl, with those of `--format verl-rl`: custom_reward_function.path is this file, and
custom_reward_function.name is compute_score.

Both find the service by the variables KERNELMILL_SERVE_URL (default: http://127.0.0.1:8077) and
KERNELMILL_SERVE_TOKEN. Only the standard library is used.
"""

from __future__ import annotations

import concurrent.futures
import http.client
import json
import os
import random
import threading
import time
import urllib.parse
from typing import Any, Callable, Iterable, Optional, Union

DEFAULT_URL = "http://127.0.0.1:8077"
URL_VARIABLE, TOKEN_VARIABLE = "KERNELMILL_SERVE_URL", "KERNELMILL_SERVE_TOKEN"
# What the service answers while it cannot judge: too many candidates wait, a failure of its
# machine, or a deadline has passed. The same request may succeed later.
TRY_AGAIN = (429, 503, 504)
# A text, or the messages of a conversation.
Completion = Union[str, "list[dict[str, str]]"]


class ServeError(Exception):
    """The service refused a request, or could not be asked. The message says what to do."""


class Service:
    """A running `kernelmill serve`. Thread-safe; a context that closes its connections.

    `patience` is for how many seconds one request is repeated, after which it raises ServeError.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None,
                 patience: float = 3600.0, connections: int = 16) -> None:
        self.url = (url or os.environ.get(URL_VARIABLE) or DEFAULT_URL).rstrip("/")
        self._token = token or os.environ.get(TOKEN_VARIABLE)
        self._patience = patience
        self._connections = connections
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServeError(f"{self.url} is no URL of a service: it begins with http://")
        self._parts = parts
        self._idle, self._lock = [], threading.Lock()  # Open connections that no thread uses.

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def verify(self, **request: Any) -> dict[str, Any]:
        """Judges one candidate. The keys are those of POST /v1/verify. Returns the dictionary with
        "key", "verdict", "reward" and "feedback"."""
        body = json.dumps(request).encode()
        end = time.monotonic() + self._patience
        wait = 0.5
        while True:
            problem, after = "", None
            try:
                status, headers, text = self._post("/v1/verify", body)
            except (OSError, http.client.HTTPException) as error:
                problem = f"{self.url} cannot be asked ({error!r}): is `kernelmill serve` running?"
            else:
                answer = _parsed(text)
                if status == 200 and isinstance(answer, dict) and "verdict" in answer:
                    return answer
                problem = f"{self.url} answers {status}: {_message(answer, text)}"
                if status not in TRY_AGAIN:
                    raise ServeError(problem)
                after = _seconds(headers.get("Retry-After"))
            # Clients that were refused together must not come again together.
            pause = (after if after is not None else wait) * random.uniform(1.0, 1.5)
            if time.monotonic() + pause > end:
                raise ServeError(f"{problem} (for {self._patience:.0f} seconds)")
            time.sleep(pause)
            wait = min(wait * 2, 30.0)

    def verify_all(self, requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Judges several candidates. Returns the answers in the order of the requests."""
        requests = list(requests)
        if not requests:
            return []
        with concurrent.futures.ThreadPoolExecutor(
                min(self._connections, len(requests))) as threads:
            return list(threads.map(lambda request: self.verify(**request), requests))

    def _post(self, path, body):
        """(status, headers, text) of the response. Connections are kept for later requests."""
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            is_new = connection is None
            if is_new:
                kind = (http.client.HTTPSConnection if self._parts.scheme == "https"
                        else http.client.HTTPConnection)
                connection = kind(self._parts.hostname, self._parts.port, timeout=self._patience)
            try:
                connection.request("POST", self._parts.path.rstrip("/") + path, body, headers)
                response = connection.getresponse()
                text = response.read().decode(errors="replace")
            except (OSError, http.client.HTTPException):
                connection.close()
                if is_new:
                    raise
                continue  # The service has closed a connection that was idle.
            if response.will_close:
                connection.close()
            else:
                with self._lock:
                    self._idle.append(connection)
            return response.status, response.headers, text


def value_of(answer: dict[str, Any]) -> Optional[float]:
    """The reward of equation 2 of MusaCoder: the sum of the terms that are known. None for a
    verdict that says nothing about the candidate, such as "unsupported"."""
    terms = answer["reward"]
    if terms is None:
        return None
    return float(sum(term for term in terms.values() if term is not None))


def make_reward(service: Optional[Service] = None, unscored: Optional[float] = None,
                **options: Any) -> Callable[..., list[Optional[float]]]:
    """A reward function for TRL with a service and options of its own: `unscored` stands for what
    has no reward, and `options`, such as policy or sanitize, go to the service with each request."""

    def kernelmill_reward(prompts: list[Any], completions: list[Completion], task: list[str],
                          backend: Optional[list[str]] = None,
                          contract: Optional[list[str]] = None,
                          target: Optional[list[str]] = None,
                          **_: Any) -> list[Optional[float]]:
        """`task` and what follows are columns of the rows, with one value for each completion."""
        del prompts
        columns = {"backend": backend, "contract": contract, "target": target}
        requests = []
        for i, completion in enumerate(completions):
            request = {"reference": task[i], "message": _text(completion), **options}
            request.update({name: values[i] for name, values in columns.items() if values})
            requests.append(request)
        values = [value_of(answer) for answer in _service(service).verify_all(requests)]
        return [unscored if value is None else value for value in values]

    return kernelmill_reward


def reward(prompts: list[Any], completions: list[Completion],
           **columns: Any) -> list[Optional[float]]:
    """The reward function for TRL's GRPOTrainer: a list of floats, with None for a completion that
    has no reward, which TRL leaves out."""
    return make_reward()(prompts, completions, **columns)


def compute_score(data_source: str, solution_str: str, ground_truth: str,
                  extra_info: Optional[dict[str, Any]] = None, unscored: float = -1.0,
                  policy: Optional[str] = None, sanitize: Optional[str] = None,
                  **_: Any) -> float:
    """The reward function for verl. `ground_truth` is the text of the task. `unscored` stands for
    what has no reward: by default it is the lowest reward, because above it a policy would learn to write
    answers that cannot be judged; it, policy and sanitize may stand in custom_reward_function.reward_kwargs."""
    del data_source
    request = {"reference": ground_truth, "message": solution_str}
    request.update({name: value for name, value in (("policy", policy), ("sanitize", sanitize))
                    if value})
    for name in ("backend", "contract", "target"):
        if (extra_info or {}).get(name):
            request[name] = extra_info[name]
    value = value_of(_service(None).verify(**request))
    return unscored if value is None else value


_services, _services_lock = {}, threading.Lock()


def _service(service):
    """The service that is passed, or that of the environment, whose connections are kept."""
    if service is not None:
        return service
    name = (os.environ.get(URL_VARIABLE), os.environ.get(TOKEN_VARIABLE))
    with _services_lock:
        if name not in _services:
            _services[name] = Service()
        return _services[name]


def _text(completion):
    """The text of a completion: a string, or a list of messages of which the last is the answer."""
    if isinstance(completion, str):
        return completion
    return completion[-1]["content"]


def _parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def _message(answer, text):
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict):
        return text[:200]
    key = f"{error['key']}: " if "key" in error else ""
    return key + str(error.get("message", ""))


def _seconds(text):
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None
