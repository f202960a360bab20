"""What a program is: nodes that make values, numbered from 0, outputs, and the arrays that outputs are
written to."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

# What a program may hold: elements of one value, and bytes of all values together with their bounds.
MAX_ELEMENTS = 200_000
MAX_BYTES = 48 << 20
MAX_AXES = 14


@dataclass(frozen=True, eq=False)
class Node:
    operands: tuple = dataclasses.field(default=(), kw_only=True)
    word: ClassVar[str] = ""


@dataclass(frozen=True, eq=False)
class Input(Node):
    array: np.ndarray
    word: ClassVar[str] = "input"


@dataclass(frozen=True, eq=False)
class Literal(Node):
    type: str
    value: object
    weak: bool
    word: ClassVar[str] = "literal"


@dataclass(frozen=True, eq=False)
class Parameter(Literal):
    """A scalar that each call gives."""

    word: ClassVar[str] = "param"


@dataclass(frozen=True, eq=False)
class Apply(Node):
    operation: str
    word: ClassVar[str] = "apply"


@dataclass(frozen=True, eq=False)
class External(Node):
    """A call of one of the functions of oracle/external_functions.py, by name."""

    operation: str
    word: ClassVar[str] = "extern"


@dataclass(frozen=True, eq=False)
class Cast(Node):
    type: str
    word: ClassVar[str] = "cast"


@dataclass(frozen=True, eq=False)
class View(Node):
    items: tuple
    word: ClassVar[str] = "view"


@dataclass(frozen=True, eq=False)
class Reduce(Node):
    """`axes` is a set of bits."""

    operation: str
    axes: int
    keep: bool
    word: ClassVar[str] = "reduce"


@dataclass(frozen=True, eq=False)
class Scan(Node):
    operation: str
    axis: int
    word: ClassVar[str] = "scan"


@dataclass(frozen=True, eq=False)
class Coordinate(Node):
    axis: int
    word: ClassVar[str] = "coordinate"


@dataclass(frozen=True, eq=False)
class Extent(Node):
    axis: int
    word: ClassVar[str] = "extent"


@dataclass(frozen=True, eq=False)
class Random(Node):
    """Random numbers of a distribution. Operands: what they are drawn like, the distribution's numbers, a seed, a
    sequence."""

    distribution: str
    type: str
    word: ClassVar[str] = "random"


@dataclass(frozen=True, eq=False)
class Argument(Node):
    """An input of a body; a weak one takes the types it meets, and wraps."""

    type: str
    rank: int
    weak: bool
    word: ClassVar[str] = "argument"


@dataclass(frozen=True, eq=False)
class Whole(Argument):
    """An array of which a body takes elements, and which is no value there."""

    word: ClassVar[str] = "whole"


@dataclass(frozen=True, eq=False)
class Element(Node):
    """In a body, elements of a Whole. Operands: the array, an integer for each axis; `rule` is as of Gather."""

    rule: str
    word: ClassVar[str] = "element"


@dataclass(frozen=True, eq=False)
class Body:
    """What a loop, a side of `when`, a reduction or a scan runs: arguments first, then other nodes; numbers are its own."""

    nodes: tuple
    results: tuple


@dataclass(frozen=True, eq=False)
class WithBodies(Node):
    """Its value is its first result; components are the others. Arguments of bodies are operands, in the order of
    sinter/codegen/graph/bodies/graph_bodies.hpp; `states` operands are states."""

    states: int
    bodies: tuple
    lead: ClassVar[int] = 0  # operands before the states
    conditions: ClassVar[int] = 0  # results of a body before the next states

    @property
    def captured_begin(self):
        """The position of the first captured operand."""
        return self.lead + self.states


@dataclass(frozen=True, eq=False)
class Repeat(WithBodies):
    word: ClassVar[str] = "repeat"
    lead: ClassVar[int] = 1


@dataclass(frozen=True, eq=False)
class RepeatWhile(WithBodies):
    word: ClassVar[str] = "repeat_while"
    conditions: ClassVar[int] = 1


@dataclass(frozen=True, eq=False)
class When(WithBodies):
    word: ClassVar[str] = "when"
    lead: ClassVar[int] = 1


@dataclass(frozen=True, eq=False)
class Combining(WithBodies):
    """A reduction or a scan by a body. Its operands are `states` values, as many identities, and what is captured;
    the body's arguments are the values of both sides, and what is captured."""

    @property
    def captured_begin(self):
        return 2 * self.states


@dataclass(frozen=True, eq=False)
class ReduceBy(Combining):
    """`axes` is a set of bits."""

    axes: int
    keep: bool
    ordered: bool
    word: ClassVar[str] = "reduce_by"


