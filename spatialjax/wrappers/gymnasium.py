"""Gymnasium: importing this module registers the `spatialjax/...` ids."""

import gymnasium

gymnasium.register(
    id="spatialjax/SpatialGym-v0",
    entry_point="spatialjax.wrappers.spatial_gym:SpatialGym",
)
