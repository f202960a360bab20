"""Programs as text: what the driver reads (driver/read_program.hpp), and files that hold their data too.

A file's buffers list their elements, `buffer BYTES TYPE ELEMENT...`, or their bytes, `buffer BYTES hex
DIGITS`."""

import dataclasses


import numpy as np

from .element_types import BFLOAT16, DTYPES, NAMES, is_complex, kind, scalar_array
from .program import (
    Apply,
    Argument,
    Bincount,
    Body,
    Cast,
    Component,
    Compress,
    Concatenate,
    Coordinate,
    Diagonal,
    Element,
    Extended,
    Extent,
    Gather,
    External,
    Histogram,
    Histogram2d,
    Input,
    Interp,
    Literal,
    Merged,
    Nonzero,
    Order,
    Parameter,
    Program,
    Random,
    Reduce,
    ReduceBy,
    Repeat,
    RepeatWhile,
    Scan,
    ScanBy,
    Scatter,
    SearchSorted,
    Segment,
    Split,
    Stencil,
    Product,
    View,
    When,
    Whole,
    Window,
    byte_offset,
    memory_of,
)

LINE_ENDS = {
    Apply: lambda node: (),
    External: lambda node: (),
    Cast: lambda node: (node.type,),
    View: lambda node: (len(node.items), *node.items),
    Reduce: lambda node: (node.axes, int(node.keep)),
    Scan: lambda node: (node.axis,),
    Coordinate: lambda node: (node.axis,),
    Extent: lambda node: (node.axis,),
    Argument: lambda node: (node.type, node.rank, int(node.weak)),
    Whole: lambda node: (node.type, node.rank),
    When: lambda node: (),
    Component: lambda node: (node.result,),
    Extended: lambda node: (node.axis, node.rule),
    Concatenate: lambda node: (node.axis,),
    Gather: lambda node: (node.axis, node.rule),
    Window: lambda node: (node.axis,),
    Diagonal: lambda node: (node.axis, node.second_axis),
    Merged: lambda node: (node.axis,),
    Split: lambda node: (node.axis, int(node.whole)),
    SearchSorted: lambda node: (node.side,),
    Scatter: lambda node: (node.axis, node.combine, node.rule),
    Bincount: lambda node: (),
    Histogram2d: lambda node: (),
    Nonzero: lambda node: (),
    Compress: lambda node: (),
}


def bits_of(literal):
    return int.from_bytes(scalar_array(literal.value, DTYPES[literal.type]).tobytes(), "little")


