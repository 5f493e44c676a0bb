"""Read newer files of InferenceX into the table of its runs.

Three forms, as JSON (an object, or a list) or CSV: results of its collector (`agg_*.json`: `hw`, `tp`, `conc`), rows of
its dashboard (`hardware`, `decode_tp`, `conc`), and its database dump (`benchmark_results` with a `metrics` object and
a `config_id` of the file `configs` in the same folder). Times are in seconds. Keys as in SemiAnalysisAI/InferenceX,
utils/process_result.py, and InferenceX-app, packages/db/migrations.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import evidence, names
from analysis.paths import parse_json, read_file, replacing

NEEDED = [
    "hardware", "framework", "model", "precision", "isl", "osl", "conc", "output_tput_per_gpu", "median_ttft",
    "median_tpot",
]  # fmt: skip
RENAMED = {  # of the collector to those of the dashboard
    "hw": "hardware", "tp": "decode_tp", "ep": "decode_ep", "dp_attention": "decode_dp_attention",
    "spec_decoding": "spec_method", "infmax_model_prefix": "model_key", "avg_total_gpu_power_w": "avg_power_w",
}  # fmt: skip
ENGINES = {
    "trt": "TensorRT-LLM", "trtllm": "TensorRT-LLM", "vllm": "vLLM", "sglang": "SGLang", "atom": "ATOM",
    "dynamo-trt": "Dynamo TensorRT-LLM", "dynamo-trtllm": "Dynamo TensorRT-LLM", "dynamo-sglang": "Dynamo SGLang",
    "dynamo-vllm": "Dynamo vLLM", "mori-sglang": "MoRI SGLang", "sglang-disagg": "MoRI SGLang",
}  # fmt: skip
MODELS = {
    "dsr1": "DeepSeek-R1", "dsv4": "DeepSeek-V4-Pro", "glm5": "GLM-5", "glm5.1": "GLM-5.1",
    "gptoss120b": "GPT-OSS 120B", "kimik2.5": "Kimi K2.5", "llama70b": "Llama 3.3 70B", "minimaxm2.5": "MiniMax M2.5",
    "minimaxm3": "MiniMax M3", "qwen3.5": "Qwen3.5 397B",
}  # fmt: skip
MOST_BYTES = 2_000_000_000  # of a file: a dump of its database is large
CONFIGURATION = [
    "model", "accelerator", "engine", "precision", "speculative", "gpus", "tensor_parallel", "pipeline_parallel",
    "data_parallel", "moe_tensor_parallel", "expert_parallel", "prompt_tokens", "answer_tokens",
]  # fmt: skip
FAR_FASTER = (0.7, 2.5)  # below this share of the time per token, and above this multiple of the throughput
FAR_BELOW = 2.5  # a stated rate this many times below what concurrency and latency imply is of a broken run


def append_inferencex(paths: Iterable[str | Path], force: bool = False) -> int:
    """Add the runs of InferenceX files to the user's own, a Parquet file for each in data/inferencex/.

    Returns the number of runs. All files are read before the first is written. Raises ValueError for two files with
    the same name and, unless `force`, for a file whose name was added before.
    """
    frames: dict[Path, pd.DataFrame] = {}
    for path in map(Path, paths):
        own = evidence.OWN / f"{path.stem}.parquet"
        if own in frames or (own.exists() and not force):
            raise ValueError(
                f"{path}: {own} holds runs from a file of the same name; rename it, or use --force to replace them"
            )
        frames[own] = read_inferencex(path)
    evidence.OWN.mkdir(parents=True, exist_ok=True)
    for own, frame in frames.items():
        with replacing(own) as beside:
            frame.to_parquet(beside, index=False)
    return sum(map(len, frames.values()))


def implausible(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that are too fast for their load: their concurrency or layout cannot be what is stated.

    Such a run has under 0.7 of the time per token and over 2.5 times the throughput of the best run of its layout, of
    any build, at half its concurrency or less. Disaggregated runs are not judged: the table has only a part of their
    layout.
    """
    known = runs[~runs["disaggregated"]].dropna(subset=["concurrency", "tpot_ms", evidence.THROUGHPUT])
    group = known.groupby(CONFIGURATION, dropna=False, sort=False).ngroup()
    known = known[["concurrency", "tpot_ms", evidence.THROUGHPUT]].astype("float64").assign(group=group)
    known = known.sort_values("concurrency")
    best = known[known[evidence.THROUGHPUT].eq(known.groupby("group")[evidence.THROUGHPUT].cummax())]
    half = known.assign(concurrency=known["concurrency"] / 2).reset_index(names="run")
    beside = pd.merge_asof(half, best, on="concurrency", by="group", suffixes=("", "_best"))
    share, multiple = FAR_FASTER
    far = beside["tpot_ms"].lt(share * beside["tpot_ms_best"])
    far &= beside[evidence.THROUGHPUT].gt(multiple * beside[f"{evidence.THROUGHPUT}_best"])
    return runs.loc[sorted(beside.loc[far, "run"])]