@dataclass(frozen=True, eq=False)
class ScanBy(Combining):
    axis: int
    word: ClassVar[str] = "scan_by"


@dataclass(frozen=True, eq=False)
class Component(Node):
    """A result of a node with bodies."""

    result: int
    word: ClassVar[str] = "component"


@dataclass(frozen=True, eq=False)
class Part(Node):
    """What moves elements of arrays, as sinter/codegen/graph/parts/graph_parts.hpp says. Operands: `arrays` arrays, then
    integers that literals, parameters and extents alone decide."""

    axis: int
    arrays: ClassVar[int] = 1

    def integers(self):
        """The operands that are integers."""
        return self.operands[self.arrays :]


@dataclass(frozen=True, eq=False)
class Extended(Part):
    """Operands: the array, the first position, the extent; `rule`: broadcast, edge, reflect, wrap or repeat."""

    rule: str
    word: ClassVar[str] = "extended"


@dataclass(frozen=True, eq=False)
class Concatenate(Part):
    word: ClassVar[str] = "concatenate"
    arrays: ClassVar[int] = 2


@dataclass(frozen=True, eq=False)
class Window(Part):
    word: ClassVar[str] = "window"


@dataclass(frozen=True, eq=False)
class Diagonal(Part):
    second_axis: int
    word: ClassVar[str] = "diagonal"


@dataclass(frozen=True, eq=False)
class Merged(Part):
    word: ClassVar[str] = "merged"


@dataclass(frozen=True, eq=False)
class Split(Part):
    """`whole`: the axis keeps its extent, which is the integer."""

    whole: bool
    word: ClassVar[str] = "split"


@dataclass(frozen=True, eq=False)
class Gather(Part):
    """Operands: the array and the indices, of one rank; `rule`: checked, wrap, clip, or guarded, which is checked and has
    indices out of range where the element is not used, and is not known."""

    rule: str
    word: ClassVar[str] = "gather"
    arrays: ClassVar[int] = 2


@dataclass(frozen=True, eq=False)
class SearchSorted(Node):
    """NumPy's searchsorted. Operands: what is sorted, what is searched; `side`: left or right."""

    side: str
    word: ClassVar[str] = "searchsorted"


@dataclass(frozen=True, eq=False)
class Interp(Node):
    """NumPy's interp. Operands: x, the points, their values, then the results beyond the points that `beyond` says are
    there: none, left, right or both."""

    beyond: str
    word: ClassVar[str] = "interp"


@dataclass(frozen=True, eq=False)
class Scattering(Node):
    """What writes at positions that are values, as sinter/dsl/scatters/ says. Operands: arrays, then `counts` integers that
    literals, parameters and extents alone decide."""

    counts: ClassVar[int] = 0

    @property
    def arrays(self):
        return len(self.operands) - self.counts

    def integers(self):
        """The operands that are integers."""
        return self.operands[self.arrays :]


@dataclass(frozen=True, eq=False)
class Scatter(Scattering):
    """Operands: the base, the index, the updates. `combine`: add, add_unordered, minimum, maximum or last; `rule`:
    reported, dropped or counted."""

    axis: int
    combine: str
    rule: str
    word: ClassVar[str] = "scatter"


@dataclass(frozen=True, eq=False)
class Bincount(Scattering):
    """Operands: integers, perhaps their weights, and how many are counted."""

    word: ClassVar[str] = "bincount"
    counts: ClassVar[int] = 1


@dataclass(frozen=True, eq=False)
class Histogram(Scattering):
    """Operands: elements, low, high, perhaps weights, and the number of bins; `edges` is a type."""

    edges: str
    word: ClassVar[str] = "histogram"
    counts: ClassVar[int] = 1


@dataclass(frozen=True, eq=False)
class Histogram2d(Scattering):
    """Operands: x, y, low and high of x, those of y, perhaps weights, and the numbers of bins of x and of y."""

    word: ClassVar[str] = "histogram2d"
    counts: ClassVar[int] = 2


@dataclass(frozen=True, eq=False)
class Segment(Scattering):
    """Operands: the rows, their segments, how many segments; `result`: sum, sum_unordered, minimum, maximum
    or mean."""

    result: str
    axis: int
    word: ClassVar[str] = "segment"
    counts: ClassVar[int] = 1


@dataclass(frozen=True, eq=False)
class Nonzero(Scattering):
    word: ClassVar[str] = "nonzero"


@dataclass(frozen=True, eq=False)
class Compress(Scattering):
    """Operands: elements, and the mask that chooses them."""

    word: ClassVar[str] = "compress"


