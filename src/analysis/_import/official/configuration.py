"""What a submitter's own configuration says of a run: the precision of its weights, and the power limit in force.

NVIDIA's trees (and those of its partners) hold two layouts of modules. Until v4.1 `configs/<benchmark>/<scenario>/*.py`
has a class per system: `precision = "fp16"`, and `use_fp8 = True` where the weights ran as FP8. From v5.0 on
`configs/<system>/<scenario>/<benchmark>.py` has dictionaries of fields: `model_fields.precision: 'fp4'`. What they say
is read from the modules (see configuration_modules) or from a file of facts on them (see configuration_facts).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from analysis._core import vocabulary
from analysis._core.vocabulary import PRECISIONS

FLAGS = {"use_fp4": "fp4", "use_fp8": "fp8"}
PRECISION, LIMIT = "precision", "power_limit"
SETTINGS = {PRECISION, LIMIT, *FLAGS}
_FIELDS = re.compile(r"(?:model|power)_fields\.")
_WORDS = re.compile(r"_?(TRT|Triton|MaxQ|High_?Accuracy)")  # of platforms and classes, not of systems
# What may follow an accelerator in the plain name of a system: memory, host, parallelism, count.
_COUNT = re.compile(r"x\d+$")
_SIZE = r"(?:\d+g[bi]b?)?(?:arm|aarch64)?(?:tp\d+)?(?:x\d+)?$"
_ROOT = re.compile(r"Config(?:uration)?$")  # ends the names of classes that name no system
_HARNESS = re.compile(r"_TRT(?![a-z])", re.IGNORECASE)  # in platforms that ran by these configurations
HOTTEST = 1e5  # watts that no accelerator draws

Settings = Mapping[str, Any]


class Definition(NamedTuple):
    """A class of the older layout with its own settings; `place` is its module, `of_scenario` true of a scenario's."""

    place: str
    of_scenario: bool
    name: str
    bases: tuple[str, ...]
    settings: Settings


class Said(Protocol):
    """What one submitter's configuration says, whatever it is read from.

    `partial`: a class that has no setting of its own is not listed; it has those of its bases.
    """

    partial: bool

    def classes(self, benchmark: str, scenario: str) -> Sequence[Definition]:
        """The classes of the older layout, base modules first."""

    def fields(self, benchmark: str, scenario: str) -> Mapping[str, Sequence[Settings]]:
        """The dictionaries of the newer layout, by the name of the system."""


@dataclass(frozen=True)
class Asked:
    """The run that is asked for: `names` are those of its benchmark, `model` that with the accuracy target.

    `accelerator` is its canonical name, `published` the name that the source prints.
    """

    names: tuple[str, ...]
    scenario: str
    platform: str
    model: str
    accelerator: str = ""
    published: str = ""

    @property
    def capped(self) -> bool:
        """Whether the system ran at its best efficiency, under a power limit."""
        return "maxq" in self.platform.lower()

    @property
    def strict(self) -> bool:
        """Whether the run met the higher of two accuracy targets."""
        return self.model.endswith("99.9")


class _Chain(NamedTuple):
    """A class with what it inherits, and the precisions that it may have.

    `of_scenario`: defined for the scenario; `loose`: a base of it is not listed.
    """

    system: str
    settings: Settings
    strict: bool
    capped: bool
    of_scenario: bool
    loose: bool
    precisions: frozenset[str]


def precision(configuration: Said, run: Asked) -> str:
    """The precision of a run ("fp8"), or "" where the configuration says none, or where parts of it disagree.

    That of the system itself counts, else the one that its accelerator has in every system. A cap changes no weights:
    where nothing of a capped system says a precision, the uncapped system's does.
    """
    for precisions in _precisions(configuration, run):
        candidates = _of_system(precisions, run.platform) or _of_accelerator(precisions, run)
        if candidates:
            return min(candidates) if len(candidates) == 1 else ""
    return _common(configuration, run)


