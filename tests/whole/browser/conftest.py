"""A browser, what npm brings to it, what pages are held to, and a folder for the pictures that it takes."""

import json
import shutil
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import expect, sync_playwright

from analysis._core.paths import ROOT

HERE = Path(__file__).parent
SCREENSHOTS = ROOT / "reports" / ".screenshots"
# The first is Chromium without windows, tabs and menus: its pages are the same for a sixth less of the processor.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
UNDRAWN = "body:not([data-ready]):has(.explorer)"  # a page that draws itself, before all of it is there
DESK = {"width": 1440, "height": 900}
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}  # of the rules only that on contrast knows the scheme
# What axe would load before it runs is for sound and film alone.
FAULTS = """async ([within, rules]) => {
    const run = await axe.run(within, {resultTypes: ['violations'], preload: false, ...rules})
    return run.violations.map(v => `${v.id} (${v.impact}): ${v.nodes.map(n => n.html.slice(0, 120)).join(' | ')}`)
}"""


@pytest.fixture(scope="session")
def driver():
    """What drives browsers."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(driver):
    """Chromium; the test is skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: pages are not tested")
    opened = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def drawn():
    """Waits until a page that draws itself has drawn all of it."""
    return lambda page: expect(page.locator(UNDRAWN)).to_have_count(0, timeout=30_000)


@pytest.fixture(scope="session")
def tabs(chromium):
    """The tabs that stay open from test to test, by the options of their contexts."""
    return defaultdict(list)


@pytest.fixture
def tab(chromium, tabs):
    """Opens a tab that nothing was seen in, of a size and a scheme, and with further options of its context.

    A new one would take longer to start than most tests take, so one that an earlier test had is emptied.
    """
    taken = Counter()

    def opened(size=DESK, scheme="light", **options):
        own = json.dumps(options, sort_keys=True)
        if taken[own] == len(tabs[own]):
            tabs[own].append(chromium.new_context(**options).new_page())
        page = tabs[own][taken[own]]
        taken[own] += 1
        page.goto("about:blank")
        forget = page.context.new_cdp_session(page)
        forget.send("Page.resetNavigationHistory")
        forget.detach()
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        page.mouse.move(0, 0)
        return page

    return opened


@pytest.fixture(scope="session")
def npm_packages(workspace):
    """The folder of the packages that package-lock.json pins, installed here once; skipped where npm cannot."""
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("no node and npm on this machine: neither accessibility nor valid HTML is tested")
    installed, lock = HERE / "node_modules", HERE / "package-lock.json"
    stamp = installed / ".installed"
    with FileLock(workspace / "npm.lock"):
        if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
            return installed
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            pytest.skip(f"npm could not install axe-core and html-validate: {done.stderr.strip().splitlines()[-1]}")
        stamp.write_bytes(lock.read_bytes())
    return installed


@pytest.fixture(scope="session")
def screenshots():
    """The folder where pictures of the pages are kept for people to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS


@pytest.fixture(scope="session")
def faults(npm_packages):
    """What keeps people out of a page as it stands, or of a part of it, by axe: by all its rules, in the dark scheme by
    that on contrast, or by those that are named."""
    axe = (npm_packages / "axe-core" / "axe.min.js").read_text("utf-8")

    def found(page, scheme="light", within="html", only=()):
        assert page.locator("audio, video").count() == 0
        if not page.evaluate("'axe' in window"):
            page.evaluate(axe)
        return page.evaluate(FAULTS, [within, {"runOnly": list(only)} if only else RULES[scheme]])

    return found


@pytest.fixture
def watched():
    """Listens to a page; by the test's end it has asked for nothing but itself, and complained of nothing."""
    requests = []
    complaints = []
    heard = {
        "request": lambda request: requests.append(request),
        "console": lambda message: complaints.append(message.text),
        "pageerror": lambda error: complaints.append(str(error)),
    }
    pages = []

    def watch(page):
        pages.append(page)
        for event, hear in heard.items():
            page.on(event, hear)
        return page

    yield watch
    for page in pages:
        for event, hear in heard.items():
            page.remove_listener(event, hear)
    itself = [asked for asked in requests if asked.url.startswith("file:") and asked.is_navigation_request()]
    held = [asked for asked in requests if asked.url.startswith(("data:", "blob:"))]
    assert itself
    assert [asked.url for asked in requests if asked not in itself + held] == []
    assert complaints == []
