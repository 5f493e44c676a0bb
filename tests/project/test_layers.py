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


def test_a_public_name_means_one_thing_in_the_package():
    files = (ROOT / "src" / "analysis").rglob("*.py")
    trees = [ast.parse(path.read_text("utf-8")) for path in files if path.parent.name != "cli"]  # named as its commands
    named = [each.name for tree in trees for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    counts = Counter(name for name in named if not name.startswith("_"))
    assert [name for name, count in counts.items() if count > 1] == []
