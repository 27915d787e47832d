"""Line puzzles in the style of The Witness, with the rules of SPaRC and Spatial-Gym."""
