"""Prints random numbers as functions of sinter/rng.hpp."""

from .spelling import CPP_TYPES


def random_text(random, node, operands):
    """A call; the sequence is left out where it is 0, now and then."""
    template = "" if node.distribution == "bernoulli" else f"<{CPP_TYPES[node.type]}>"
    if operands[-1] == "0" and random.random() < 0.7:
        operands = operands[:-1]
    return f"rng::{node.distribution}{template}({', '.join(operands)})"
