"""The one error that bad puzzle data raises."""


class PuzzleError(ValueError):
    """Bad puzzle data: the message names file, record, field, value and what would be right."""
