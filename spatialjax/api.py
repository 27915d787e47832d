"""The registry with every family of this package registered."""

import spatialjax.sliding.env  # noqa: F401  registers SlidingGeom-v0 and SlidingTile-v0
import spatialjax.witness.env  # noqa: F401  registers Witness-v0
from spatialjax.core.registry import available, make, register

__all__ = ["available", "make", "register"]
