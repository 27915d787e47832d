"""The Sliding Geom Puzzle and sliding tiles of iVISPAR."""
