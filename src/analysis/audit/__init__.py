"""Judge published figures and the claims of an article by official results."""

from analysis.audit.claims import judge_claims, read_claims

__all__ = ["judge_claims", "read_claims"]
