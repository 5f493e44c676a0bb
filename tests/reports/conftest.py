"""All pages, built once for every test process, and a headless Chromium that looks at them."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.paths import ROOT
from tests.reports.plain import shipped

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
BUILD = """import pathlib, sys
from analysis import paths
from analysis.pages import reports
paths.REPORTS = pathlib.Path(sys.argv[1])
sys.exit(reports.build(sys.argv[2:], jobs=2, timeout=300))"""


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The folder of the pages of the notebooks in git, built from the shipped record."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "pages"
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        log = folder / ".log"
        if not log.exists():
            environment = os.environ | {"ANALYSIS_RECORD": "shipped"}
            done = subprocess.run([sys.executable, "-c", BUILD, str(folder), *shipped()], cwd=ROOT, env=environment,
                                  capture_output=True, text=True, timeout=600, check=False)  # fmt: skip
            log.write_text(f"{done.returncode}\n{done.stdout}{done.stderr}", encoding="utf-8")
    status, _, said = log.read_text("utf-8").partition("\n")
    assert status == "0", said
    return folder


@pytest.fixture(scope="session")
def chromium():
    """Chromium; where there is none, the test is skipped."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium on this machine: pages are not tested")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """Open an address in a new tab of a width and a scheme; at the end it asked for nothing else and said nothing."""
    contexts, said = [], []

    def opened(address, width=1440, scheme="light", **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url) if not _own(request) else None)
        page.goto(Path(address).as_uri() if isinstance(address, Path) else address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def _own(request):
    return request.url.startswith(("data:", "blob:")) or request.is_navigation_request()


@pytest.fixture(scope="session")
def axe():
    """The faults of a page that keep people out, by the named rules of axe or all.

    A drawing is one image to whoever does not see it, and rows of a table and cells of code are alike: three stay.
    """
    import axe_playwright_python

    source = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
    fewer = """[...document.querySelectorAll('svg[role=img] > *, tbody tr:nth-child(n+4)'),
        ...[...document.querySelectorAll('pre.source')].slice(3)].forEach(each => each.remove())"""
    run = """async rules => { const run = await axe.run('html', {resultTypes: ['violations'], preload: false, ...rules})
    return run.violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')}`) }"""

    def found(page, *rules):
        if not page.evaluate("'axe' in window"):
            page.evaluate(source)
        page.evaluate(fewer)
        return page.evaluate(run, {"runOnly": list(rules)} if rules else {})

    return found
