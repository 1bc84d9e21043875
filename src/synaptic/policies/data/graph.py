"""Statements for graph databases that delete whatever there is."""

import re

DELETES = re.compile(r"\b(?:detach\s++)?delete\b", re.IGNORECASE)
MATCHED = re.compile(r"\bmatch\b", re.IGNORECASE)
FILTERED = re.compile(
    r"\bwhere\b(?!\s*+(?:true|1\s*+=\s*+1)\b)|\blimit\s++\d{1,3}\b|\([^(){}]{0,200}\{[^{}]{0,500}:|\$\w", re.IGNORECASE
)
"""What says which nodes: a condition, a property in the pattern (`(n {id: 7})`), a parameter."""


def deletes_unfiltered(text: str) -> bool:
    """Whether a statement of Cypher deletes everything that its pattern finds, and the pattern has no filter."""
    return any(
        MATCHED.search(one) and DELETES.search(one) is not None and FILTERED.search(one) is None
        for one in text.split(";")
    )
