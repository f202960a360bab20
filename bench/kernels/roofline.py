"""What a program must at least do on a target: memory that it touches, instructions, and launches one after another."""
import collections
import dataclasses
import math

from element_types import KINDS, SIZES
from operations import OPERATIONS
from program import axes_of


@dataclasses.dataclass(frozen=True)
class Target:
    line: int  # bytes that memory moves at a time: a sector, a cache line
    resident: int  # bytes of a row that stay on the chip where it is reduced, until its elements meet the result
    cache: int  # bytes that a second reading finds in the cache, and not in memory
    narrow: bool  # whether narrow integers are computed several to a lane


# A cluster of sixteen blocks holds about 4 MiB on compute capability 9.0, whose second-level cache has 50 to 60 MB.
TARGETS = {"cuda": Target(32, 4 << 20, 50 << 20, False), "cpu": Target(64, 1 << 20, 32 << 20, True)}

RATES = ("f32", "f64", "i32", "i64", "special")


# ---- memory ----
def lines_touched(start, extents, strides, size, line):
    """How many lines of memory have an element of the array in them; all numbers in bytes but extents.

    Counted from the nearest elements to the farthest. Neighbours with less than a line between them leave no line out,
    so they are one run. What lies farther apart is counted for each place in a line where it can begin. Exact where no
    axis' elements lie between another's.
    """
    axes = sorted((abs(stride), extent) for stride, extent in zip(strides, extents) if stride != 0 and extent > 1)
    start += sum(stride * (extent - 1) for stride, extent in zip(strides, extents) if stride < 0)
    span = size
    while axes and axes[0][0] < span + line:
        stride, extent = axes.pop(0)
        span += stride * (extent - 1)
    counts = [(begin + span - 1) // line + 1 for begin in range(line)]
    for stride, extent in axes:
        counts = [repeated(counts, begin, span, stride, extent) for begin in range(line)]
        span += stride * (extent - 1)
    return counts[start % line]


def repeated(counts, begin, span, stride, extent):
    """The lines of `extent` things, each `stride` after the one before; `counts` has one's by where it begins."""
    line, total = len(counts), 0
    period = line // math.gcd(stride, line)  # after as many steps, beginnings repeat
    for number in range(min(period, extent)):
        at = (begin + number * stride) % line
        times, boundaries = ((last - number + period - 1) // period for last in (extent, extent - 1))
        shared = (at + span - 1) // line == (at + stride) // line  # the last line of one is the first of the next
        total += times * counts[at] - shared * boundaries
    return total


def box_of_windows(windows, extents):
    """The smallest box that holds every window: (first, extent) for each axis."""
    low = [min(window[axis][0] for window in windows) for axis in range(len(extents))]
    high = [max(window[axis][0] + window[axis][1] for window in windows) for axis in range(len(extents))]
    return [(a, b - a) for a, b in zip(low, high)]


def window_of(items, extents):
    """(first, extent) for each axis of the operand of a view, of whose slices those of a part have steps of 1."""
    if items and items[0][0] == "p":
        return [(0, extent) for extent in extents]
    made = []
    for item, extent in zip([item for item in items if item != "n"], extents):
        if item[0] == "i":
            made.append((int(item[2:]), 1))
            continue
        first, last = item.split(":")[1:3]
        first = 0 if first == "_" else int(first)
        last = extent if last == "_" else int(last)
        made.append((first, (last + extent if last < 0 else last) - first))
    return made


def lines_read(program, value, line):
    """The lines of an input that the program reads at all: those of its windows, if it is only seen through these."""
    at = program.nodes[value]["layout"]
    users = [node for node in program.nodes if value in node.get("a", [])]
    box = [(0, extent) for extent in at.extents]
    if users and all(node["k"] == "view" for node in users):
        box = box_of_windows([window_of(node["items"], at.extents) for node in users], at.extents)
    size = SIZES[at.type]
    strides = [stride * size for stride in at.strides()]
    start = at.offset() * size + sum(stride * first for stride, (first, _) in zip(strides, box))
    return lines_touched(start, [extent for _, extent in box], strides, size, line)


# ---- passes ----
class Passes:
    """How often a program must go through memory, one pass after another.

    A pass more is required where a reduction's result meets elements again whose row does not stay on the chip. Values
    are computed anew in each pass that needs them, so `read` has each input once for every pass that it is read in.
    """

    def __init__(self, program, target):
        self.program, self.target = program, target
        self.level, self.ready, self.row = [], [], []
        for node, shape in zip(program.nodes, program.shapes):
            self.place(node, shape)
        self.read, self.seen = collections.defaultdict(set), set()
        for value in program.out:
            self.visit(value, self.level[value])
        self.count = max(self.level[value] for value in program.out) + 1

    def place(self, node, shape):
        """In which pass a value is there, from which on its whole is, and the bytes that it is computed of."""
        of = node.get("a", [])
        if not of:
            self.level.append(0)
            self.ready.append(0)
            self.row.append(SIZES[node["layout"].type] * math.prod(shape) if node["k"] == "input" else 0)
            return
        level = max(self.level[value] for value in of)
        if node["k"] == "apply":
            level = max([level] + [self.ready[value] for value in of if self.is_smaller(value, shape)])
        ready = max([level] + [self.ready[value] for value in of])
        row = max(self.row[value] for value in of)
        if node["k"] == "reduce":
            elements = math.prod(self.program.shapes[of[0]])
            bytes_ = row * math.prod(self.program.shapes[of[0]][axis] for axis in axes_of(node["axes"])
                                     if axis < len(self.program.shapes[of[0]])) / max(1, elements)
            ready = level + (bytes_ > self.target.resident)
        self.level.append(level)
        self.ready.append(ready)
        self.row.append(row)

    def is_smaller(self, value, shape):
        return math.prod(self.program.shapes[value]) < math.prod(shape)

    def visit(self, value, level):
        """Marks what computing a value in a pass reads."""
        if (value, level) in self.seen:
            return
        self.seen.add((value, level))
        node = self.program.nodes[value]
        if node["k"] == "input":
            self.read[value].add(level)
        for operand in node.get("a", []):
            waits = self.ready[operand] > self.level[operand] and self.is_smaller(operand, self.program.shapes[value])
            self.visit(operand, self.level[operand] if waits else level)


# ---- arithmetic ----
def pipe_of(kind):
    if kind in ("float64", "complex128"):
        return "f64"
    if KINDS[kind] in "fc":
        return "f32"
    return "i64" if SIZES[kind] == 8 else "i32"


def fused_into_additions(program):
    """Products that are only added to something: one instruction does both."""
    uses = collections.defaultdict(list)
    for node in program.nodes:
        for operand in node.get("a", []):
            uses[operand].append(node.get("op"))
    return {index for index, node in enumerate(program.nodes)
            if node.get("op") in ("multiply", "square") and index not in program.out and uses[index]
            and set(uses[index]) <= {"add", "subtract", "sum"}}


def instructions(program, target):
    """Instructions of one call by pipe, and those for a GPU's approximations."""
    total = collections.Counter()
    fused = fused_into_additions(program)
    for index, (node, shape) in enumerate(zip(program.nodes, program.shapes)):
        if index in fused:
            continue
        if node["k"] == "apply":
            row, kind, elements = OPERATIONS[node["op"]], program.computed(node), math.prod(shape)
            count = row.instructions[pipe_of(kind) in ("f64", "i64")]
            total["special"] += row.special * elements * (pipe_of(kind) == "f32")
        elif node["k"] in ("reduce", "scan"):
            elements, kind, count = math.prod(program.shapes[node["a"][0]]), program.types[node["a"][0]], 1
        else:
            continue
        narrow = min(SIZES[kind], 4) / 4 if target.narrow and KINDS[kind] in "biu" else 1
        total[pipe_of(kind)] += count * elements * narrow * (2 if KINDS[kind] == "c" else 1)
    return {pipe: int(total[pipe]) for pipe in RATES}


# ---- all of it ----
def requirements(program, name):
    """Bytes read and written, in whole lines, launches and instructions: what the runner times bare kernels of."""
    target = TARGETS[name]
    passes = Passes(program, target)
    lines = {value: lines_read(program, value, target.line) for value in passes.read}
    fits = sum(lines.values()) * target.line <= target.cache
    read = sum(lines[value] * (1 if fits else len(levels)) for value, levels in passes.read.items()) * target.line
    written = sum(-(-math.prod(program.shapes[value]) * SIZES[program.types[value]] // target.line)
                  for value in program.out) * target.line
    return {"read": read, "written": written, "launches": passes.count, **instructions(program, target)}


def requirements_text(needed):
    return "roofline " + " ".join(str(needed[key]) for key in ("read", "written", "launches", *RATES)) + "\n"
