"""What was asked wrongly, said to people who know its parameters by other names; and what cannot be done."""

from __future__ import annotations

from collections.abc import Callable

Called = Callable[[str], str]  # what a parameter is called where a text is shown: `ttft_ms`, or the option --ttft-ms


def unexpected(parameter: str, expected: str, value: object) -> TypeError:
    """The error of an argument that is of another kind than its parameter takes."""
    got = repr(value) if isinstance(value, str | int | float | None) else f"an object of type {type(value).__name__}"
    return TypeError(f"{parameter}: expected {expected}; got {got}")


class Refused(ValueError):
    """What is asked cannot be; the text says why.

    Words that name a parameter are a function of what it is called: as str in a notebook, where it goes by its own
    name, and as `text_for` where it goes by another.
    """

    def __init__(self, words: str | Callable[[Called], str]) -> None:
        super().__init__(words if isinstance(words, str) else words(str))
        self._words = words

    def text_for(self, called: Called) -> str:
        """The text for those who know each parameter as what it is `called`."""
        return self._words if isinstance(self._words, str) else self._words(called)


class Failed(RuntimeError):
    """What was asked rightly cannot be done or has no answer; the text says why. Nothing was changed."""
