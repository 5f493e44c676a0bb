"""What users ask for: how many, how fast, how unevenly, how long each, and how long an answer may take to begin."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np

from analysis._core.interval import Interval
from analysis._core.paths import DATA
from analysis._core.vocabulary import SECONDS_PER_HOUR
from analysis.methods.decoding import Requests

TOKENS = ("prompt_tokens", "answer_tokens")  # columns of a file of requests


def requests(file: str) -> Requests:
    """Return the requests of a CSV file with the columns TOKENS, a row each; its path is absolute or below data/.

    Raises ValueError with file, row, and column for what is not there or no number of tokens above 0.
    """
    try:
        with (DATA / file).open(encoding="utf-8-sig", newline="") as opened:
            reader = csv.DictReader(opened)
            rows, columns = list(reader), reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"lengths: {file} is no CSV file that can be read: {error}") from None
    if missing := [name for name in TOKENS if name not in columns]:
        raise ValueError(f"{file}: no column {missing[0]}; expected: {', '.join(TOKENS)}; got: {', '.join(columns)}")
    if not rows:
        raise ValueError(f"{file}: no request; expected a row for each, with {' and '.join(TOKENS)}")
    return Requests(
        *(np.array([_tokens(file, place, name, row) for place, row in enumerate(rows, 2)]) for name in TOKENS)
    )


def _tokens(file: str, place: int, name: str, row: dict[str, str]) -> float:
    try:
        tokens = float(row[name])
    except (TypeError, ValueError):
        tokens = 0.0
    if not 0 < tokens < np.inf:
        raise ValueError(f"{file}, row {place}, column {name}: {row[name]!r} is no number of tokens above 0")
    return tokens


@dataclass(frozen=True)
class Demand:
    """How many users, tokens per second each, the ratio of peak to mean traffic, and how long a request may take.

    The first token comes after a wait for a free slot and after the prompt is read, in `prompt_s` for one that is long:
    what that leaves of the limit may be waited. A slot is held while a prompt is read, in `mean_prompt_s` (NaN: the
    same), and while `tokens_per_request` (output tokens) come at the speed; unknown (NaN) plans without a queue.
    `variability` as in queueing.wait. Raises ValueError for no users, no speed or a negative time.
    """

    users: int
    tokens_per_second_per_user: float
    peak_over_mean: Interval = Interval(1.0, 1.0)  # noqa: RUF009 (frozen, immutable)
    tokens_per_request: float = float("nan")
    ttft_limit_s: float = float("inf")
    percentile: float = 0.99
    variability: float = 1.0
    prompt_s: float = 0.0
    mean_prompt_s: float = float("nan")

    def __post_init__(self) -> None:
        for name in ("users", "tokens_per_second_per_user"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}; expected a number above 0")
        if self.prompt_s < 0:
            raise ValueError(f"prompt_s is {self.prompt_s!r}; expected seconds, 0 or more")

    @property
    def tokens_per_second(self) -> float:
        """What all users ask for on average, in tokens per second."""
        return self.users * self.tokens_per_second_per_user

    @property
    def million_tokens_per_hour(self) -> float:
        """Million tokens that users take in an hour of mean traffic."""
        return self.tokens_per_second * SECONDS_PER_HOUR / 1e6

    @property
    def service_s(self) -> float:
        """How long a request holds its slot, in seconds."""
        prompt_s = self.prompt_s if np.isnan(self.mean_prompt_s) else self.mean_prompt_s
        return prompt_s + self.tokens_per_request / self.tokens_per_second_per_user

    @property
    def wait_limit_s(self) -> float:
        """Seconds that may be waited for a slot; not above zero where the prompt alone takes the whole limit."""
        return self.ttft_limit_s - self.prompt_s
