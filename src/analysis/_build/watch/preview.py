"""The pages of a preview, served on this machine alone: as they are on disk, with what a preview adds to them.

Added are a script that reloads the page when it has changed, and what went wrong where its report could not be built.
Nothing of this is written: the files stay what a build without a preview makes them.
"""

import html
import sys
import threading
import time
from base64 import b64encode
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

from analysis._core.file_contents import file_version
from analysis._build.page.templates import POLICY
from analysis._build.runs.folders import Places

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")  # by which a browser may ask: another name may be a foreign site's, pointed here
OPEN = 2.0  # seconds for which a page that was asked about counts as open
SCRIPT = Path(__file__).with_name("follow.js").read_text(encoding="utf-8")
ALLOWED = f"script-src 'sha256-{b64encode(sha256(SCRIPT.encode()).digest()).decode()}'"
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
    """The server, at `address` within the `with` block; it answers in threads of its own."""

    def __init__(self, places: Places, port: int) -> None:
        """Take the port, or another where it is taken; 0 for any. Raises OSError."""
        self.places = places
        self.asked: dict[str, float] = {}  # by report: when somebody looked at its page
        answer = partial(_Answer, preview=self, directory=str(places.reports))
        try:
            self._server = _Server((LOOPBACK, port), answer)
        except OSError:
            self._server = _Server((LOOPBACK, 0), answer)
        self.port = self._server.server_port
        self.address = f"http://{LOOPBACK}:{self.port}/"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Answer nobody any more, and give the port back."""
        self._server.shutdown()
        self._server.server_close()

    def open(self) -> set[str]:
        """The reports whose pages somebody looks at."""
        since = time.monotonic() - OPEN
        return {report for report, moment in list(self.asked.items()) if moment > since}

    def page(self, path: Path) -> tuple[str, str]:
        """A page as it is served, and the version that its script compares; a word on it while there is none."""
        try:  # The failure that is remembered of a page's report, of a sweep's too.
            failure = (path.parent / self.places.failed.name / f"{path.stem}.txt").read_text(encoding="utf-8")
        except OSError:
            failure = ""
        version = f'"{sha256(f"{file_version(path)} {failure}".encode()).hexdigest()}"'
        text = path.read_text(encoding="utf-8") if path.is_file() else EMPTY.format(html.escape(path.stem))
        return _served(text, failure, version), version


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that hangs up, nor of a file that goes while it is read: both ask again."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Answer(SimpleHTTPRequestHandler):
    """One request: a file of the folder of reports, or none."""

    def __init__(self, *arguments: Any, preview: Preview, **options: Any) -> None:
        self.preview = preview
        super().__init__(*arguments, **options)

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal is for what is built."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        """Show no list of a folder without a page."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def send_head(self) -> Any:
        """Send status and headers; returns what follows them, None where nothing may be asked for."""
        name = (self.headers.get("Host") or "").rpartition(":")[0]
        hidden = any(part.startswith(".") or "\\" in part for part in unquote(self.path).split("/"))
        if name not in NAMES or hidden:
            return self.send_error(HTTPStatus.FORBIDDEN)
        path = Path(self.translate_path(self.path + "index.html" if self.path.endswith("/") else self.path))
        if path.suffix != ".html":
            return super().send_head()
        if path.parent == self.preview.places.reports:
            self.preview.asked[path.stem] = time.monotonic()
        text, version = self.preview.page(path)
        content = text.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", version)
        self.end_headers()
        return BytesIO(content)


def _served(text: str, failure: str, version: str) -> str:
    """A page's text with the words of what went wrong and the script, which its policy allows by its digest."""
    head, begin, rest = text.partition(POLICY)
    policy, quote, rest = rest.partition('"')
    policy = policy.replace("script-src", ALLOWED) if "script-src" in policy else f" {ALLOWED};{policy}"
    alert = f'<pre role="alert" style="{STYLE}">{html.escape(failure)}</pre>' if failure else ""
    shown, close, after = rest.rpartition("</body>")
    script = f"{alert}<script data-version='{version}'>{SCRIPT}</script>"
    return f"{head}{begin} connect-src 'self';{policy}{quote}{shown}{script}{close}{after}"
