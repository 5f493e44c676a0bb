"""Runs of InferenceX from its public API, into tables of an origin of their own, never among MLPerf results.

`/api/v1/availability` lists what was run and when; `/api/v1/benchmarks?model=NAME&date=DATE` gives the newest run of
each configuration, concurrency, and pair of lengths up to that date. Keys as in SemiAnalysisAI/InferenceX-app,
packages/app/src/lib/api.ts and packages/constants/src/models.ts; the metrics are those of its result files.
"""

from __future__ import annotations

import gzip
import json
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from analysis._core.choices import folded, not_among
from analysis._core.file_contents import aside
from analysis._core.paths import INFERENCEX
from analysis._core.refusal import Failed, Refused
from analysis._core.unprintable import escaped
from analysis._import.measured import inferencex
from analysis._import.measured.measurement import MeasurementError, Reader
from analysis._import.official import accelerator_names, shape

if TYPE_CHECKING:
    import pandas as pd

ADDRESS = "https://inferencex.semianalysis.com"
ORIGIN = "inferencex"
SECONDS = 60
# The names that the API is asked by, of the keys that it lists.
MODELS = {
    "dsr1": "DeepSeek-R1-0528", "dsv4": "DeepSeek-V4-Pro", "glm5": "GLM-5", "glm5.1": "GLM-5",
    "gptoss120b": "gpt-oss-120b", "kimik2.5": "Kimi-K2.5", "kimik2.6": "Kimi-K2.5",
    "llama70b": "Llama-3.3-70B-Instruct-FP8", "minimaxm2.5": "MiniMax-M2.5", "minimaxm2.7": "MiniMax-M2.5",
    "qwen3.5": "Qwen-3.5-397B-A17B",
}  # fmt: skip
SETUP = ("model", "spec_method", "disagg", "prefill_tp", "prefill_ep", "prefill_dp_attention", "prefill_num_workers",
         "decode_tp", "decode_ep", "decode_dp_attention", "decode_num_workers", "num_prefill_gpu",
         "num_decode_gpu", "offload_mode")  # fmt: skip


class InferenceXError(Failed):
    """The API did not answer, or not with runs; the text says what was asked and what came. Nothing was changed."""


def bring(
    models: Iterable[str] = (), *, address: str = "", folder: Path = INFERENCEX, say: Callable[[str], None] = print
) -> int:
    """Write the newest runs of `models` (all without one) to `folder`, a file each; returns the exit status.

    All are fetched before the first is written. 1: a run was excluded, and is named. Raises InferenceXError, and
    Refused for a model that the API does not list.
    """
    base = (address or ADDRESS).rstrip("/")
    newest: dict[str, str] = {}
    for row in _rows(f"{base}/api/v1/availability"):
        key, date = (_text(row, name) for name in ("model", "date"))
        name = MODELS.get(key, key)
        newest[name] = max(newest.get(name, ""), date)
    frames, excluded = {}, []
    for name in _asked(models, newest):
        query = urlencode({"model": name, "date": newest[name]})
        frames[name], faults = read(_rows(f"{base}/api/v1/benchmarks?{query}"), name)
        excluded += faults
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        with aside(folder / f"{shape.slug(name)}.parquet") as place:
            frame.to_parquet(place, index=False)
        say(f"{len(frame):,} InferenceX runs of {name} up to {newest[name]} in data/{folder.name}/")
    for fault in excluded:
        say(f"excluded  {fault}")
    return int(bool(excluded))


def read(rows: Iterable[Mapping[str, Any]], model: str) -> tuple[pd.DataFrame, list[str]]:
    """The runs of one model, and what was excluded from them.

    Columns: origin, model, accelerator, accelerator_count, precision, software, setup (release, parallelism,
    speculation, and disaggregation in words), prompt_tokens, answer_tokens, concurrency, tokens_per_second (output, of
    all accelerators), tpot_p50_ms, tpot_p99_ms, ttft_p50_ms, ttft_p99_ms, date, run_url. Runs whose requests share
    prompts have no lengths, and are not counted.
    """
    import pandas as pd  # here, for what only fetches needs no frame before it has rows

    found, faults = [], []
    for number, row in enumerate(rows, 1):
        if row.get("isl") is None:
            continue
        try:
            found.append(_run(row, model, f"row {number}"))
        except MeasurementError as error:
            faults.append(str(error))
    return pd.DataFrame(found), faults


def _run(row: Mapping[str, Any], model: str, place: str) -> dict[str, Any]:
    metrics = row.get("metrics")
    read = Reader(row, model, place)
    gpus = ("num_prefill_gpu", "num_decode_gpu")
    spread = {name: row.get(name) for name in gpus} if row.get("disagg") else {"tp": row.get("decode_tp")}
    named = {key: row.get(key) for key in ("model", "framework", "image", "precision", "conc")}
    record = (metrics if isinstance(metrics, dict) else {}) | named | spread | {"hw": row.get("hardware")}
    (run,) = inferencex.runs(Reader(record, model, place))
    return {
        "origin": ORIGIN, "model": model, "accelerator": accelerator_names.canonical(run.accelerator)[0],
        "accelerator_count": run.accelerator_count, "precision": escaped(run.precision),
        "software": escaped(read.text("framework")),
        "setup": escaped(" ".join(f"{name}={row[name]}" for name in SETUP if row.get(name) is not None)),
        "prompt_tokens": int(read.number("isl", above=0)), "answer_tokens": int(read.number("osl", above=0)),
        "concurrency": run.concurrency, "tokens_per_second": run.output_tokens_per_s,
        "tpot_p50_ms": run.tpot_p50_ms, "tpot_p99_ms": run.tpot_p99_ms,
        "ttft_p50_ms": run.ttft_p50_ms, "ttft_p99_ms": run.ttft_p99_ms,
        "date": escaped(read.text("date")), "run_url": escaped(read.text("run_url")),
    }  # fmt: skip


def _asked(models: Iterable[str], listed: Iterable[str]) -> list[str]:
    """The names of the API for those asked, in any spelling or by its key. Raises Refused for another."""
    known = {folded(name): name for name in sorted(listed)}
    known |= {folded(key): name for key, name in MODELS.items() if name in known.values()}
    for model in (models := list(models)):
        if folded(model) not in known:
            raise Refused(f"--inferencex: no model {not_among(model, dict.fromkeys(known.values()))}")
    return list(dict.fromkeys(known[folded(model)] for model in models or known.values()))


def _rows(url: str) -> list[Mapping[str, Any]]:
    """The list of objects that an address answers with. Raises InferenceXError."""
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            content = answer.read()
            content = gzip.decompress(content) if answer.headers.get("Content-Encoding") == "gzip" else content
        rows = json.loads(content)
    except (OSError, EOFError, ValueError, HTTPException, zlib.error) as error:
        raise _failed(url, " ".join(f"{type(error).__name__}: {error}".split())[:200]) from None
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        raise _failed(url, f"answered {str(rows)[:80]!r}; expected a list of rows")
    return rows


def _failed(url: str, what: str) -> InferenceXError:
    return InferenceXError(
        f"{url}: {what}.\nNothing was changed. Next: try again with a connection, or name another address with --mirror"
    )


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise InferenceXError(f"availability: {name} is {value!r}; expected a text. Nothing was changed")
    return value
