"""How much one hub takes in, and how fast it answers: `python -m bench.hub_load`."""
