"""Whether a client on this machine honours what it is told: a scripted model, a throw-away user, the client itself."""
