"""How a third-party hook is executed, and how its answer is understood."""
