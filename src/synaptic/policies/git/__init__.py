"""Git: work that a command would lose, and branches that others build on."""
