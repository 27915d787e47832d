"""Gymnasium: importing this module registers the `spatialjax/...` ids."""

import gymnasium

gymnasium.register(
    id="spatialjax/SpatialGym-v0",
    entry_point="spatialjax.wrappers.spatial_gym:SpatialGym",
)
for _env_id in ("Witness-v0", "SlidingGeom-v0", "SlidingTile-v0"):
    gymnasium.register(
        id=f"spatialjax/{_env_id}",
        entry_point="spatialjax.wrappers.gym_env:PuzzleEnv",
        vector_entry_point="spatialjax.wrappers.gym_vector:PuzzleVectorEnv",
        kwargs={"env_id": _env_id},
    )
