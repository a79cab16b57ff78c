"""A page and its data from this machine to this machine, for traces too large for a file.

Only the loopback device is bound, every path begins with a random token, and the host that a
browser asks for is compared, so that no other page can read along.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from heapstory.errors import HeapstoryError, UsageError
from heapstory.viewing.answers import FAN, LIMIT, Answers, WindowQuery
from heapstory.viewing.head import Opening, make_head
from heapstory.viewing.page_file import Bundle, document

if TYPE_CHECKING:
    from heapstory.trace import Trace

_CHUNKS_AT_ONCE = 16  # that are counted in the background between two looks at whether to stop
_CHUNKS_OF_REQUEST = 8  # that a request may count itself
_MOST_CHANGES = 1_000_000  # of a window
_MOST_INDEXED = 1_000_000  # changes: making an index of all pointers takes too long for more

Query = dict[str, str]


class ViewServer:
    """Serves one trace until it is closed."""

    def __init__(
        self, trace: Trace, opening: Opening, *, port: int = 0, bundle: Bundle | None = None
    ) -> None:
        self.trace = trace
        self.answers = Answers(trace)
        self.token = secrets.token_urlsafe(16)
        head = make_head(trace, opening, serve=True)
        self.head = head
        self.page = "".join(document(bundle or Bundle.read(), trace.path.name, head)).encode()
        self.sources = frozenset(head["sources"])
        self.lock = Lock()
        handler = type("Handler", (_Handler,), {"view": self})
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError as error:
            raise UsageError(
                f"port {port}: {error.strerror} (choose another with --port, or leave it out)"
            ) from error
        self._server.daemon_threads = True
        self._stop = Event()
        self._counter = Thread(target=self._count, daemon=True)

    @property
    def host(self) -> str:
        """The name and port that a browser has to ask for."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def address(self) -> str:
        """The page."""
        return f"http://{self.host}/{self.token}/"

    def serve(self) -> None:
        """Answers until ``close`` is called from elsewhere, or until interrupted."""
        self._counter.start()
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """Ends ``serve``."""
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        if self._counter.is_alive():
            self._counter.join()

    def _count(self) -> None:
        """Counts changes by statement, which bands of all time want, while nobody waits."""
        from heapstory import _core

        while not self._stop.is_set() and _core.count_changes(self.trace.core, _CHUNKS_AT_ONCE):
            pass

    def answer(self, path: str, query: Query) -> tuple[str, bytes]:
        """Type and body of an answer; UsageError says what is wrong with a request."""
        octets = "application/octet-stream"
        if path == "":
            return "text/html; charset=utf-8", self.page
        if path == "head":
            return "application/json", json.dumps(self.head).encode()
        if path == "source":
            return "text/plain; charset=utf-8", self._source(query)
        requests: dict[str, Callable[[Query], bytes]] = {
            "window": self._window,
            "bands": self._bands,
            "changes": self._changes,
            "pointing": self._pointing,
            "find": lambda asked: self.answers.find(_text(asked, "text")),
        }
        if path not in requests:
            raise NotFoundError(f"there is no {path} (there are {', '.join(requests)})")
        with self.lock:
            return octets, requests[path](query)

    def _window(self, query: Query) -> bytes:
        limit = _number(query, "limit")
        opened = dict(_pairs(query, "opened"))
        asked = WindowQuery(
            first=_number(query, "first"),
            last=_number(query, "last"),
            at=_number(query, "at"),
            nodes=_numbers(query, "nodes"),
            start=_numbers(query, "start"),
            name=query.get("name"),
            type=query.get("type"),
            site=_number(query, "site"),
            depth=_number(query, "depth"),
            limit=min(LIMIT + sum(opened.values()) if limit is None else limit, 10 * LIMIT),
            fan=FAN,
            opened=opened,
            wanted=_pairs(query, "words"),
            most_changes=_MOST_CHANGES,
            zeroed_words=256,
        )
        if asked.nodes is None and not (asked.start or asked.name or asked.type or asked.site):
            asked = replace(asked, start=self.head["start"])
        return self.answers.window(asked)[0]

    def _bands(self, query: Query) -> bytes:
        return self.answers.bands(
            _number(query, "first"),
            _number(query, "last"),
            _number(query, "buckets"),
            _CHUNKS_OF_REQUEST,
        )

    def _changes(self, query: Query) -> bytes:
        site = _number(query, "site")
        if site is None:
            raise UsageError("changes wants a site")
        return self.answers.changes(
            site, _number(query, "first"), _number(query, "last"), _number(query, "limit")
        )

    def _pointing(self, query: Query) -> bytes:
        node = _number(query, "node")
        if node is None:
            raise UsageError("pointing wants a node")
        first, last = _number(query, "first"), _number(query, "last")
        if self.trace.last <= _MOST_INDEXED:
            return self.answers.pointing(node, first, last)
        if first is None or first != last:
            raise UsageError(
                f"who points to a node is told of one moment, with {self.trace.last:,} changes "
                f"(ask: heapstory history {self.trace.path} --pointing-to {node})"
            )
        return self.answers.pointing_at(node, first)

    def _source(self, query: Query) -> bytes:
        path = _text(query, "path")
        text = self.trace.source(path) if path in self.sources else None
        if text is None:
            raise NotFoundError(f"the text of {path} is not in the trace")
        return text.encode()


class NotFoundError(UsageError):
    """There is no such thing to answer with."""


class _Handler(BaseHTTPRequestHandler):
    view: ViewServer
    server_version = "heapstory"
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        prefix = f"/{self.view.token}/"
        same = secrets.compare_digest(asked.path[: len(prefix)].encode(), prefix.encode())
        if self.headers.get("Host") != self.view.host or not same:
            self._complain(403, "wrong token or host (open the address that heapstory printed)")
            return
        query = {name: values[-1] for name, values in parse_qs(asked.query).items()}
        try:
            kind, body = self.view.answer(unquote(asked.path[len(prefix) :]), query)
        except NotFoundError as error:
            self._complain(404, str(error))
        except UsageError as error:
            self._complain(404 if "there is no node" in str(error) else 400, str(error))
        except HeapstoryError as error:
            self._complain(500, str(error))
        else:
            self._send(200, kind, body)

    def _complain(self, status: int, message: str) -> None:
        self._send(status, "application/json", json.dumps({"error": message}).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: requests are not for the terminal."""


def _number(query: Query, name: str) -> int | None:
    if name not in query:
        return None
    try:
        number = int(query[name])
    except ValueError:
        raise UsageError(f"{name} {query[name]}: is no number") from None
    if not 0 <= number < 1 << 63:
        raise UsageError(f"{name} {number}: is out of range")
    return number


def _numbers(query: Query, name: str) -> list[int] | None:
    if name not in query:
        return None
    return [_number({name: part}, name) or 0 for part in query[name].split(",") if part]


def _pairs(query: Query, name: str) -> list[tuple[int, int]]:
    """As in 12:40,15:8."""
    pairs = []
    for part in query.get(name, "").split(","):
        if part:
            left, _, right = part.partition(":")
            numbers = {name: left}, {name: right}
            pairs.append((_number(numbers[0], name) or 0, _number(numbers[1], name) or 0))
    return pairs


def _text(query: Query, name: str) -> str:
    if name not in query:
        raise UsageError(f"{name} is missing")
    return query[name]
