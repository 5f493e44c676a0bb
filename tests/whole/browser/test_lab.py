"""Notebooks in a real JupyterLab: a slider is moved and the numbers follow, and the explorer draws and filters."""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from analysis._build.runs.folders import Places
from analysis._core.paths import ROOT

pytestmark = pytest.mark.slow
TOKEN = "for-this-test-alone"
WAIT = 120_000  # milliseconds: a kernel starts and a whole notebook is run


@dataclass(frozen=True)
class Lab:
    """A JupyterLab: its address, and the project that it shows."""

    address: str
    project: Places


@pytest.fixture(scope="module")
def lab(copy_of_project, tmp_path_factory):
    """A JupyterLab on a copy of the project, which it may save to, with settings of its own."""
    tmp_path = tmp_path_factory.mktemp("lab")
    project = copy_of_project(tmp_path / "project")
    folders = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    environment = os.environ | folders | {"PYTHONPATH": str(project.source), "JUPYTERLAB_SETTINGS_DIR": str(tmp_path)}
    options = ["--no-browser", "--ip=127.0.0.1", "--port=0", f"--IdentityProvider.token={TOKEN}", "--allow-root"]
    options += [
        f"--ServerApp.root_dir={project.root}",
        "--LabApp.app_settings_dir=" + str(tmp_path),
        "--LabApp.workspaces_dir=" + str(tmp_path),
    ]
    options += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    options += re.findall(r"--ContentsManager\.\S+", makefile)
    (tmp_path / "overrides.json").write_text(*re.findall(r"'(\{.*\})' > \$@", makefile), "utf-8")
    with (tmp_path / "lab.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], env=environment, stderr=log, stdout=log
        )
    try:
        yield Lab(_address(Path(folders["JUPYTER_RUNTIME_DIR"]), server, tmp_path / "lab.log"), project)
    finally:
        server.terminate()
        server.wait(20)


def _address(folder, server, log):
    for _ in range(600):
        for found in folder.glob("jpserver-*.json") if folder.exists() else ():
            if text := found.read_text("utf-8"):
                return json.loads(text)["url"]
        assert server.poll() is None, log.read_text("utf-8")[-2000:]
        time.sleep(0.1)
    pytest.fail(f"JupyterLab did not start: {log.read_text('utf-8')[-2000:]}")


def opened(chromium, lab, notebook):
    """A notebook in JupyterLab, its kernel ready."""
    page = chromium.new_context(viewport={"width": 1440, "height": 1100}).new_page()
    # Where the list of kernels comes late, JupyterLab asks for one: the notebook's own, which stands chosen.
    asked = page.locator(".jp-Dialog")
    page.add_locator_handler(asked, lambda: asked.locator(".jp-mod-accept").click())
    page.goto(f"{lab.address}lab/tree/notebooks/{notebook}.ipynb?token={TOKEN}&reset", timeout=WAIT)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=WAIT)
    # The notebook's own indicator is idle before there is a kernel, too.
    expect(page.locator("#jp-main-statusbar")).to_contain_text(re.compile(r"\(ipykernel\) \| Idle"), timeout=WAIT)
    return page


def run_all(page):
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()


def go_to(page, heading):
    """Go to a heading by the table of contents at the left; cells out of view are not drawn."""
    contents = page.locator(".jp-TableOfContents-content")
    if not contents.is_visible():  # a click on the tab of an open panel closes it
        page.get_by_role("tab", name=re.compile("Table of Contents")).click()
    contents.get_by_text(heading, exact=True).click(timeout=WAIT)
    expect(page.locator(".jp-Notebook :is(h1, h2)", has_text=heading)).to_be_in_viewport(timeout=WAIT)


