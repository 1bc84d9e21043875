"""Who runs where and in what state: supervised, followed, shown."""
