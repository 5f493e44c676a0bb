"""A browser, what npm brings to it, and a folder for the pictures that it takes."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Playwright, sync_playwright

from analysis.core.paths import ROOT

HERE = Path(__file__).parent
SCREENSHOTS = ROOT / "reports" / ".screenshots"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


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
