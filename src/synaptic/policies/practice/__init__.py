"""Discipline: tests, branches, plans and decisions, kept while the work is going on."""
