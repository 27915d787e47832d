"""What the reports of long runs tell alike."""

import sys
from collections.abc import Sequence

SHOWN = 20  # ids that a sentence names


def peak_memory() -> int | None:
    """Return the most bytes of memory this process ever held; None on systems that don't say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def some_of(ids: Sequence[str]) -> str:
    """Name some ids, and say how many more there are."""
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return ", ".join(ids[:SHOWN]) + more
