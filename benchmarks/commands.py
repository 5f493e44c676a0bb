"""What commands that need no kernel take, and what a program pays that uses the package as a library."""

import subprocess
import sys

from workspace import Workspace

ROUNDS = 5
PLAN = ["--benchmark", "llama2-70b", "--users", "100", "--tokens-per-user", "25", "--accelerator", "H200 SXM"]
CHOICE = ["--model", "Qwen3 32B", "--parameters", "32", "--users", "1000", "--tokens-per-user", "25"]
COMMANDS = {
    "analysis --help": ["--help"],
    "analysis check": ["check"],
    "analysis audit": ["audit"],
    "analysis plan": ["plan", *PLAN],
    "analysis choose": ["choose", *CHOICE],
}
# Prints the seconds of the import, libraries included, and those of the whole record after it.
LIBRARY = """
import time
began = time.perf_counter()
from analysis.audit import flags
imported = time.perf_counter()
flags.catalog().results
print(imported - began, time.perf_counter() - imported)
"""


def seconds(space: Workspace) -> dict[str, list[float]]:
    """Seconds on the clock of each command, one round after the other; of the import and of the results after it."""
    taken: dict[str, list[float]] = {name: [] for name in [*COMMANDS, "import", "Catalog().results"]}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            taken[name].append(space.time(space.ours(*arguments)).wall)
        said = subprocess.run(
            [sys.executable, "-c", LIBRARY], env=space.environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for name, own in zip(("import", "Catalog().results"), said, strict=True):
            taken[name].append(float(own))
    return taken
