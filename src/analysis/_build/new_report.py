"""`analysis new-report`: a notebook and its run file from the template, whole at once.

The new notebook's parameters are typed by its own parameters cell (_core.parameters), so no code is touched.
"""

import json
import re
from typing import Any

from analysis._core.file_contents import write_whole
from analysis._core.refusal import Refused
from analysis._build.runs.folders import Places

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
TEMPLATE = "_template"
RUN = "# One report. Parameters that are not named here have the defaults of the notebook.\n"


class NotNew(Refused):
    """A report cannot be started under that name or question; the text says why, and what would do."""


def start(name: str, question: str = "", places: Places | None = None) -> list[str]:
    """Write notebooks/<name>.ipynb and notebooks/runs/<name>.yml, and return both short names.

    The question is in the first cell; without one, that of the template. Raises NotNew for a name that is not
    snake_case or is taken, or a question that does not end in a question mark.
    """
    places = places or Places()
    notebook, run = places.notebook(name), places.runs / f"{name}.yml"
    if not NAME.fullmatch(name) or name == "index":
        raise NotNew(f"{name!r} is no report's name: small letters, digits and single '_', such as 'price_per_token'")
    for path in (notebook, run):
        if path.exists():
            raise NotNew(f"{places.key(path)} is there already: choose another name, or remove it")
    if question and not re.fullmatch(r"\S.*\?", question):
        raise NotNew(f"{question!r} is no question: expected one line that ends in '?'")
    content = json.loads(places.notebook(TEMPLATE).read_text(encoding="utf-8"))
    _rename(content, name, question)
    write_whole(notebook, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    write_whole(run, f"{RUN}notebook: {name}\ntitle: {name.replace('_', ' ').capitalize()}\nparameters: {{}}\n")
    return [places.key(notebook), places.key(run)]


def _rename(content: dict[str, Any], name: str, question: str) -> None:
    """Let the notebook ask its own question, and take its parameters from its own cell."""
    for cell in content["cells"]:
        cell["source"] = [line.replace(f'"{TEMPLATE}"', f'"{name}"') for line in cell["source"]]
    if question:
        content["cells"][0]["source"][0] = f"# {question}\n"
