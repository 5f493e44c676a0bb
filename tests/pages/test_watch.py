"""The preview's server: which requests it answers, and what it adds to a page. The loop is tried in a browser."""

import http.client
import json
import socket
import struct
import subprocess
import threading
import time

import pytest

from analysis.pages.sanitize import POLICY
from analysis.pages.watch import MOST, SCRIPT, Answer, Server, failures_of, script_hash, served_page, watch
from tests.pages.conftest import RECORD


@pytest.fixture
def ask(project):
    """Send a request to the server of a project with one page; the status, the headers, and the text of the answer."""
    (project.reports / "one.html").write_text(f'<meta content="{POLICY}"><body>one</body>', encoding="utf-8")
    (project.reports / "one.json").write_text("{}")
    (project.root / "secret.html").write_text("secret")
    for length in (200, 201):  # bytes of the longest name that is served, and one more
        (project.reports / f"{'a' * (length - 5)}.html").write_text("")
    server = Server(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

    def request(path, method="GET", host=None):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{server.server_port}")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read().decode()

    request.address = server.server_address
    yield request
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/one.html", 200), ("/one.html?a=1", 200), ("/", 404), ("/two.html", 404), ("/one.json", 404), ("/%00", 400),
        ("/one.html%00", 400), ("/../secret.html", 404), ("/%2e%2e/secret.html", 404), ("/..%5Csecret.html", 404),
        ("/.hidden.html", 404), ("/%ff.html", 404), ("/" + "a" * 300 + ".html", 404),
        (f"/{'a' * 195}.html", 200), (f"/{'a' * 196}.html", 404),
        ("/" + "%E4%BA%8C" * 100 + ".html", 404),
    ],
)  # fmt: skip
def test_pages_alone_are_served(ask, path, status):
    assert ask(path)[0] == status


def test_another_host_s_name_is_refused(ask):
    assert ask("/one.html", host="evil.example:80")[0] == 400
    assert ask("/one.html", method="POST")[0] == 501
    assert ask("/one.html", host="localhost")[0] == 200


def test_a_page_is_served_with_a_script_that_its_policy_allows_and_another_version_when_it_changed(ask, project):
    status, headers, text = ask("/one.html")
    assert SCRIPT in text and f"; connect-src 'self'; script-src {script_hash(SCRIPT)}\"" in text
    assert ask("/one.html", "HEAD") == (status, headers | {"Date": ask("/one.html", "HEAD")[1]["Date"]}, "")
    assert f"data-version='{headers['ETag']}'" in text
    (project.reports / "one.html").write_text("<body>two</body>")
    assert ask("/one.html", "HEAD")[1]["ETag"] != headers["ETag"]


def test_a_page_without_our_policy_gets_the_script_alone():
    assert served_page("<body>own</body></html>", "").count("script-src") == 0


def test_the_explorer_s_script_stays_allowed_and_a_failure_is_shown():
    shown = served_page(f"<meta content=\"{POLICY}; script-src 'sha256-a'\"><body></body>", "cell 2: <b>")
    assert f"connect-src 'self'; script-src {script_hash(SCRIPT)} 'sha256-a'\"" in shown
    assert "cell 2: &lt;b&gt;</pre>" in shown


def test_a_page_shows_why_no_build_began_such_as_a_run_file_that_was_renamed():
    assert failures_of("built   one\nFAILED  two\n    line") == "FAILED  two\n    line"
    assert failures_of("analysis: no report 'mine'") == "analysis: no report 'mine'"


def test_a_browser_that_leaves_leaves_no_traceback(ask, project, capfd):
    (project.reports / "one.html").write_text("<body>" + "x" * 5_000_000 + "</body>")
    for message in (b"GET /one.html HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", b"GET /one"):
        with socket.create_connection(ask.address) as browser:
            browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, no farewell
            browser.sendall(message)
            time.sleep(0.3)
    time.sleep(0.3)
    assert ask("/two.html")[0] == 404 and "Traceback" not in capfd.readouterr().err


def test_idle_connections_take_no_more_than_their_share_of_threads(ask):
    before = threading.active_count()
    idle = [socket.create_connection(ask.address) for _ in range(3 * MOST)]
    seen = set()
    for _ in range(20):
        time.sleep(0.05)
        seen.add(threading.active_count())
    assert max(seen) == 65  # the last one begins while there are 64
    for each in idle:
        each.close()
    for _ in range(50):
        if threading.active_count() == before:
            break
        time.sleep(0.1)
    assert ask("/one.html")[0] == 200


def test_each_edit_is_built_also_of_a_file_elsewhere_that_a_notebook_opened(project, monkeypatch):
    (project.root / "mine.csv").write_text("1")
    record = {"name": "one", "opened": {"mine.csv": "", "notebooks/own.csv": ""}}
    (project.reports / "one.json").write_text(json.dumps(RECORD | record))
    commands = []
    monkeypatch.setattr(Answer, "failures", "")
    execute = subprocess.run

    def run(command, **options):
        commands.append(command[1:])
        assert all(thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread())
        return execute("pwd; echo 'FAILED  one'; echo '    line' >&2; exit 1", shell=True, **options)

    def edits(*folders, yield_on_timeout, **_):
        assert folders == (project.notebooks, project.root / "src", project.root / "data") and yield_on_timeout
        yield {"a notebook"}
        (project.notebooks / "own.csv").write_text("1")
        yield set()  # nothing else changed, and notebooks/ is watched already
        assert len(commands) == 2
        (project.root / "mine.csv").write_text("12")
        yield set()

    monkeypatch.setattr("subprocess.run", run)
    monkeypatch.setattr("watchfiles.watch", edits)
    assert watch(["one"], port=0, jobs=3, timeout=7) == 0
    command = ["-m", "analysis.cli.main", "reports", "one", "--jobs", "3", "--timeout", "7"]
    assert commands == 3 * [command] and Answer.failures == "FAILED  one\n    line\n"
