"""The book of programs: one entry a program, as data, with the roles of its options and operands."""
