"""The pages of a preview, served on this machine alone: as they are on disk, with what a preview adds to them.

Added are a script that reloads the page when it has changed, and what went wrong where its report could not be built.
Nothing of this is written: the files stay what a build without a preview makes them.
"""

import html
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from analysis._core.file_contents import file_version
from analysis._build.page.templates import POLICY
from analysis._build.runs.folders import Places

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")  # by which a browser may ask: another name may be a foreign site's, pointed here
KINDS = {".html": "text/html; charset=utf-8", ".json": "application/json", ".csv": "text/csv; charset=utf-8"}
OPEN = 2.0  # seconds for which a page that was asked about counts as open
STYLE = (
    "position:fixed;inset:auto 0 0;z-index:9;margin:0;padding:1rem;max-height:40vh;overflow:auto;"
    "white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 monospace;background:#7f1d1d;color:#fff"
)
EMPTY = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{0}</title></head>
<body><p>{0}: there is no page of this name yet. It opens here as soon as it is built.</p></body></html>
"""


class Preview:
    """The server, at `address` from the start until `close`; it answers in threads of its own.

    `trouble` is what went wrong with the preview as a whole: it is on each page, "" for nothing.
    """

    def __init__(self, places: Places, port: int) -> None:
        """Take the port, or another where it is taken; 0 for any. Raises OSError."""
        self.places, self.trouble = places, ""
        self._asked: dict[str, float] = {}
        try:
            self._server = _Server((LOOPBACK, port), self._handler())
        except OSError:
            self._server = _Server((LOOPBACK, 0), self._handler())
        self.port = self._server.server_port
        self.address = f"http://{LOOPBACK}:{self.port}/"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Answer nobody any more, and give the port back."""
        self._server.shutdown()
        self._server.server_close()

    def open(self) -> set[str]:
        """The reports whose pages somebody looks at."""
        since = time.monotonic() - OPEN
        return {report for report, moment in list(self._asked.items()) if moment > since}

    def page(self, path: Path) -> tuple[bytes, str]:
        """A page as it is served, and the version that its script compares; a word on it while there is none."""
        (text, digest), banner = _text(path), self._banner(path)
        version = _version(digest, banner)
        return _served(text, banner, version).encode(), version

    def version(self, path: Path) -> str:
        """The version of a page as it is now: asked ten times a second of each open page, and so read once a change."""
        return _version(_text(path)[1], self._banner(path))

    def _banner(self, path: Path) -> str:
        return "\n\n".join(filter(None, [self.trouble, self._failure(path)]))

    def asked_for(self, path: Path) -> None:
        """Remember that somebody looks at a page."""
        if path.parent == self.places.reports:
            self._asked[path.stem] = time.monotonic()

    def _failure(self, path: Path) -> str:
        """What is remembered of a page's report that could not be built, of a sweep's too."""
        words = path.parent / self.places.failed.name / f"{path.stem}.txt"
        try:
            return words.read_text(encoding="utf-8")
        except OSError:
            return ""

    def _handler(self) -> Callable[..., BaseHTTPRequestHandler]:
        return lambda *arguments: _Answer(self, *arguments)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that hangs up, nor of a file that goes while it is read: both ask again."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Answer(BaseHTTPRequestHandler):
    """One request: a file of the folder of reports, or none."""

    def __init__(self, preview: Preview, *arguments: Any) -> None:
        self.preview = preview
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal is for what is built."""

    def _answer(self, body: bool) -> None:
        name = (self.headers.get("Host") or "").rpartition(":")[0]
        path = _file(self.preview.places.reports, self.path)
        if name not in NAMES or path is None:
            return self.send_error(HTTPStatus.FORBIDDEN)
        if path.is_dir():
            return self._elsewhere()
        if path.suffix != ".html" and not path.is_file():
            return self.send_error(HTTPStatus.NOT_FOUND)
        content, version = None, ""
        if path.suffix == ".html":
            self.preview.asked_for(path)
            content, version = self.preview.page(path) if body else (None, self.preview.version(path))
        elif body:
            content = path.read_bytes()
        self._head(content, KINDS.get(path.suffix, "application/octet-stream"), version)
        if content is not None:
            self.wfile.write(content)

    def _elsewhere(self) -> None:
        self.send_response(HTTPStatus.FOUND)
        self.send_header("Location", f"{urlsplit(self.path).path.rstrip('/')}/index.html")
        self.end_headers()

    def _head(self, content: bytes | None, kind: str, version: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        if content is not None:
            self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        if version:
            self.send_header("ETag", version)
        self.end_headers()


def _file(folder: Path, address: str) -> Path | None:
    """The file below the folder that an address names; None for one outside, and for hidden ones."""
    parts = [part for part in unquote(urlsplit(address).path).split("/") if part]
    if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
        return None
    return folder.joinpath(*parts)


def _text(path: Path) -> tuple[str, str]:
    """The text of a page, and its SHA-256; a word on it while there is none."""
    if not (version := file_version(path)):
        text = EMPTY.format(html.escape(path.stem))
        return text, sha256(text.encode()).hexdigest()
    return _text_of(path, version)


@lru_cache(maxsize=8)
def _text_of(path: Path, version: tuple[int, ...]) -> tuple[str, str]:
    content = path.read_bytes()
    return content.decode(), sha256(content).hexdigest()


def _version(digest: str, banner: str) -> str:
    return f'"{sha256((banner + digest).encode()).hexdigest()}"'


def _served(text: str, banner: str, version: str) -> str:
    """A page's text with the words of what went wrong and the script, which its policy allows by its digest."""
    script = _script()
    allowed = f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
    head, begin, rest = text.partition(POLICY)
    policy, quote, rest = rest.partition('"')
    scripts = "script-src "
    policy = policy.replace(scripts, f"{scripts}{allowed} ") if scripts in policy else f" {scripts}{allowed};{policy}"
    text = f"{head}{begin} connect-src 'self';{policy}{quote}{rest}"
    alert = f'<pre role="alert" style="{STYLE}">{html.escape(banner)}</pre>' if banner else ""
    before, body, rest = text.partition("<body")
    tag, end, rest = rest.partition(">")
    shown, close, after = rest.rpartition("</body>")
    return f"{before}{body}{tag}{end}{alert}{shown}<script data-version='{version}'>{script}</script>{close}{after}"


@cache
def _script() -> str:
    return Path(__file__).with_name("follow.js").read_text(encoding="utf-8")
