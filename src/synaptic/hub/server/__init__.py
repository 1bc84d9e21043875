"""The hub: takes in what hosts ship, keeps it in PostgreSQL, answers people, hands on what is signed."""