def power_limit(configuration: Said, run: Asked) -> float | None:
    """The power limit in force, in watts for each accelerator; None for a run without one.

    Submitters set limits in the settings of capped (MaxQ) systems alone, which are beside those at full power: in
    1,337 of 1,337 classes and 169 of 169 dictionaries of v4.1 and v5.1. So only a platform of that name ran under one,
    and only what is known of that very system counts.
    """
    if not run.capped:
        return None
    for limits in _limits(configuration, run):
        if candidates := _of_system(limits, run.platform):
            return min(candidates) if len(candidates) == 1 else None
    return None


def setting(key: str) -> str:
    """The setting that the key of a field represents (`model_fields.precision`), "" for any other key."""
    name = _FIELDS.sub("", key)
    return name if name in SETTINGS else ""


def is_limit(value: Any) -> bool:
    """Whether a value may be a power limit in watts."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < HOTTEST


def _precisions(configuration: Said, run: Asked) -> Iterator[Mapping[str, set[str]]]:
    """What is known of precision, by the plain name of the system: first what is closest to the run."""
    chains = [chain for chain in _chained(configuration, run.names, run.scenario) if chain.precisions]
    for strict in _targets(configuration, run):
        for capped in (True, False) if run.capped else (False,):
            yield _by_system(
                (chain.system, chain.precisions) for chain in chains if (chain.strict, chain.capped) == (strict, capped)
            )
    yield _by_system((system, {_named(settings)} - {""}) for system, settings in _dictionaries(configuration, run))


def _limits(configuration: Said, run: Asked) -> Iterator[Mapping[str, set[float]]]:
    """What is known of power limits, by the plain name of the system: first what is closest to the run."""
    chains = [chain for chain in _chained(configuration, run.names, run.scenario) if chain.capped]
    for strict in _targets(configuration, run):
        yield _by_system((chain.system, _limit(chain.settings)) for chain in chains if chain.strict == strict)
    yield _by_system((system, _limit(settings)) for system, settings in _dictionaries(configuration, run))


def _by_system(pairs: Iterable[tuple[str, Iterable[Any]]]) -> dict[str, set[Any]]:
    merged: dict[str, set[Any]] = {}
    for system, values in pairs:
        merged.setdefault(system, set()).update(values)
    return merged


def _limit(settings: Settings) -> set[float]:
    return {float(settings[LIMIT])} if is_limit(settings.get(LIMIT)) else set()


def _targets(configuration: Said, run: Asked) -> Sequence[bool]:
    """Whose classes say something of the run: a class of the higher target that is not listed has what its base has."""
    return (True, False) if run.strict and configuration.partial else (run.strict,)


def _common(configuration: Said, run: Asked) -> str:
    """The one precision of every class that the run's own may inherit from; "" where they disagree.

    Stated for platforms that ran by such classes alone, and only where those of the scenario are known too.
    """
    if not _HARNESS.search(run.platform):
        return ""
    chains = _chained(configuration, run.names, run.scenario)
    bases = [chain for chain in chains if chain.strict <= run.strict and chain.capped <= run.capped]
    precisions = {_named(chain.settings) for chain in bases} - {""}
    return precisions.pop() if len(precisions) == 1 and any(chain.of_scenario for chain in chains) else ""


def _of_system(values_by_system: Mapping[str, set[Any]], platform: str) -> set[Any]:
    """What is known of the system that the platform's name holds, of several the one with the longest name."""
    plain = _plain(platform)
    close = [system for system in values_by_system if len(system) > 5 and _within(system, plain)]
    longest = max(map(len, close), default=0)
    return set().union(*(values_by_system[system] for system in close if len(system) == longest))


def _of_accelerator(precisions_by_system: Mapping[str, set[str]], run: Asked) -> set[str]:
    """What is known of the systems whose plain name ends with the accelerator: L40 is that of L40x1, not of L40Sx1."""
    published, accelerator = _plain(run.published), _plain(run.accelerator)
    with_size = re.compile(re.escape(accelerator) + _SIZE)
    return set().union(
        *(
            precisions
            for system, precisions in precisions_by_system.items()
            if ((part := _COUNT.sub("", system)) and published.endswith(part))
            or (run.accelerator and with_size.search(system))
        )
    )


