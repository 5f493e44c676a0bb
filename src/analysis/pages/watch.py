"""Serve the reports on this machine alone, rebuild them after each edit, and reload open pages."""

from __future__ import annotations

import contextlib
import html
import itertools
import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from analysis import paths
from analysis.pages import records
from analysis.pages.reports import FAILED
from analysis.pages.sanitize import POLICY, script_hash

HOST = "127.0.0.1"
PAGE = re.compile(r"[^./\\][^/\\]*\.html")  # names of files that are served
MOST = 64  # connections at a time, of which each has a thread
NAMES = (HOST, "localhost")  # valid Host headers; any other may be a foreign site's name that resolves here
SCRIPT = """(() => { const shown = document.currentScript.dataset.version
const ask = async () => { try {
  const answer = await fetch(location.pathname, {method: 'HEAD', cache: 'no-store'})
  if (answer.headers.get('ETag') !== shown) return location.reload()
} catch {} setTimeout(ask, 300) }
ask() })()"""
ALERT = (
    "position:fixed;inset:auto 0 0;margin:0;padding:1rem;max-height:40vh;overflow:auto;white-space:pre-wrap;"
    "z-index:9;font:14px/1.5 monospace;background:#7f1d1d;color:#fff"
)


class Answer(BaseHTTPRequestHandler):
    """One request for a page: a file of reports/, with a script that reloads it and the words of a failed build."""

    failures = ""
    timeout = 10  # seconds that a connection may be idle

    def do_GET(self) -> None:
        """Send the page: 400 for an address that cannot be one, 404 for a page that is not there."""
        name = unquote(urlsplit(self.path).path, errors="replace").removeprefix("/") or "index.html"
        if (self.headers.get("Host") or "").partition(":")[0] not in NAMES or not name.isprintable():
            return self.send_error(400)
        file = paths.REPORTS / name
        if not PAGE.fullmatch(name) or len(name.encode()) > 200 or not file.is_file():
            return self.send_error(404)
        content = served_page(file.read_text(encoding="utf-8", errors="replace"), self.failures)
        version = f'"{sha256(content.encode()).hexdigest()[:20]}"'
        body = content.replace("data-version=''", f"data-version='{version}'").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("ETag", version)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def handle(self) -> None:
        """Answer, and ignore browsers that disconnect before the answer is complete."""
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: object) -> None:
        """Log nothing: the terminal shows what is built."""


class Server(ThreadingHTTPServer):
    """A server that closes new connections while MOST are open; browsers try again."""

    request_queue_size = 2 * MOST  # beyond it a browser waits seconds for a second try

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle the request in a thread of its own, unless MOST threads run."""
        if threading.active_count() > MOST:
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)


def served_page(text: str, failures: str) -> str:
    """Return a page as it is served: with the script, which our policy allows by hash, and with what failed."""
    before, policy, after = text.partition(POLICY)
    own = "; script-src"
    if policy:  # a page that another program made may have none
        text = f"{before}{policy}; connect-src 'self'{own} {script_hash(SCRIPT)}{after.removeprefix(own)}"
    alert = f'<pre role="alert" style="{ALERT}">{html.escape(failures)}</pre>' if failures else ""
    before, end, after = text.rpartition("</body>")
    return f"{before}{alert}<script data-version=''>{SCRIPT}</script>{end}{after}"


def watch(names: Iterable[str], port: int, jobs: int, timeout: float) -> int:
    """Build and serve the named reports, or all, and again after each edit, until interrupted; return 0.

    Each build is a process of its own, so that edits of the code count. Raises OSError where the port is taken.
    """
    import watchfiles

    options = ["--jobs", str(jobs), "--timeout", str(timeout)]
    command = [sys.executable, "-m", "analysis.cli.main", "reports", *names, *options]
    folders = [each for each in (paths.NOTEBOOKS, paths.ROOT / "src", paths.DATA) if each.is_dir()]
    server = Server((HOST, port), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://{HOST}:{server.server_port}/ is rebuilt after each edit; Ctrl-C stops it", flush=True)
    edits = watchfiles.watch(*folders, debounce=200, step=30, rust_timeout=1000, yield_on_timeout=True)
    seen = None
    with contextlib.suppress(KeyboardInterrupt):
        for changes in itertools.chain([{"start"}], edits):
            if not changes and seen == (seen := _outside()):
                continue
            done = subprocess.run(command, cwd=paths.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            print(done.stdout, end="", flush=True)
            seen = _outside()
            Answer.failures = failures_of(done.stdout) if done.returncode else ""
    server.shutdown()
    return 0


def failures_of(output: str) -> str:
    """Return what a failed build printed, from its first failed report on; all of it where the build never began."""
    return output[max(output.find(FAILED), 0) :]


def _outside() -> dict[str, object]:
    """Return the state of each file outside the watched folders that a notebook opened, such as ../prices.csv."""
    names = {name for file in paths.REPORTS.glob("*.json") for name in records.read(file.stem).get("opened", ())}
    return {name: paths.state(paths.ROOT / name) for name in names if not name.startswith("notebooks/")}
