"""The official record: summaries, submission trees and archives become result rows."""

UNPACKED_GB = 64  # to which an archive may unpack, if nothing else is said; the command line finds it here
