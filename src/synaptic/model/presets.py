"""The sets of policies that are switched on together."""

PRESETS = ("essentials", "sane", "routing", "fleet", "practice", "strict")
"""`strict` is every policy."""
DEFAULT_PRESETS = ("essentials",)
"""What is on where nobody has chosen."""
