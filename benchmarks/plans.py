"""How long a plan of many draws takes once its basis is looked up: as `analysis plan`, reports and sliders ask it."""

import time

from analysis._core.parameters import RealWorldDerating
from analysis.audit import flags
from analysis.planner import basis, capacity

DRAWS, PLANS = 100_000, 9


def milliseconds(draws: int = DRAWS) -> list[float]:
    """What each of PLANS plans for other users takes, its percentiles included."""
    asked = RealWorldDerating(draws=draws, users=5000)
    looked_up, taken = basis.basis(flags.catalog(), asked), []
    for more in range(PLANS):
        began = time.perf_counter()
        _ = capacity.over(looked_up, asked.model_copy(update={"users": 5000 + 100 * more})).marks
        taken.append(1000 * (time.perf_counter() - began))
    return taken
