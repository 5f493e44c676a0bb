"""The layers of src/analysis import one way, and no module is long."""

import ast
import os
import subprocess
import sys
from collections import Counter

from analysis.paths import ROOT


def test_imports_keep_the_contracts_of_pyproject(tmp_path):
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", code, "--no-cache"], cwd=ROOT, env=os.environ | {"COLUMNS": "200"},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


def test_no_module_has_more_than_400_lines():
    files = (ROOT / "src").rglob("*.py")
    assert {path.name: n for path in files if (n := len(path.read_text("utf-8").splitlines())) > 400} == {}


ONCE_A_ROUND = {"audit", "recipes", "measure", "explorer", "cli"}  # beside the read path
AMBIGUOUS = {  # names that two modules of the read path still give to two things: none may come to these
    "band", "by_round", "choose", "datasheet", "drawn", "errors", "factors", "inferencex", "limits", "number",
    "numbers", "plans", "retained", "span", "systems", "units", "waterfall", "without_results",
}  # fmt: skip


def test_a_public_name_of_the_read_path_means_one_thing():
    counts = Counter()
    for path in (ROOT / "src" / "analysis").rglob("*.py"):
        if not ONCE_A_ROUND & {*path.parts}:
            defined = [each for each in ast.parse(path.read_text("utf-8")).body if hasattr(each, "name")]
            counts.update({each.name for each in defined if not each.name.startswith("_")})
    assert {name for name, count in counts.items() if count > 1} <= AMBIGUOUS