def _within(system: str, platform: str) -> bool:
    """Whether the platform's name holds the system's, and not as the start of a longer number: x1 is not x16."""
    return system in platform and bool(re.search(re.escape(system) + r"(?!\d)", platform))


def _named(settings: Settings) -> str:
    """The precision of some settings, "" where they name none that is known."""
    flagged = next((name for flag, name in FLAGS.items() if settings.get(flag) is True), "")
    precision = flagged or vocabulary.precision(str(settings.get(PRECISION, "")))
    return precision if precision in PRECISIONS else ""


def _chained(configuration: Said, names: tuple[str, ...], scenario: str) -> list[_Chain]:
    return [chain for benchmark in names for chain in _chains(configuration, benchmark, scenario)]


def _dictionaries(configuration: Said, run: Asked) -> Iterator[tuple[str, Settings]]:
    """The plain name of a system with each of its dictionaries."""
    for benchmark in run.names:
        for system, dictionaries in configuration.fields(benchmark, run.scenario).items():
            yield from ((_plain(system), settings) for settings in dictionaries)


@lru_cache(maxsize=256)
def _chains(configuration: Said, benchmark: str, scenario: str) -> tuple[_Chain, ...]:
    """The classes of a benchmark and scenario, each with what it inherits."""
    definitions = configuration.classes(benchmark, scenario)
    homes: dict[str, list[int]] = {}
    for number, definition in enumerate(definitions):
        homes.setdefault(definition.name, []).append(number)
    memo: dict[int, tuple[dict[str, Any], bool]] = {}

    def inherited(number: int) -> tuple[dict[str, Any], bool]:
        """The settings of a class with those of its bases, and whether one of these is not listed."""
        if number not in memo:
            memo[number] = {}, False  # for a class that leads back to itself
            settings, loose = {}, False
            for base in reversed(definitions[number].bases):
                others = [other for other in homes.get(base, ()) if other != number]
                # A base is the last class of its name before, or in a list that is no module's order, the first behind.
                home = max((other for other in others if other < number), default=min(others, default=None))
                of_base, base_loose = ({}, not _ROOT.search(base)) if home is None else inherited(home)
                settings, loose = settings | of_base, loose or base_loose
            memo[number] = settings | dict(definitions[number].settings), loose
        return memo[number]

    def replaced(number: int) -> bool:
        """Whether a class is defined anew further on, and not on top of itself as a capped system may be."""
        name = definitions[number].name
        return any(later > number and name not in definitions[later].bases for later in homes[name])

    chains = [_chain(each, *inherited(number)) for number, each in enumerate(definitions) if not replaced(number)]
    return tuple(_with_bases(chain, chains) if configuration.partial and chain.loose else chain for chain in chains)


def _with_bases(chain: _Chain, chains: Sequence[_Chain]) -> _Chain:
    """A class with every precision that it may have where a base that is not listed may set a flag above its own.

    `chains` are those that such a base may inherit from.
    """
    under = [base for base in chains if base.strict <= chain.strict and base.capped <= chain.capped]
    possible = {_named({**base.settings, **chain.settings}) for base in under} if chain.precisions else set()
    return chain._replace(precisions=chain.precisions | possible)


def _chain(definition: Definition, settings: Settings, loose: bool) -> _Chain:
    plain = definition.name.lower().replace("_", "")
    system = _plain(str(settings.get("system") or definition.name).rpartition(".")[2])
    capped = "maxq" in plain or bool(_limit(settings))
    precisions = frozenset(filter(None, [_named(settings)]))
    return _Chain(system, settings, "highaccuracy" in plain, capped, definition.of_scenario, loose, precisions)


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    """Letters and digits, without the words that only platforms have."""
    return re.sub(r"[^a-z0-9]", "", _WORDS.sub("", name).lower()).replace("aarch64", "arm")
