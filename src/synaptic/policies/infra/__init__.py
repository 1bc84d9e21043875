"""What runs in clouds, clusters and containers, and what others get from registries."""
