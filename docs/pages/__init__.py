"""The generated pages: each module gives paths and texts, and touches no file."""
