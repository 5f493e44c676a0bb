"""How near two figures of one run must come to agree, as a share of the published one."""

AGREES = 1e-6  # what is computed again from a log: it has six significant digits
POWER_AGREES = 1e-9  # what is computed again from a meter's samples: their published mean has every digit
