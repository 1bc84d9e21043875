"""Questions of one machine that a person answers at another one: what is asked, what is signed, what is believed."""
