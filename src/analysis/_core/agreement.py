"""How near two figures of one run must come to agree, as a share of the published one."""

AGREES = 1e-6  # what is recomputed from a log: it has six significant digits
POWER_AGREES = 1e-9  # what is recomputed from a meter's samples: their published mean has every digit


def off(figure: float, low: float, high: float) -> float:
    """How far a figure lies from a published range, as a share of its nearer end; 0 within the range."""
    return figure / min(max(figure, low), high) - 1