def read_inferencex(path: str | Path) -> pd.DataFrame:
    """Return the runs of one InferenceX file with the columns of the table inferencex_runs.

    Runs without lengths (agentic) are left out. Raises ValueError that names the file, and the row or column, for text
    that is not a list of runs, missing columns, non-numeric values, and unknown accelerators.
    """
    path = Path(path)
    runs = _records(path)
    if "config_id" in runs and "hardware" not in runs:
        runs = _with_configs(runs, path)
    runs = runs.rename(columns={old: new for old, new in RENAMED.items() if new not in runs})
    if missing := [column for column in NEEDED if column not in runs]:
        raise ValueError(f"{path}: no column {', '.join(missing)}; expected runs of InferenceX, as JSON or CSV")
    if "error" in runs:
        runs = runs[runs["error"].isna() | runs["error"].eq("")]
    runs = runs[runs["isl"].notna()].reset_index(drop=True)
    return _tidy(runs, path)


def _records(path: Path) -> pd.DataFrame:
    """Return the unconverted rows of a file, with the entries of a `metrics` object as columns."""
    content = read_file(path, MOST_BYTES)
    try:
        if path.suffix == ".csv":
            rows = pd.read_csv(io.BytesIO(content))
        else:
            read = parse_json(content)
            rows = pd.DataFrame(read if isinstance(read, list) else [read])
    except (UnicodeDecodeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path}: not a JSON or CSV file of InferenceX runs: {error}") from None
    if "metrics" not in rows:
        return rows
    metrics = rows["metrics"].map(lambda cell: parse_json(cell) if isinstance(cell, str) else cell)
    metrics = pd.DataFrame(metrics.tolist(), index=rows.index)
    return pd.concat([rows.drop(columns="metrics"), metrics.drop(columns=list(rows), errors="ignore")], axis=1)


def _with_configs(runs: pd.DataFrame, path: Path) -> pd.DataFrame:
    beside = path.with_name(f"configs{path.suffix}")
    if not beside.exists():
        raise ValueError(f"{path}: rows name a config_id; expected the dump's table {beside.name} in the same folder")
    return runs.merge(_records(beside).rename(columns={"id": "config_id"}), on="config_id", suffixes=("", "_config"))


def _tidy(runs: pd.DataFrame, path: Path) -> pd.DataFrame:
    def text(column: str) -> pd.Series:
        return runs[column].fillna("").astype("str") if column in runs else pd.Series("", runs.index, dtype="str")

    def number(column: str) -> pd.Series:
        if column not in runs:
            return pd.Series(np.nan, runs.index)
        found = pd.to_numeric(runs[column], errors="coerce")
        if (wrong := found.isna() & runs[column].notna() & runs[column].ne("")).any():
            row = int(wrong.idxmax())
            raise ValueError(
                f"{path}: run {row + 1}: {column} is {str(runs[column].iloc[row])[:60]!r}; expected a number"
            )
        return found.astype("float64")

    def true(column: str) -> pd.Series:
        return text(column).str.lower().isin(["true", "1", "1.0"])

    apart = true("disagg")
    prompts, answers = number("num_prefill_gpu").where(apart), number("num_decode_gpu").where(apart)
    # Aggregated runs may state tensor x expert parallelism as their accelerators; their rate is over tp x pp x pcp.
    together = number("decode_tp") * number("pp").fillna(1) * number("pcp_size").fillna(1)
    gpus = (prompts + answers).where(apart, together)
    ttft, tpot, tokens, users = number("median_ttft"), number("median_tpot"), number("osl"), number("conc")
    rate = number("output_tput_per_gpu") * (answers / gpus).where(apart, 1.0)
    implied = users * tokens / (ttft + (tokens - 1) * tpot) / gpus
    pool = text("hardware").str.rpartition(":")[2].str.partition("-")[0]
    framework, method = text("framework"), text("spec_method")
    model = text("model_key").where(text("model_key").ne(""), text("model"))
    return pd.DataFrame({
        "source_id": "own", "locator": path.name, "measured": text("date").str[:10],
        "model": model.map(MODELS).fillna(text("model")), "checkpoint": text("model"),
        "accelerator": pool.map({name: _accelerator(name, path) for name in pool.unique()}),
        "engine": framework.map(ENGINES).fillna(framework), "engine_version": "", "image": text("image"),
        "precision": text("precision").str.lower(), "speculative": method.where(method.ne("none"), ""),
        "disaggregated": apart, "gpus": gpus,
        "tensor_parallel": number("decode_tp"), "pipeline_parallel": number("pp"),
        "data_parallel": number("decode_tp").where(true("decode_dp_attention"), 1.0), "moe_tensor_parallel": np.nan,
        "expert_parallel": number("decode_ep"), "prompt_tokens": number("isl").astype("int64"),
        "answer_tokens": tokens.astype("int64"), "concurrency": users, "ttft_ms": 1000 * ttft, "tpot_ms": 1000 * tpot,
        "statistic": "median", "tokens_per_second_per_user": 1 / tpot, "output_tokens_per_second_per_gpu": rate,
        "rate_basis": "stated", "watts_per_gpu": number("avg_power_w"),
        "joules_per_output_token": number("joules_per_output_token"),
        "unfinished": rate.isna() | rate.lt(implied / FAR_BELOW),
    })  # fmt: skip


def _accelerator(name: str, path: Path) -> str:
    try:
        return names.accelerator({"rtx6000pro": "RTX PRO 6000"}.get(name, name))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
