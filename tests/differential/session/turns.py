"""Functions that take turns: some of the last programs are called again, one after the other and mixed, so that what
one call leaves behind in the thread is met by another function's, or by the same one's with other arrays, scalars and
numbers of iterations."""

import collections
import dataclasses

from ..oracle.evaluate import TooLarge, evaluate
from ..oracle.value import Refused
from ..program import Literal, Repeat
from .vary_program import vary

MAX_KEPT, MAX_FUNCTIONS, CALLS = 8, 3, 6
COUNTS = [0, 1, 2, 3, 6]


def with_other_counts(random, program):
    """Another function whose loops have the same bodies and run for other numbers of iterations; None where no loop has
    a number as its count, or where that is no right program."""
    counts = {node.operands[0] for node in program.nodes if isinstance(node, Repeat)}
    nodes = tuple(
        (
            dataclasses.replace(node, value=random.choice(COUNTS))
            if number in counts and type(node) is Literal
            else node
        )
        for number, node in enumerate(program.nodes)
    )
    if all(map(lambda new, old: new is old, nodes, program.nodes)):
        return None
    changed = program.replace(nodes=nodes, targets=())
    try:
        evaluate(changed)
    except (Refused, TooLarge, ValueError):
        return None
    return changed


class Turns:
    """The last programs that ran as they should."""

    def __init__(self):
        self.programs = collections.deque(maxlen=MAX_KEPT)

    def keep(self, program):
        self.programs.append(program)

    def draw(self, random):
        """Programs in the order of their calls, several of them more than once; none where there is but one."""
        if len(self.programs) < 2:
            return []
        functions = random.sample(list(self.programs), min(MAX_FUNCTIONS, len(self.programs)))
        versions = []
        for program in functions:
            others = [vary(random, program), with_other_counts(random, program)]
            versions.append([program, *[other for other in others if other is not None]])
        return [random.choice(random.choice(versions)) for _ in range(CALLS)]
