"""Markov matrices of PRAM: how they are made, written as equations, kept in files."""
