"""What users ask for: how many, how fast, how unevenly, and how long an answer may take to begin."""

from __future__ import annotations

from dataclasses import dataclass

from analysis._core.interval import Interval
from analysis._core.vocabulary import SECONDS_PER_HOUR


@dataclass(frozen=True)
class Demand:
    """How many users, tokens per second each, the ratio of peak to mean traffic, and how long a request may take.

    The first token comes after a wait for a free slot and after the prompt is read, in `prompt_s`: what that leaves of
    the limit may be waited. A slot is held while the prompt is read and while `tokens_per_request` (output tokens) come
    at the speed; unknown (NaN) plans without a queue. `variability` as in queueing.wait. Raises ValueError for no
    users, no speed or a negative time.
    """

    users: int
    tokens_per_second_per_user: float
    peak_over_mean: Interval = Interval(1.0, 1.0)  # noqa: RUF009 (frozen, immutable)
    tokens_per_request: float = float("nan")
    ttft_limit_s: float = float("inf")
    percentile: float = 0.99
    variability: float = 1.0
    prompt_s: float = 0.0

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
        return self.prompt_s + self.tokens_per_request / self.tokens_per_second_per_user

    @property
    def wait_limit_s(self) -> float:
        """Seconds that may be waited for a slot; not above zero where the prompt alone takes the whole limit."""
        return self.ttft_limit_s - self.prompt_s