class Buffers:
    """The memory that a program's arrays lie in, numbered."""

    def __init__(self):
        self.arrays = []
        self.numbers = {}

    def layout(self, array):
        memory = memory_of(array)
        if id(memory) not in self.numbers:
            self.numbers[id(memory)] = len(self.arrays)
            self.arrays.append(memory)
        strides = [stride // array.itemsize for stride in array.strides]
        return " ".join(
            map(
                str,
                (
                    self.numbers[id(memory)],
                    NAMES[array.dtype],
                    byte_offset(array),
                    array.ndim,
                    *array.shape,
                    *strides,
                ),
            )
        )


def node_line(node, buffers):
    if isinstance(node, Input):
        return f"input {buffers.layout(node.array)}"
    if isinstance(node, Literal):
        return f"{node.word} {node.type} {bits_of(node):x} {int(node.weak)}"
    if isinstance(node, (Repeat, RepeatWhile)):
        return " ".join(map(str, (node.word, node.states, *node.operands)))
    if isinstance(node, ReduceBy):
        flags = (node.axes, int(node.keep), int(node.ordered))
        return " ".join(map(str, (node.word, node.states, *flags, *node.operands)))
    if isinstance(node, ScanBy):
        return " ".join(map(str, (node.word, node.states, node.axis, *node.operands)))
    if isinstance(node, Random):
        return " ".join(map(str, (node.word, node.distribution, node.type, *node.operands)))
    if isinstance(node, Interp):
        return " ".join(map(str, (node.word, node.beyond, *node.operands)))
    if isinstance(node, Histogram):
        return " ".join(map(str, (node.word, node.edges, *node.operands)))
    if isinstance(node, Segment):
        return " ".join(map(str, (node.word, node.result, node.axis, *node.operands)))
    if isinstance(node, Product):
        return " ".join(map(str, (node.word, node.function, node.setting, *node.operands)))
    if isinstance(node, (Stencil, Order)):
        return " ".join(map(str, (node.word, node.function, node.axis, node.setting, *node.operands)))
    if isinstance(node, Element):
        return " ".join(map(str, (node.word, node.rule, *node.operands)))
    operation = (node.operation,) if hasattr(node, "operation") else ()
    return " ".join(map(str, (node.word, *operation, *node.operands, *LINE_ENDS[type(node)](node))))


def node_lines(node, buffers, indent=""):
    """The line of a node and those of its bodies."""
    lines = [indent + node_line(node, buffers)]
    inner = indent + "  "
    for body in getattr(node, "bodies", ()):
        lines.append(f"{indent}body")
        for nested in body.nodes:
            lines += node_lines(nested, buffers, inner)
        lines += [f"{inner}result {result}" for result in body.results] + [f"{indent}close"]
    return lines


def lines_of(program):
    """The lines between the buffers and `end`, and the buffers."""
    buffers = Buffers()
    lines = [line for node in program.nodes for line in node_lines(node, buffers)]
    for position, output in enumerate(program.outputs):
        target = f" into {buffers.layout(program.targets[position])}" if program.targets else ""
        lines.append(f"output {output}{target}")
    return lines, buffers.arrays


def buffers_of(program):
    return lines_of(program)[1]


def driver_input(program, variant):
    """A program and its data for the driver, as bytes."""
    lines, buffers = lines_of(program)
    head = [f"program {program.identifier} {program.mode} {variant}"]
    head += [f"buffer {buffer.nbytes}" for buffer in buffers]
    return "\n".join(head + lines + ["end", ""]).encode() + b"".join(
        buffer.tobytes("A") for buffer in buffers
    )


def element_text(element):
    value = element.item() if hasattr(element, "item") else element
    if isinstance(value, bool):
        return str(int(value))
    return str(value).strip("()") if isinstance(value, complex) else repr(value)


def parse_elements(texts, dtype):
    if is_complex(dtype):
        return np.array([complex(text) for text in texts], dtype)
    if kind(dtype) == "f":
        return np.array([float(text) for text in texts], np.float64).astype(dtype)
    return np.array([int(text) for text in texts], object).astype(dtype)


def buffer_line(buffer):
    data = buffer.tobytes("A")
    elements = np.frombuffer(data, np.uint8).view(buffer.dtype)
    texts = [element_text(float(element) if buffer.dtype == BFLOAT16 else element) for element in elements]
    if parse_elements(texts, buffer.dtype).tobytes() == data:
        return " ".join(["buffer", str(len(data)), NAMES[buffer.dtype], *texts])
    return f"buffer {len(data)} hex {data.hex()}"


def write_program(program, variant="fused", comment=""):
    """A file of the corpus."""
    lines, buffers = lines_of(program)
    head = [f"# {line}" for line in comment.splitlines()] + [
        f"program {program.identifier} {program.mode} {variant}"
    ]
    return "\n".join(head + [buffer_line(buffer) for buffer in buffers] + lines + ["end", ""])


def write_programs(programs, variant, comment):
    """A file of programs that run one after the other."""
    texts = [
        write_program(program, variant, comment if number == 0 else "")
        for number, program in enumerate(programs)
    ]
    return "".join(texts)


def read_programs(text):
    """The programs of a file with their variants, in order."""
    parts = [part for part in text.split("\nend\n") if part.strip()]
    return [read_program(part) for part in parts]


def read_buffer(words):
    """A buffer of bytes, so that layouts of every type may lie in it."""
    if words[1] == "hex":
        return np.frombuffer(bytes.fromhex("".join(words[2:])), np.uint8).copy()
    return np.frombuffer(parse_elements(words[2:], DTYPES[words[1]]).tobytes(), np.uint8).copy()


def read_layout(words, buffers):
    buffer, dtype, offset, rank = buffers[int(words[0])], DTYPES[words[1]], int(words[2]), int(words[3])
    shape, strides = ([int(word) for word in words[start : start + rank]] for start in (4, 4 + rank))
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.ndarray(shape, dtype, buffer, offset, [stride * dtype.itemsize for stride in strides])


def read_scalar(make):
    def read(words):
        dtype = DTYPES[words[0]]
        value = np.frombuffer(int(words[1], 16).to_bytes(dtype.itemsize, "little"), dtype)[0]
        return make(words[0], float(value) if dtype == BFLOAT16 else value.item(), words[2] == "1")

    return read


NODE_READERS = {
    "literal": read_scalar(Literal),
    "param": read_scalar(Parameter),
    "apply": lambda words: Apply(words[0], operands=tuple(map(int, words[1:]))),
    "extern": lambda words: External(words[0], operands=tuple(map(int, words[1:]))),
    "cast": lambda words: Cast(words[1], operands=(int(words[0]),)),
    "view": lambda words: View(tuple(words[2:]), operands=(int(words[0]),)),
    "reduce": lambda words: Reduce(words[0], int(words[2]), words[3] == "1", operands=(int(words[1]),)),
    "scan": lambda words: Scan(words[0], int(words[2]), operands=(int(words[1]),)),
    "coordinate": lambda words: Coordinate(int(words[1]), operands=(int(words[0]),)),
    "extent": lambda words: Extent(int(words[1]), operands=(int(words[0]),)),
    "random": lambda words: Random(words[0], words[1], operands=tuple(map(int, words[2:]))),
    "argument": lambda words: Argument(words[0], int(words[1]), words[2] == "1"),
    "whole": lambda words: Whole(words[0], int(words[1]), False),
    "element": lambda words: Element(words[0], operands=tuple(map(int, words[1:]))),
    "repeat": lambda words: Repeat(int(words[0]), (), operands=tuple(map(int, words[1:]))),
    "repeat_while": lambda words: RepeatWhile(int(words[0]), (), operands=tuple(map(int, words[1:]))),
    "when": lambda words: When(0, (), operands=tuple(map(int, words))),
    "reduce_by": lambda words: ReduceBy(
        int(words[0]), (), int(words[1]), words[2] == "1", words[3] == "1", operands=tuple(map(int, words[4:]))
    ),
    "scan_by": lambda words: ScanBy(int(words[0]), (), int(words[1]), operands=tuple(map(int, words[2:]))),
    "component": lambda words: Component(int(words[1]), operands=(int(words[0]),)),
    "extended": lambda words: Extended(int(words[3]), words[4], operands=tuple(map(int, words[:3]))),
    "gather": lambda words: Gather(int(words[2]), words[3], operands=tuple(map(int, words[:2]))),
    "concatenate": lambda words: Concatenate(int(words[2]), operands=tuple(map(int, words[:2]))),
    "window": lambda words: Window(int(words[2]), operands=tuple(map(int, words[:2]))),
    "diagonal": lambda words: Diagonal(int(words[2]), int(words[3]), operands=tuple(map(int, words[:2]))),
    "merged": lambda words: Merged(int(words[1]), operands=(int(words[0]),)),
    "split": lambda words: Split(int(words[2]), words[3] == "1", operands=tuple(map(int, words[:2]))),
    "searchsorted": lambda words: SearchSorted(words[2], operands=tuple(map(int, words[:2]))),
    "interp": lambda words: Interp(words[0], operands=tuple(map(int, words[1:]))),
    "scatter": lambda words: Scatter(
        int(words[3]), words[4], words[5], operands=tuple(map(int, words[:3]))
    ),
    "bincount": lambda words: Bincount(operands=tuple(map(int, words))),
    "histogram": lambda words: Histogram(words[0], operands=tuple(map(int, words[1:]))),
    "histogram2d": lambda words: Histogram2d(operands=tuple(map(int, words))),
    "segment": lambda words: Segment(words[0], int(words[1]), operands=tuple(map(int, words[2:]))),
    "nonzero": lambda words: Nonzero(operands=tuple(map(int, words))),
    "compress": lambda words: Compress(operands=tuple(map(int, words))),
    "order": lambda words: Order(words[0], int(words[1]), int(words[2]), operands=tuple(map(int, words[3:]))),
    "product": lambda words: Product(words[0], words[1], operands=tuple(map(int, words[2:]))),
    "stencil": lambda words: Stencil(words[0], int(words[1]), int(words[2]), operands=tuple(map(int, words[3:]))),
}


class OpenBody:
    """A body, or the program, whose lines are being read."""

    def __init__(self):
        self.nodes, self.results = [], []

    def close_into(self, around):
        body = Body(tuple(self.nodes), tuple(self.results))
        owner = around.nodes[-1]
        around.nodes[-1] = dataclasses.replace(owner, bodies=owner.bodies + (body,))


def read_program(text):
    """A program, and the variant that it asks for."""
    head, buffers, outputs, targets = ["", "standard", "fused"], [], [], []
    scopes = [OpenBody()]
    for line in text.splitlines():
        word, *words = line.split() or ["#"]
        if word.startswith("#"):
            continue
        if word == "end":
            break
        if word == "program":
            head = words
        elif word == "buffer":
            buffers.append(read_buffer(words))
        elif word == "input":
            scopes[-1].nodes.append(Input(read_layout(words, buffers)))
        elif word == "output":
            outputs.append(int(words[0]))
            targets += [read_layout(words[2:], buffers)] if words[1:] else []
        elif word == "body":
            scopes.append(OpenBody())
        elif word == "result":
            scopes[-1].results.append(int(words[0]))
        elif word == "close":
            scopes.pop().close_into(scopes[-1])
        else:
            scopes[-1].nodes.append(NODE_READERS[word](words))
    return Program(head[0], head[1], tuple(scopes[0].nodes), tuple(outputs), tuple(targets)), head[2]


def describe_node(node):
    if isinstance(node, Input):
        array = node.array
        strides = [stride // array.itemsize for stride in array.strides]
        fields = f"{NAMES[array.dtype]}{list(array.shape)} strides {strides}"
        return fields + (f" = {array.tolist()}" if array.size <= 12 else "")
    hidden = {"array", "bodies"} | (set() if node.operands else {"operands"})
    names = [field.name for field in dataclasses.fields(node) if field.name not in hidden]
    return " ".join(f"{name} {getattr(node, name)}" for name in names)


def describe_nodes(nodes, indent):
    lines = []
    for number, node in enumerate(nodes):
        lines.append(f"{indent}n{number} = {node.word} {describe_node(node)}")
        for body in getattr(node, "bodies", ()):
            lines += [f"{indent}  body", *describe_nodes(body.nodes, indent + "    ")]
            lines.append(f"{indent}    results {list(body.results)}")
    return lines


def describe(program):
    """A program in lines for people."""
    lines = [f"mode {program.mode}", *describe_nodes(program.nodes, "  ")]
    targets = [(NAMES[target.dtype], target.shape) for target in program.targets]
    return "\n".join(lines + [f"  outputs {list(program.outputs)}" + (f" into {targets}" if targets else "")])
