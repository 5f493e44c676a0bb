"""The official record: summaries, submission trees and archives become result rows."""

# What the archives of one import may unpack to, if nothing else is said; the command line finds it here without them.
UNPACKED_GB = 64  # together
UNPACKED_TIMES = 200  # its size, each; whole trees shrink to a fortieth
