"""A Dask cluster to work on: connected to with one patience, refused with one named error."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analysis._core.refusal import Failed

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 10.0  # seconds for a scheduler to answer
# What tasks travel through must be the same everywhere; what they compute with, where they are computed.
TRAVEL = ("python", "dask", "distributed", "cloudpickle")
COMPUTE = (*TRAVEL, "numpy", "pandas")


class ClusterError(Failed):
    """A Dask cluster cannot be used; the text says why and what to do."""


def connect(scheduler: str) -> Client:
    """A client of the scheduler at an address (tcp://host:port), to be used as a context manager.

    Raises ClusterError where Dask is not installed, no scheduler answers within PATIENCE, or the scheduler or one of
    its workers runs other versions than this process.
    """
    import asyncio

    try:
        from distributed import Client
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise ClusterError("--scheduler needs Dask: pip install -e '.[cluster]'") from None
    for name in ("distributed", "distributed.client"):  # What they would log of a lost scheduler is reported here.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        asyncio.run(_ask(scheduler))  # A Client that finds no scheduler does not let go of the process for long.
    except Exception as error:  # Of bytes that are not Dask's anything can come, a MemoryError too.
        raise _unanswered(scheduler, error) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # Refused below where it matters.
            client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except OSError as error:
        raise _unanswered(scheduler, error) from None
    if differing := mismatches(client.get_versions()):
        client.close()
        raise ClusterError(
            f"the Dask cluster at {scheduler} runs other versions than this process: {', '.join(differing)}. "
            "Bring its scheduler and workers to this environment"
        )
    return client


def mismatches(versions: Mapping[str, Any]) -> list[str]:
    """Where scheduler or workers differ from the client, in words, from what `Client.get_versions` gives.

    Of Python itself the first two numbers count.
    """
    local = versions["client"]["packages"]
    parts = {"the scheduler": (versions["scheduler"], TRAVEL)}
    parts |= {f"the worker {name}": (worker, COMPUTE) for name, worker in versions["workers"].items()}
    return [
        f"{name} {_version(versions_there['packages'], name)} on {who}, {_version(local, name)} here"
        for who, (versions_there, names) in parts.items()
        for name in names
        if _version(versions_there["packages"], name) != _version(local, name)
    ]


def _unanswered(scheduler: str, error: Exception) -> ClusterError:
    reason = str(error) or f"not within {PATIENCE:g} s"  # A TimeoutError says nothing, and is an OSError.
    if not isinstance(error, OSError | ValueError):
        reason = f"what listens there is something else ({type(error).__name__})"
    return ClusterError(
        f"no Dask scheduler answers at {scheduler}: {reason}; expected an address such as tcp://host:8786. "
        "Start one: dask scheduler"
    )


def _version(packages: Mapping[str, str | None], name: str) -> str:
    version = packages.get(name) or "missing"
    return ".".join(version.split(".")[:2]) if name == "python" else version


async def _ask(scheduler: str) -> None:
    """Raises unless a scheduler answers at the address: OSError, ValueError, or what comes of reading other bytes."""
    import asyncio

    from distributed import Security, rpc

    async with rpc(scheduler, connection_args=Security().get_connection_args("client")) as remote:
        identity = await asyncio.wait_for(remote.identity(), PATIENCE)
    if identity.get("type") != "Scheduler":
        raise ValueError(f"there is a {identity.get('type')}")
