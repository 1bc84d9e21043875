"""Beyond one machine: what hosts ship, the server that takes it in, and policy that comes down signed."""
