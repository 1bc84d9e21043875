"""One agent, one file: bytes to events, decisions to bytes, and what each agent can honour."""
