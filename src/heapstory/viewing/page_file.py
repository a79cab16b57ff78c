"""One HTML file: the bundled page, and around it data that is never executed."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heapstory.errors import HeapstoryError

PAGE = Path(__file__).parent / "page"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What ``make setup`` builds from ``viewer/``."""

    script: str
    style: str

    @classmethod
    def read(cls) -> Bundle:
        """From the folder beside this file."""
        try:
            return cls(
                (PAGE / "page.js").read_text(encoding="utf-8"),
                (PAGE / "page.css").read_text(encoding="utf-8"),
            )
        except OSError as error:
            raise HeapstoryError(
                f"the page is not built: no {PAGE / 'page.js'} (run: make setup, which wants node "
                "and npm)"
            ) from error


def document(
    bundle: Bundle,
    title: str,
    head: Mapping[str, Any],
    blocks: Mapping[str, bytes] | None = None,
    sources: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """The pieces of the file. ``blocks`` are compressed columns by the id of their element; a page
    without any asks the server that sent it."""
    network = "'self'" if blocks is None else "'none'"
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(bundle.script)} 'wasm-unsafe-eval'",
            f"style-src {_hash(bundle.style)}",
            "worker-src blob:",
            "img-src data: blob:",
            f"connect-src {network}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title)}</title>\n<style>{bundle.style}</style></head>\n"
        '<body><main id="view"></main>\n'
    )
    yield f'<script type="application/json" id="head">{_json(head)}</script>\n'
    for name, data in (blocks or {}).items():
        yield (
            f'<script type="application/x-heapstory-columns" id="{name}" data-coding="gzip base64">'
        )
        yield base64.b64encode(data).decode("ascii")
        yield "</script>\n"
    if sources is not None:
        yield f'<script type="application/json" id="sources">{_json(sources)}</script>\n'
    yield f"<script>{bundle.script}</script></body></html>\n"


def compress(data: bytes) -> bytes:
    """As a browser's DecompressionStream('gzip') reads it; the same bytes every time."""
    worker = zlib.compressobj(level=1, wbits=31)
    return worker.compress(data) + worker.flush()


def embedded_size(data: bytes) -> int:
    """How long a block is in the file."""
    return (len(data) + 2) // 3 * 4


def _json(data: Mapping[str, Any]) -> str:
    """JSON in which no element can begin or end."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
