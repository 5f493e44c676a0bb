"""Check published figures and article claims against official results."""

from analysis.audit.claims import judge_claims, read_claims

__all__ = ["judge_claims", "read_claims"]
