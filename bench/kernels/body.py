"""Draws the operations of a program. Every value has bounds: data neither overflow nor leave a function's fast path."""
from element_types import KINDS, common, largest, part, summed
from operations import BY_GROUP, FLAVOURS, OPERATIONS, REDUCTIONS
from program import axes_of

# Bounds of the data of inputs; the runner and check.py draw from these.
DATA = {"b": (0, 1), "i": (1, 9), "u": (1, 9), "f": (0.5, 2), "c": (-3, 3)}
LITERALS = {"float64": (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, -0.5, -1.25), "int64": (1, 2, 3, 5)}
CAST_TO = ("float32", "float32", "float16", "bfloat16", "float64", "int32", "int8", "int16", "int64")


def broadcast(*shapes):
    """The shape of a result; the generator never draws shapes that do not fit."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(max(extents) for extents in zip(*padded))


class Body:
    def __init__(self, draws, flavour):
        self.draws, self.flavour = draws, flavour
        self.nodes, self.types, self.shapes, self.bounds = [], [], [], []
        self.used = set()
        self.hidden = set()  # values of another shape, which no drawn operation may take
        self.steps = 0  # operations and casts so far

    # ---- nodes ----
    def append(self, node, kind, shape, bounds):
        self.nodes.append(node)
        self.types.append(kind)
        self.shapes.append(tuple(shape))
        self.bounds.append(bounds)
        self.used.update(node.get("a", []))
        return len(self.nodes) - 1

    def input(self, layout):
        return self.append({"k": "input", "layout": layout}, layout.type, layout.extents, DATA[KINDS[layout.type]])

    def literal(self, value):
        kind = "float64" if isinstance(value, float) else "int64"
        made = self.append({"k": "literal", "t": kind, "py": value, "weak": True}, kind, (), (value, value))
        self.used.add(made)
        return made

    def is_literal(self, value):
        return self.nodes[value]["k"] == "literal"

    def apply(self, op, *values, checked=True):
        """Appends an operation; None where it does not fit these operands' types or bounds."""
        row = OPERATIONS[op]
        of = values[1:] if op == "where" else values
        kind = common([(self.types[value], self.is_literal(value)) for value in of])
        if KINDS[kind] not in row.kinds or (op == "where" and KINDS[self.types[values[0]]] != "b"):
            return None
        bounds = self.range_of(op, values)
        if bounds is None or (checked and not self.fits(kind, bounds)):
            return None
        result = {"same": kind, "bool": "bool", "part": part(kind)}[row.result]
        self.steps += 1
        return self.append({"k": "apply", "op": op, "a": list(values)}, result,
                           broadcast(*(self.shapes[value] for value in values)), bounds)

    def range_of(self, op, values):
        bounds = [self.bounds[value] for value in values]
        if op == "where":
            return min(bounds[1][0], bounds[2][0]), max(bounds[1][1], bounds[2][1])
        if op == "clip":
            return tuple(min(max(bound, bounds[1][0]), bounds[2][1]) for bound in bounds[0])
        return OPERATIONS[op].range(*bounds)

    def fits(self, kind, bounds):
        return max(abs(bounds[0]), abs(bounds[1])) <= largest(kind) and (KINDS[kind] != "u" or bounds[0] >= 0)

    def cast(self, value, kind, checked=True):
        """Appends a conversion; None where the type is the same, or does not hold the bounds."""
        if self.types[value] == kind or KINDS[self.types[value]] == "c":
            return None
        if checked and not self.fits(kind, self.bounds[value]):
            return None
        low, high = (min(max(bound, -largest(kind)), largest(kind)) for bound in self.bounds[value])
        if KINDS[kind] in "iu":
            low, high = int(low), int(high)
        self.steps += 1
        return self.append({"k": "cast", "a": [value], "t": kind}, kind, self.shapes[value], (low, high))

    def view(self, value, items, shape):
        return self.append({"k": "view", "a": [value], "items": items}, self.types[value], shape, self.bounds[value])

    def reduce(self, op, value, mask, keep):
        shape = self.shapes[value]
        over = [axis for axis in axes_of(mask) if axis < len(shape)]
        count = 1
        for axis in over:
            count *= shape[axis]
        kept = [1 if axis in over else extent for axis, extent in enumerate(shape)]
        made = kept if keep else [extent for axis, extent in enumerate(shape) if axis not in over]
        low, high = self.bounds[value]
        kind = self.types[value]
        if op == "sum":
            kind, low, high = summed(kind), low * count, high * count
        elif op == "prod":
            kind, low, high = summed(kind), -largest("float64"), largest("float64")
        elif op in ("argmax", "argmin"):
            kind, low, high = "int64", 0, count - 1
        return self.append({"k": "reduce", "op": op, "a": [value], "axes": mask, "keep": keep}, kind, made, (low, high))

    def mean(self, value, mask):
        """The mean over axes that stay, as a user would write it: a scaled sum. Integers become float32."""
        if KINDS[self.types[value]] in "biu":
            value = self.cast(value, "float32", checked=False)
        count = 1
        for axis in axes_of(mask):
            count *= self.shapes[value][axis]
        bounds = self.bounds[value]
        made = self.apply("multiply", self.reduce("sum", value, mask, True), self.literal(1.0 / count), checked=False)
        self.bounds[made] = bounds
        return made

    def scan(self, op, value, axis):
        kind = summed(self.types[value])
        edge = largest("float64")
        return self.append({"k": "scan", "op": op, "a": [value], "axis": axis}, kind, self.shapes[value], (-edge, edge))

    # ---- drawing ----
    def arrays(self):
        return [value for value in range(len(self.nodes)) if not self.is_literal(value) and value not in self.hidden]

    def loose(self):
        """Values that nothing uses yet."""
        return [value for value in self.arrays() if value not in self.used]

    def grow(self, count, results):
        """Draws `count` operations that end in `results` values, or as many more as operands make necessary."""
        end = self.steps + count
        while self.steps < end or len(self.loose()) > results:
            loose = self.loose()
            if len(loose) > 1 and len(loose) - results >= end - self.steps:
                self.merge(*self.draws.shuffled(loose)[:2])
            else:
                self.step(loose)
        return self.loose()

    def merge(self, a, b):
        """Some operation on two values, whatever they are."""
        bools = [value for value in (a, b) if self.types[value] == "bool"]
        if len(bools) == 2:
            return self.apply(self.draws.pick(("logical_and", "logical_or", "logical_xor")), a, b)
        if bools:
            other = b if bools[0] == a else a
            whole = KINDS[self.types[other]] in "iu"
            return self.apply("where", bools[0], other, self.literal(1 if whole else 0.5))
        for op in self.draws.shuffled(("add", "multiply", "subtract", "maximum", "minimum")):
            made = self.apply(op, a, b)
            if made is not None:
                return made
        made = self.apply("add", a, b, checked=False)  # complex numbers and far bounds: they may grow
        kind = self.types[made]
        self.bounds[made] = tuple(min(max(bound, -largest(kind)), largest(kind)) for bound in self.bounds[made])
        return made

    def step(self, loose):
        """One operation of the flavour. Where nothing fits, a value meets itself, scaled."""
        for _ in range(24):
            first = self.draws.pick(loose) if loose and self.draws.chance(75) else self.recent()
            made = self.attempt(self.draws.weighted(FLAVOURS[self.flavour]), first, loose)
            if made is not None:
                return made
        return self.settle(self.draws.pick(loose or self.arrays()))

    def settle(self, value):
        if self.types[value] == "bool":
            return self.apply("logical_not", value)
        whole = KINDS[self.types[value]] in "iu"
        op = "maximum" if KINDS[self.types[value]] != "c" else "multiply"
        return self.apply(op, value, self.literal(1 if whole else 0.5))

    def recent(self):
        """An array, the later the likelier."""
        of = self.arrays()
        return of[-1 - min(self.draws.count_to(len(of)), len(of)) + 1]

    def attempt(self, group, first, loose):
        if group == "cast":
            return self.cast(first, self.draws.pick(CAST_TO))
        op = self.draws.pick(BY_GROUP[group])
        arity = OPERATIONS[op].arity
        if op == "where":
            return self.choice(first, loose)
        if self.nodes[first].get("op") in (BY_GROUP["rounding"] if group == "rounding" else (op,)):
            return None  # as are abs(abs(x)) and round(floor(x))
        if op == "clip":
            low, high = (1, 5) if KINDS[self.types[first]] in "iu" else (-0.5, 1.5)
            return self.apply(op, first, self.literal(low), self.literal(high))
        if arity == 1:
            return self.apply(op, first)
        second = self.partner(first, loose)
        if second == first:  # x - x and the like are folded away
            return None
        flipped = self.draws.chance(30) and not self.is_literal(second)
        return self.apply(op, *((second, first) if flipped else (first, second)))

    def choice(self, first, loose):
        conditions = [value for value in self.arrays() if self.types[value] == "bool"]
        other, compared = self.partner(first, loose), self.partner(first, loose)
        if self.types[first] == "bool" or other == first or compared == first:
            return None
        if conditions and self.draws.chance(60):
            condition = self.draws.pick(conditions)
        else:
            condition = self.apply(self.draws.pick(("less", "greater_equal")), first, compared)
        return None if condition is None else self.apply("where", condition, first, other)

    def partner(self, first, loose):
        """A second operand: a literal, or a value."""
        if self.draws.chance(28):
            kind = KINDS[self.types[first]]
            return self.literal(self.draws.pick(LITERALS["int64" if kind in "biu" else "float64"]))
        return self.draws.pick(loose) if loose and self.draws.chance(50) else self.recent()

    def reduction_for(self, value, only=None):
        """A reduction that this value's type has."""
        kind = KINDS[self.types[value]]
        fitting = [op for op, row in REDUCTIONS.items() if kind in row[0]]
        return self.draws.pick([op for op in fitting if only is None or op in only])
