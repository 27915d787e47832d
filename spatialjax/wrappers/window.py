"""A window that shows pictures, through pygame, for `render_mode="human"`."""

import importlib
import sys
from typing import Any

import numpy as np


class Window:
    """Opens with the first picture and takes the size of each; `close` may be called at any time.

    Whoever closes the window on the screen ends the program, as in Spatial-Gym.
    """

    def __init__(self, title: str, fps: int) -> None:
        self._title, self._fps = title, fps
        self._screen: Any = None

    def show(self, picture: np.ndarray) -> None:
        """Show an RGB picture `uint8[height, width, 3]`, and wait so that `fps` is not exceeded.

        Raises:
          ImportError: without pygame.
          RuntimeError: without a display.
        """
        pygame = _pygame()
        size = picture.shape[1], picture.shape[0]
        if self._screen is None or self._screen.get_size() != size:
            try:
                pygame.display.init()
                self._screen = pygame.display.set_mode(size)
            except pygame.error as error:
                self.close()
                raise RuntimeError(
                    f'render_mode="human" needs a display to open a window on ({error}); '
                    'take "rgb_array", or "ansi" for text'
                ) from error
            pygame.display.set_caption(self._title)
            self._clock = pygame.time.Clock()
        surface = pygame.image.frombuffer(picture.tobytes(), size, "RGB")
        self._screen.blit(surface, (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            sys.exit()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window if it is open."""
        if self._screen is not None:
            self._screen = None
            _pygame().display.quit()


def _pygame() -> Any:
    try:
        return importlib.import_module("pygame")
    except ModuleNotFoundError as error:
        if error.name != "pygame":
            raise
        raise ImportError(
            'render_mode="human" needs pygame, which is missing: '
            "pip install 'spatialjax[window]'; or take \"rgb_array\""
        ) from error
