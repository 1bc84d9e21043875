"""What leaves a host for systems of others: a collector of OpenTelemetry, a file of JSON lines, syslog."""
