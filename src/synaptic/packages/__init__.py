"""What is installed on a machine and in a project, and how it is taken out again."""
