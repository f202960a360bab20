"""Shrinks a program that fails to a small one that fails in the same way."""

import dataclasses
import time

import numpy as np

from .check import check
from .oracle.evaluate import TooLarge, evaluate
from .oracle.value import Refused
from .parts.shrink_parts import smaller_parts
from .program import LEAVES, SCALARS, Input, all_nodes, memory_of
from .shrink_bodies import smaller_programs
from .shrink_combining import smaller_combinations


def uses_unguarded(program, values):
    """Whether results may use elements at indices out of range, of which errors are right."""
    guards = any(getattr(node, "rule", "") == "guarded" for node in all_nodes(program.nodes))
    return guards and any(np.isinf(values[output].bounds).any() for output in program.outputs)


class Shrinker:
    """Each step proposes smaller programs; the first that fails as before is taken."""

    def __init__(self, driver, program, outcome, variant, seconds, explained):
        self.driver, self.best, self.outcome, self.variant = driver, program, outcome, variant
        self.deadline = time.monotonic() + seconds
        self.explained = explained

    def is_over(self):
        return time.monotonic() > self.deadline

    def fails(self, program):
        if self.variant == "unfused" and not program.can_run_unfused():
            return False
        try:
            values = evaluate(program, self.variant)
            if self.outcome.status == "error" and uses_unguarded(program, values):
                return False
            outcome = check(self.driver, program, self.variant, timeout=30)
        except (Refused, TooLarge, ValueError, IndexError):
            return False
        same = (outcome.status, outcome.nature) == (self.outcome.status, self.outcome.nature)
        return same and not self.explained(program, outcome)

    def take_first(self, candidates):
        for candidate in candidates:
            if self.is_over():
                return False
            if self.fails(candidate):
                self.best = candidate
                return True
        return False

    def without_targets(self):
        if self.best.targets:
            yield self.best.replace(targets=())

    def keep_results(self, program, positions):
        """The program of some of its results, in their targets if it has them."""
        kept = program.keep_only([program.outputs[position] for position in positions])
        return kept.replace(
            targets=tuple(program.targets[position] for position in positions if program.targets)
        )

    def keep_all_results(self, program):
        return self.keep_results(program, range(len(program.outputs)))

    def fewer_results(self):
        positions = range(len(self.best.outputs))
        if len(positions) > 1:
            yield from (self.keep_results(self.best, [position]) for position in positions)
        if len(positions) > 2:
            for left_out in positions:
                yield self.keep_results(
                    self.best, [position for position in positions if position != left_out]
                )

    def earlier_outputs(self):
        if self.best.targets:
            return
        for number, node in enumerate(self.best.nodes):
            if not isinstance(node, SCALARS):
                candidate = self.best.keep_only([number])
                if len(candidate.nodes) < len(self.best.nodes):
                    yield candidate

    def values_as_inputs(self):
        """Exact values in place of the nodes that make them."""
        try:
            values = evaluate(self.best, self.variant)
        except Refused:  # what should be refused has no values
            return
        for number in reversed(range(len(self.best.nodes))):
            if (
                isinstance(self.best.nodes[number], LEAVES)
                or number in self.best.outputs
                or values[number].bound is not None
            ):
                continue
            array = Input(np.array(values[number].array, order="C"))
            yield self.keep_all_results(self.best.with_node(number, array))

    def operands_instead(self):
        """A node's own operand in its place."""
        for number, node in enumerate(self.best.nodes):
            if number in self.best.outputs:
                continue
            for operand in node.operands:
                nodes = tuple(
                    dataclasses.replace(
                        user, operands=tuple(operand if used == number else used for used in user.operands)
                    )
                    for user in self.best.nodes
                )
                candidate = self.keep_all_results(self.best.replace(nodes=nodes))
                if len(candidate.nodes) < len(self.best.nodes):
                    yield candidate

    def smaller_bodies(self):
        for smaller in (smaller_combinations, smaller_programs, smaller_parts):
            yield from (self.keep_all_results(program) for program in smaller(self.best))

    def contiguous_inputs(self):
        for number, node in enumerate(self.best.nodes):
            if isinstance(node, Input) and not (
                node.array.flags.c_contiguous and memory_of(node.array).nbytes == node.array.nbytes
            ):
                yield self.best.with_node(number, Input(np.array(node.array, order="C")))

    def shorter_axes(self):
        """Fewer elements along all axes of one extent, from the front or from the end; targets keep theirs."""
        if self.best.targets:
            return
        inputs = [node.array for node in self.best.nodes if isinstance(node, Input)]
        extents = sorted({extent for array in inputs for extent in array.shape if extent > 1}, reverse=True)
        for extent in extents:
            for length in sorted({1, 2, 3, 4, extent // 4, extent // 2, extent - 1}):
                if 0 < length < extent:
                    yield self.cut(extent, slice(0, length))
                    yield self.cut(extent, slice(extent - length, extent))

    def cut(self, extent, part):
        nodes = []
        for node in self.best.nodes:
            if isinstance(node, Input):
                array = node.array[
                    tuple(part if size == extent else slice(None) for size in node.array.shape)
                ]
                node = Input(np.array(array, order="C") if node.array.flags.c_contiguous else array)
            nodes.append(node)
        return self.best.replace(nodes=tuple(nodes))

    def plainer_elements(self):
        """Ones in place of an input's elements, all or each half."""
        for number, node in enumerate(self.best.nodes):
            if isinstance(node, Input) and node.array.size:
                flat = np.array(node.array, order="C").reshape(-1)
                half = flat.size // 2
                for part in (slice(None), slice(0, half), slice(half, None)):
                    plain = flat.copy()
                    plain[part] = 1
                    if plain.tobytes() != flat.tobytes():
                        yield self.best.with_node(number, Input(plain.reshape(node.array.shape)))

    def shrink(self):
        self.take_first(self.without_targets())
        steps = [
            self.fewer_results,
            self.earlier_outputs,
            self.values_as_inputs,
            self.operands_instead,
            self.smaller_bodies,
            self.contiguous_inputs,
            self.shorter_axes,
            self.plainer_elements,
        ]
        position = 0
        while position < len(steps) and not self.is_over():
            position = 0 if self.take_first(steps[position]()) else position + 1
        return self.best


def shrink(driver, program, outcome, variant, seconds, explained=lambda program, outcome: None):
    return Shrinker(driver, program, outcome, variant, seconds, explained).shrink()
