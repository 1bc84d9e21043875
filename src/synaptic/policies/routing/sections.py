"""What the routing policies remember."""

ROUTING = "session:routing"
"""`told`: what the model has been offered; `command`: the last check it ran."""
CHANGED_SERVICES = "session:changed-services"
"""`files`: what the session wrote in services since their last build."""
