"""A browser, what npm brings to it, what pages are held to, and a folder for the pictures that it takes."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Page, Playwright, Request, sync_playwright

from analysis.core.paths import ROOT

HERE = Path(__file__).parent
SCREENSHOTS = ROOT / "reports" / ".screenshots"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}  # of the rules only that on contrast knows the scheme
# What axe would load before it runs is for sound and film alone.
FAULTS = """async rules => {
    const run = await axe.run(document, {resultTypes: ['violations'], preload: false, ...rules})
    return run.violations.map(v => `${v.id} (${v.impact}): ${v.nodes.map(n => n.html.slice(0, 120)).join(' | ')}`)
}"""


@pytest.fixture(scope="session")
def driver() -> Iterator[Playwright]:
    """What drives browsers."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(driver: Playwright) -> Iterator[Browser]:
    """Chromium; the test is skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: pages are not tested")
    opened = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def firefox(driver: Playwright) -> Iterator[Browser]:
    """Firefox as Playwright brings it; the test is skipped where it has not."""
    if not Path(driver.firefox.executable_path).exists():
        pytest.skip("no Firefox that can be driven on this machine")
    opened = driver.firefox.launch()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def npm_packages(workspace: Path) -> Path:
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
def screenshots() -> Path:
    """The folder where pictures of the pages are kept for people to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS


@pytest.fixture(scope="session")
def faults(npm_packages: Path) -> Callable[..., list[str]]:
    """What keeps people out of a page as it stands, by axe and all its rules, of the dark scheme by that on contrast.

    The page's context has `bypass_csp`.
    """

    def found(page: Page, scheme: str = "light") -> list[str]:
        assert page.locator("audio, video").count() == 0
        if not page.evaluate("'axe' in window"):
            page.add_script_tag(path=npm_packages / "axe-core" / "axe.min.js")
        return page.evaluate(FAULTS, RULES[scheme])

    return found


@pytest.fixture
def watched() -> Iterator[Callable[[Page], Page]]:
    """Listens to a page; by the test's end it has asked for nothing but itself, and complained of nothing."""
    requests: list[Request] = []
    complaints: list[str] = []

    def watch(page: Page) -> Page:
        page.on("request", lambda request: requests.append(request))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield watch
    itself = [asked for asked in requests if asked.url.startswith("file:") and asked.is_navigation_request()]
    held = [asked for asked in requests if asked.url.startswith(("data:", "blob:"))]
    assert itself
    assert [asked.url for asked in requests if asked not in itself + held] == []
    assert complaints == []
