"""Solvers: every solution of a line puzzle, and shortest lines that ignore its symbols."""
