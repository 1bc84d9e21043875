"""The client for node, and the types of a program that uses it."""
