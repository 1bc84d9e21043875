"""Facts for policies: each module here gathers some, and is found by being here."""
