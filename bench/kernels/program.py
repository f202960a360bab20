"""A program as data, and as text in the format of the differential fuzzer.

A node is a dictionary: `k` says what it is (input, literal, apply, cast, view, reduce, scan), `a` which nodes it takes.
An input has a layout: a contiguous storage, and for each of its axes where in the storage it runs.
"""
import dataclasses
import math
import struct

from element_types import SIZES, common


@dataclasses.dataclass(frozen=True)
class Axis:
    """Runs along an axis of the storage (none: every element is the same one), from `start` in steps of `step`."""
    along: int | None
    start: int = 0
    step: int = 1


@dataclasses.dataclass(frozen=True)
class Layout:
    type: str
    extents: tuple
    storage: tuple  # extents of the contiguous array whose elements it shows
    axes: tuple
    lead: int = 0  # elements of the buffer before the storage: it then begins at no round address
    kind: str = "contiguous"

    def storage_strides(self):
        strides, stride = [], 1
        for extent in reversed(self.storage):
            strides.append(stride)
            stride *= extent
        return strides[::-1]

    def strides(self):
        """Of the operand, in elements."""
        of = self.storage_strides()
        return [0 if axis.along is None else of[axis.along] * axis.step for axis in self.axes]

    def offset(self):
        """Of its first element in the buffer, in elements."""
        of = self.storage_strides()
        return self.lead + sum(of[axis.along] * axis.start for axis in self.axes if axis.along is not None)

    def buffer_elements(self):
        return self.lead + math.prod(self.storage)


@dataclasses.dataclass
class Program:
    id: str
    family: str
    mode: str
    nodes: list
    types: list  # of each node
    shapes: list
    out: list

    def inputs(self):
        return [node["layout"] for node in self.nodes if node["k"] == "input"]

    def computed(self, node):
        """The type in which an operation computes."""
        of = node["a"][1:] if node["op"] == "where" else node["a"]
        return common([(self.types[value], self.nodes[value]["k"] == "literal") for value in of])

    def bytes(self):
        """Of the memory that a call needs."""
        return (sum(at.buffer_elements() * SIZES[at.type] for at in self.inputs()) +
                sum(math.prod(self.shapes[o]) * SIZES[self.types[o]] for o in self.out))

    def text(self, how="fused"):
        """For the runner and the fuzzer's driver; the buffers' bytes would follow."""
        lines = [f"program {self.id} {self.mode} {how}"]
        lines += [f"buffer {at.buffer_elements() * SIZES[at.type]}" for at in self.inputs()]
        buffers = 0
        for node in self.nodes:
            if node["k"] == "input":
                lines.append(layout_text(buffers, node["layout"]))
                buffers += 1
            else:
                lines.append(node_text(node))
        return "\n".join(lines + [f"output {o}" for o in self.out] + ["end", ""])


def layout_text(buffer, at):
    numbers = [buffer, at.type, at.offset() * SIZES[at.type], len(at.extents), *at.extents, *at.strides()]
    return "input " + " ".join(map(str, numbers))


def literal_bits(node):
    packed = struct.pack("<d", node["py"]) if node["t"] == "float64" else struct.pack("<q", node["py"])
    return int.from_bytes(packed, "little")


def node_text(node):
    kind, of = node["k"], node.get("a", [])
    if kind == "literal":
        return f"literal {node['t']} {literal_bits(node):x} {int(node['weak'])}"
    if kind == "apply":
        return f"apply {node['op']} {' '.join(map(str, of))}"
    if kind == "cast":
        return f"cast {of[0]} {node['t']}"
    if kind == "view":
        return f"view {of[0]} {len(node['items'])} {' '.join(node['items'])}"
    if kind == "reduce":
        return f"reduce {node['op']} {of[0]} {node['axes']} {int(node['keep'])}"
    return f"scan {node['op']} {of[0]} {node['axis']}"


def axes_of(mask):
    return [axis for axis in range(mask.bit_length()) if mask >> axis & 1]


def operations_of(program):
    return sum(node["k"] in ("apply", "cast") for node in program.nodes)