@dataclass(frozen=True, eq=False)
class Stencil(Node):
    """What combines neighbours along an axis, as sinter/dsl/stencils/ says. `function` and its operands: diff of x; gradient of x
    and a spacing; trapezoid of y and a spacing; convolve and correlate of x and a kernel. `setting`: the order of differences, of
    the ends of a gradient, the number of a convolution's mode."""

    function: str
    axis: int
    setting: int
    word: ClassVar[str] = "stencil"


@dataclass(frozen=True, eq=False)
class Order(Node):
    """Elements in order along an axis, as sinter/dsl/order/ says. `function` and its operands: argsort, sort, median,
    top_positions and top_elements of x, `setting` of them; first_of_equal and unique of x of rank 1; quantile of x and fractions;
    sort_values of keys and of values, which are put in the order of the keys; permutation of a number of elements, a seed and a
    sequence, and shuffled of x, a seed and a sequence (sinter/dsl/random/compose_permutation.hpp)."""

    function: str
    axis: int
    setting: int
    word: ClassVar[str] = "order"


@dataclass(frozen=True, eq=False)
class Product(Node):
    """A product of arrays, as sinter/dsl/products/ says. `function`: matmul, dot, vecdot, outer or einsum. `setting`: the axis of
    vecdot, the subscripts of einsum, else "-"."""

    function: str
    setting: str
    word: ClassVar[str] = "product"


SCALARS = (Literal, Parameter)
LEAVES = (Input,) + SCALARS


@dataclass(frozen=True, eq=False)
class Program:
    """`targets` is empty, or has an array for each output. `named` says which values, by number, are printed as
    one function of the C++ front end (cpp_forms/named_reductions.py, parts/write_parts.py) instead of as the nodes that
    make them.
    """

    identifier: str
    mode: str
    nodes: tuple
    outputs: tuple
    targets: tuple = ()
    named: dict = dataclasses.field(default_factory=dict)

    def parameters(self):
        return [node for node in self.nodes if isinstance(node, Parameter)]

    def can_run_unfused(self):
        """Each node that is no leaf by itself: scalars, and what they alone make, have no kernel."""
        scalar_outputs = [output for output in self.outputs if isinstance(self.nodes[output], SCALARS)]
        computed_scalars = [
            node
            for node in self.nodes
            if isinstance(node, (Apply, WithBodies))
            and all(getattr(self.nodes[operand], "weak", False) for operand in node.operands)
        ]
        guarded = any(isinstance(node, Gather) and node.rule == "guarded" for node in self.nodes)
        return not self.parameters() and not scalar_outputs and not computed_scalars and not guarded

    def part_integers(self):
        """The numbers of the values that are integers of parts."""
        with_integers = [node for node in self.nodes if isinstance(node, (Part, Scattering))]
        return {number for node in with_integers for number in node.integers()}

    def replace(self, **changes):
        return dataclasses.replace(self, **changes)

    def with_node(self, number, node):
        return self.replace(nodes=self.nodes[:number] + (node,) + self.nodes[number + 1 :])

    def keep_only(self, outputs):
        """The program of some of its values, without the nodes that they do not need, and without targets."""
        needed = needed_numbers(self, outputs)
        # Views name parameters by number: they keep all of them.
        if any(uses_parameters(self.nodes[number]) for number in needed):
            needed |= {number for number, node in enumerate(self.nodes) if isinstance(node, Parameter)}
        order = {old: new for new, old in enumerate(sorted(needed))}
        nodes = tuple(
            dataclasses.replace(node, operands=tuple(order[operand] for operand in node.operands))
            for number, node in enumerate(self.nodes)
            if number in needed
        )
        named = {
            order[number]: reduction.renumber(order)
            for number, reduction in self.named.items()
            if number in needed
        }
        outputs = tuple(order[output] for output in outputs)
        return self.replace(nodes=nodes, outputs=outputs, targets=(), named=named)


def all_nodes(nodes):
    """Nodes and those of their bodies."""
    for node in nodes:
        yield node
        for body in getattr(node, "bodies", ()):
            yield from all_nodes(body.nodes)


def needed_numbers(of, results):
    """The nodes of a program or a body that some of its values need, by their numbers."""
    found, pending = set(results), list(results)
    while pending:
        for operand in of.nodes[pending.pop()].operands:
            if operand not in found:
                found.add(operand)
                pending.append(operand)
    return found


def uses_parameters(node):
    return isinstance(node, View) and any(item[0] == "s" and "p" in item for item in node.items)


def memory_of(array):
    """The array that owns an array's memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def byte_offset(array):
    """Where an array begins in the array that owns its memory."""
    if array.size == 0:
        return 0
    return array.__array_interface__["data"][0] - memory_of(array).__array_interface__["data"][0]
