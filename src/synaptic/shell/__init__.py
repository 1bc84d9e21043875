"""The only readers of shell text, paths and patches; pure."""
