"""Making what is published: source distribution, wheels, and the recipes of other installers."""