def test_a_moved_slider_changes_the_numbers(lab, chromium, screenshots):
    page = opened(chromium, lab, "explore")
    sliders = page.locator(".jp-Cell", has=page.locator(".noUi-handle"))
    assert sliders.count() == 0
    page.screenshot(path=screenshots / "lab-explore-before.png")
    run_all(page)
    go_to(page, "Sliders")
    page.locator(".noUi-handle").first.wait_for(state="attached", timeout=WAIT)
    assert page.locator(".noUi-handle").count() == 7  # two of the five sliders have two ends
    shown = sliders.locator(".widget-html-content")
    answer, figure = (shown.filter(has=page.locator(kind)).first for kind in ("table", "svg"))
    expect(answer).to_contain_text("Serving 1,000 users at 25 tokens/s takes")
    before, drawn = answer.inner_text(), figure.inner_html()
    users = page.locator(".noUi-handle").first
    users.focus()
    for _ in range(3):
        users.press("ArrowRight")
    expect(answer).not_to_contain_text("1,000 users", timeout=WAIT)
    page.wait_for_function(
        "([e, before]) => e.innerHTML !== before", arg=[figure.element_handle(), drawn], timeout=WAIT
    )
    after = answer.inner_text()
    assert int(_users(after).replace(",", "")) > 1000 and after != before
    assert "Error displaying widget" not in page.content()
    sliders.scroll_into_view_if_needed()
    page.screenshot(path=screenshots / "lab-explore-moved.png")
    page.context.close()


def _users(text):
    found = re.search(r"([\d,]+) users at", text)
    assert found, text
    return found[1]


def test_a_notebook_that_was_run_and_saved_is_as_it_was_and_still_shown(lab, chromium):
    path = lab.project.notebook("overview")
    before = path.read_bytes()
    page = opened(chromium, lab, "overview")
    assert "Jupyter news" not in page.content()
    # A count of its own says that the last cell ran, for all cells have one from the file.
    cells = json.loads(before)["cells"]
    place = max(place for place, cell in enumerate(cells) if cell["cell_type"] == "code")
    count = 2 * sum(cell["cell_type"] == "code" for cell in cells)
    for _ in range(2):
        run_all(page)
    last = page.locator(f".jp-Cell[data-windowed-list-index='{place}'] .jp-InputPrompt")
    expect(last).to_have_text(f"[{count}]:", timeout=WAIT)
    save(page, path)
    go_to(page, "Which accelerator is fastest?")
    expect(page.locator(".jp-RenderedSVG").first).to_be_visible()
    page.context.close()
    assert path.read_bytes() == before


def save(page, path):
    """Save the notebook of this path, and wait until it is."""
    read = path.stat().st_mtime_ns
    page.get_by_role("menuitem", name="File", exact=True).click()
    page.get_by_text("Save Notebook", exact=True).click()
    for _ in range(100):
        if path.stat().st_mtime_ns != read:
            break
        page.wait_for_timeout(100)
    page.wait_for_timeout(500)
    assert path.stat().st_mtime_ns != read, "it was not saved"


def test_the_explorer_draws_and_filters(lab, chromium, screenshots):
    """Run without stored outputs and counts, so that what is seen is of this run."""
    path = lab.project.notebook("explorer")
    cells = json.loads(path.read_text("utf-8"))
    for cell in cells["cells"]:
        cell.update({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
    path.write_text(json.dumps(cells), "utf-8")
    page = opened(chromium, lab, "explorer")
    run_all(page)
    # JupyterLab follows a run to its last cells, whose number says that it is over, and detaches those out of sight.
    place = max(place for place, cell in enumerate(cells["cells"]) if cell["cell_type"] == "code")
    last = page.locator(f".jp-Cell[data-windowed-list-index='{place}'] .jp-InputPrompt")
    expect(last).to_have_text(re.compile(r"\[\d+\]:"), timeout=WAIT)
    go_to(page, "Which MLPerf Inference results are there?")
    frame = page.frame_locator("iframe[title='MLPerf Inference results explorer']")
    frame.locator("body[data-ready=all]").wait_for(timeout=WAIT)
    expect(frame.locator("#drawing text.row-name").first).to_have_text("GB300")
    before = frame.locator(".mark").count()
    frame.locator("#views button[value=table]").click()
    frame.locator("#search").fill("nebius")
    expect(frame.locator("#count")).to_contain_text("from 1 submitter")
    assert before > frame.locator(".grid tbody button").count() > 0
    page.screenshot(path=screenshots / "lab-explorer.png")
    page.context.close()
