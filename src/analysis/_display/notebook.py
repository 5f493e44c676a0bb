"""What the cells of a notebook say in one line: its tables, and its parameters, checked."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel, ValidationError

from analysis._core import parameters
from analysis._core.file_contents import sha256_of
from analysis._core.paths import DATA
from analysis._tables import derived_tables
from analysis._tables.catalog import Catalog
from analysis.audit import flags


def catalog() -> Catalog:
    """The tables of data/, of which each result is audited before it is compared."""
    return flags.catalog()


def load() -> None:
    """Hold in memory what every comparison rests on, for the kernels that are forked from this process."""
    derived_tables.hold_in_memory()
    data = catalog()
    data.doubts  # noqa: B018 - a property, made when it is first asked for
    data.accelerator_names  # noqa: B018
    data.sources  # noqa: B018


def read_csv(path: str | Path, **options: Any) -> pd.DataFrame:
    """`pandas.read_csv` of a file of your own, which counts as read: its page is built again when the file changes.

    `path` is absolute or relative to the notebook's folder, `options` are those of pandas.
    """
    where = Path(path).resolve()
    frame = pd.read_csv(where, **options)
    Catalog.read.append((os.getpid(), {Path(os.path.relpath(where, DATA)).as_posix(): sha256_of(where)}))
    return frame


def parameters_of(notebook: str, names: MutableMapping[str, Any]) -> BaseModel:
    """The parameters of the notebook with this name, checked, with the values that they have in `names`.

    A cell passes its `globals()`: whatever ran last counts, be it the parameters cell, edited or not, or the cell that
    a build put behind it. In it a vendor becomes its accelerators, and a short name the name that tables have, for the
    cells below. What else is in `names` is left alone, so a notebook may ask for the parameters of another one whose
    parameters are among its own.
    Raises ParameterError for a notebook that is not there and for values of the wrong type or not among the valid
    ones, NameError for parameters without a value.
    """
    model = parameters.model_for(notebook)
    if missing := [name for name in model.model_fields if name not in names]:
        raise NameError(
            f"{notebook}: no value for {', '.join(missing)}; each stands in the parameters cell: run it first"
        )
    try:
        asked = model.model_validate({name: names[name] for name in model.model_fields})
    except ValidationError as error:
        raise parameters.in_words(notebook, model, error) from None
    names.update(asked.model_dump())
    return asked
