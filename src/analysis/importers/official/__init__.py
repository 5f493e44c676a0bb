"""The official record: summaries, submission trees and archives become result rows."""
