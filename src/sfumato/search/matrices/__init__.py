"""PRAM matrices and the equations that make them: expected costs, shapes, steps and direct search."""
