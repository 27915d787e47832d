"""What every puzzle family shares: the environment contract, spaces, registry, rollouts."""
