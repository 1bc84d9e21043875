"""Structured hints for whoever orchestrates: abilities, knowledge, usage, builds."""
