"""Draws programs: draw("cuda", 17) is the same everywhere. Even seeds are for fitting, odd ones are held out."""
import dataclasses
import math

from body import Body
from draws import Draws
from element_types import KINDS, SIZES
from operations import OPERATIONS
from program import Axis, Layout, Program, axes_of
from subjects import SUBJECTS

# The samples that are reported, and where fresh seeds begin.
SAMPLES = {"cuda": 600, "cpu": 300}
FRESH = 1_000_000
# Of the seeds from FRESH on, so many of a hundred have a subject. The samples have none: results, fitted rates and
# times of candidates are of their programs.
WITH_SUBJECT = 33

# What bounds a program's size: bytes of all arrays, and instructions of one call.
LIMITS = {"cuda": (12 << 30, 1e12), "cpu": (2 << 30, 2e9)}
# Half of the sizes are spread evenly from 2^10 to 2^30, the others over these, which are large for the target.
LARGE = {"cuda": (23, 29), "cpu": (18, 25)}
# How often a program with a subject may be halved.
SUBJECT_SIZE = 40

FAMILIES = {"pointwise": 34, "reduce": 28, "broadcast_back": 18, "scan": 8, "stencil": 6, "chain": 6}
TYPES = {"float32": 34, "float16": 10, "bfloat16": 10, "float64": 8, "int32": 8, "int64": 5, "int16": 4, "int8": 4,
         "uint8": 5, "uint16": 2, "uint32": 3, "uint64": 2, "bool": 3, "complex64": 2, "complex128": 1}
LAYOUTS = {"contiguous": 24, "unaligned": 10, "broadcast": 14, "strided": 12, "reversed": 10, "permuted": 18,
           "window": 7, "mixed": 5}


def sample(target, which="all"):
    """The seeds of the reported sample: "fit", "held" or "all"."""
    keep = {"fit": (0,), "held": (1,), "all": (0, 1)}[which]
    return [seed for seed in range(SAMPLES[target]) if seed % 2 in keep]


def draw(target, seed, limits=None, subject=None):
    """The program of a seed; with other limits than the target's the same, with fewer elements."""
    return Maker(target, seed, subject).make(limits or LIMITS[target])


def subject_of(target, seed):
    """What a fresh seed's program is about, or None."""
    draws = Draws(f"{target}-{seed} subject")
    if seed < FRESH or not draws.chance(WITH_SUBJECT):
        return None
    return draws.weighted({name: weight for name, (_, weight) in SUBJECTS.items()})


class Maker:
    def __init__(self, target, seed, subject=None):
        self.target, self.id = target, f"{target}-{seed}"
        self.draws = Draws(self.id)
        self.subject = subject or subject_of(target, seed)
        self.layouts, self.max_steps = LAYOUTS, 100

    def make(self, limits):
        """Draws again with half as many elements until the program is within the limits."""
        draws = self.draws
        family = draws.weighted(FAMILIES)
        self.family = self.subject or family
        self.main_type = draws.weighted(TYPES)
        self.flavour = draws.weighted({"integers": 1} if KINDS[self.main_type] in "iu" and draws.chance(60)
                                      else {"plain": 50, "functions": 25, "choices": 25})
        low, high = LARGE[self.target] if draws.chance(50) else (10, 30)
        size = low + draws.real() * (high - low)
        if self.subject:
            size = SUBJECT_SIZE
        seed = draws.bits()
        while True:
            self.draws = Draws(f"{self.id} {seed}")  # the same program, as far as its extents do not matter
            made = self.attempt(size)
            if size < 1 or (made.bytes() <= limits[0] and work_of(made) <= limits[1]):
                return made
            size -= 1

    def attempt(self, size):
        draws = self.draws
        self.rank = draws.between(1, 5)
        self.powers = draws.chance(50)
        self.reduced = 0
        if self.subject:
            self.halvings = SUBJECT_SIZE - size
            self.body = Body(draws, self.flavour)
            SUBJECTS[self.subject][0](self)
            return self.program()
        if self.family in ("reduce", "broadcast_back", "chain"):
            self.reduced = self.draw_mask()
        self.extents = self.draw_extents(size)
        self.body = Body(draws, self.flavour)
        getattr(self, self.family)()
        return self.program()

    def program(self):
        body = self.body
        mode = self.draws.weighted({"standard": 80, "fast": 12, "strict": 8})
        return Program(self.id, self.family, mode, body.nodes, body.types, body.shapes, self.out)

    # ---- shapes ----
    def draw_mask(self):
        every = (1 << self.rank) - 1
        return every if self.draws.chance(20) else self.draws.between(1, every)

    def draw_extents(self, size):
        """About 2^size elements. Reduced axes get any share of the exponent, and so any ratio of kept to reduced."""
        draws = self.draws
        over = axes_of(self.reduced)
        kept = [axis for axis in range(self.rank) if axis not in over]
        share = draws.real() if kept and over else 1.0 if over else 0.0
        extents = [1] * self.rank
        for axes, exponent in ((over, size * share), (kept, size * (1 - share))):
            parts = [0.05 + draws.real() for _ in axes]
            for axis, portion in zip(axes, parts):
                extents[axis] = self.draw_extent(exponent * portion / sum(parts))
        return tuple(extents)

    def draw_extent(self, exponent):
        off = self.draws.between(-3, 3)
        if self.powers:
            return 2 ** max(0, round(exponent))
        extent = max(1, round(2.0 ** exponent))
        return extent + (off if extent > 8 else 0)

    # ---- extents of subjects ----
    def extent(self, low, high):
        """Spread evenly over the logarithm; of programs of powers of two, one of these."""
        exponent = math.log2(low) + self.draws.real() * (math.log2(high) - math.log2(low))
        return min(high, 2 ** round(exponent)) if self.powers else round(2 ** exponent)

    def halved(self, extent):
        """As often as the program did not fit."""
        return max(1, extent >> self.halvings)

    def fitted(self, *extents):
        """Halved as often as the program did not fit: the first extent that is not short, in the end all."""
        made = list(extents)
        for _ in range(self.halvings):
            axis = next((axis for short in (8, 1) for axis, extent in enumerate(made) if extent > short), 0)
            made[axis] = max(1, made[axis] // 2)
        return tuple(made)

    # ---- operands ----
    def operand(self, kind=None, extents=None, layouts=None):
        """An input that broadcasts to the program's shape, in a random layout."""
        draws = self.draws
        extents = self.extents if extents is None else extents
        kind = kind or (self.main_type if draws.chance(65) else draws.weighted(TYPES))
        layout = draws.weighted(self.layouts if layouts is None else layouts)
        rank = len(extents)
        order, steps = list(range(rank)), [1] * rank
        if layout in ("permuted", "mixed"):
            order = draws.shuffled(order)
        if layout in ("strided", "mixed"):
            steps = self.on_some_axes(steps, lambda step: step * draws.between(2, 4))
        if layout in ("reversed", "mixed"):
            steps = self.on_some_axes(steps, lambda step: -step)
        margins = [0] * rank
        if layout == "window" or (layout == "mixed" and draws.chance(30)):
            margins = self.on_some_axes(margins, lambda _: draws.between(1, 33))
        shown, absent = tuple(extents), ()
        if layout == "broadcast":
            shown, absent = self.broadcast_extents(extents)
        lead = draws.pick((1, 2, 3, 5, 7)) if layout == "unaligned" else 0
        return self.body.input(place(kind, shown, Placement(order, steps, margins, absent, lead), layout))

    def on_some_axes(self, values, change):
        """Changes one axis at least."""
        chosen = self.draws.between(1, (1 << len(values)) - 1)
        return [change(value) if chosen >> axis & 1 else value for axis, value in enumerate(values)]

    def broadcast_extents(self, extents):
        """What an operand that is broadcast shows: fewer axes, extents of 1, or strides of 0 along (absent) axes."""
        draws = self.draws
        along = draws.between(1, (1 << len(extents)) - 1)
        how = draws.pick(("stride", "extent", "rank"))
        if how == "rank" and len(extents) > 1:
            return tuple(extents[draws.between(1, len(extents) - 1):]), ()
        if how == "extent":
            return tuple(1 if along >> axis & 1 else extent for axis, extent in enumerate(extents)), ()
        return tuple(extents), tuple(axes_of(along))

    def operands(self, steps):
        """One to four. The first has every axis, so that the program has its shape."""
        draws = self.draws
        whole = {kind: weight for kind, weight in self.layouts.items() if kind != "broadcast"}
        self.operand(self.main_type, layouts=whole)
        for _ in range(min(draws.weighted({0: 30, 1: 40, 2: 20, 3: 10}), steps)):
            self.operand()

    def draw_steps(self, none=0):
        return 0 if self.draws.chance(none) else self.draws.count_to(self.max_steps)

    # ---- families ----
    def pointwise(self):
        steps = self.draw_steps()
        self.operands(steps)
        self.out = self.body.grow(steps, self.draws.weighted({1: 72, 2: 18, 3: 10}))
        self.narrow()

    def narrow(self):
        """Some results are stored in a narrower type than they are computed in."""
        body = self.body
        for index, value in enumerate(self.out):
            if self.draws.chance(20) and SIZES[body.types[value]] > 2:
                made = body.cast(value, self.draws.pick(("float16", "bfloat16", "int8", "float32")))
                self.out[index] = value if made is None else made

    def reduced_value(self, none=30):
        """What a family reduces: a body's one result, at the program's whole shape."""
        steps = self.draw_steps(none)
        self.operands(steps)
        return self.body.grow(steps, 1)[0]

    def reduce(self):
        """One to three reductions, over the same axes or others, alone or with elementwise work behind."""
        draws, body = self.draws, self.body
        value = self.reduced_value()
        if draws.chance(12) and KINDS[body.types[value]] in "iuf":
            whole = KINDS[body.types[value]] != "f"
            value = body.apply("greater", value, body.literal(3 if whole else 0.75))
        keep = draws.chance(30)
        made = [body.reduce(body.reduction_for(value), value, self.reduced, keep)]
        for _ in range(draws.weighted({0: 62, 1: 26, 2: 12})):
            same = draws.chance(60)
            made.append(body.reduce(body.reduction_for(value), value, self.reduced if same else self.draw_mask(), keep))
        self.out = [self.behind(value) for value in made]

    def behind(self, value):
        """Elementwise work on a reduction's result."""
        body = self.body
        if self.draws.chance(55):
            return value
        if KINDS[body.types[value]] in "biu":
            body.bounds[value] = (0, 1)  # far bounds fit nowhere: what follows squashes it
            value = body.cast(value, "float32")
        for op in ("tanh", "square") if self.draws.chance(50) else ("multiply", "arctan"):
            if OPERATIONS[op].arity == 2:
                value = body.apply(op, value, body.literal(0.5), checked=False)
            elif KINDS[body.types[value]] in OPERATIONS[op].kinds:
                value = body.apply(op, value, checked=False)
        return value

    def broadcast_back(self):
        """Reductions whose results meet the elements again."""
        draws, body = self.draws, self.body
        value = self.reduced_value()
        if KINDS[body.types[value]] == "c":
            value = body.apply("absolute", value, checked=False)
        elif KINDS[body.types[value]] != "f":
            value = body.cast(value, draws.pick(("float32", "float32", "float16", "float64")), checked=False)
        made = getattr(self, draws.pick(("softmax", "normalise", "centre", "scale", "other")))(value)
        self.out = [made] + ([value] if draws.chance(12) else [])

    def softmax(self, value):
        body = self.body
        top = body.reduce("max", value, self.reduced, True)
        apart = body.apply("subtract", value, top, checked=False)
        body.bounds[apart] = (-8, 0)
        power = body.apply("exp", apart)
        return body.apply("multiply", power, self.inverse(body.reduce("sum", power, self.reduced, True)), checked=False)

    def inverse(self, value):
        self.body.bounds[value] = (0.5, 2)  # whatever a sum is, it is positive
        return self.body.apply("reciprocal", value)

    def normalise(self, value):
        """To mean 0 and deviation 1."""
        body = self.body
        apart = body.apply("subtract", value, body.mean(value, self.reduced), checked=False)
        variance = body.mean(body.apply("square", apart, checked=False), self.reduced)
        raised = body.apply("add", variance, body.literal(0.25), checked=False)
        body.bounds[raised] = (0.25, 4)
        return body.apply("multiply", apart, body.apply("rsqrt", raised), checked=False)

    def centre(self, value):
        return self.body.apply("subtract", value, self.body.mean(value, self.reduced), checked=False)

    def scale(self, value):
        """By the largest magnitude."""
        body = self.body
        top = body.reduce("max", body.apply("absolute", value, checked=False), self.reduced, True)
        return body.apply("multiply", value, self.inverse(top), checked=False)

    def other(self, value):
        """A reduction of another operand, over any axes, meets this value."""
        body = self.body
        other = self.operand(layouts={kind: weight for kind, weight in self.layouts.items() if kind != "broadcast"})
        made = body.reduce(body.reduction_for(other), other, self.reduced, True)
        if body.types[made] == "bool":
            return body.apply("where", made, value, body.literal(0.5))
        return body.apply(self.draws.pick(("add", "multiply")), value, made, checked=False)

    def scan(self):
        """One or two scans, along any axes."""
        draws, body = self.draws, self.body
        value = self.reduced_value()
        axis = draws.below(self.rank)
        op = "cumsum" if draws.chance(80) or KINDS[body.types[value]] == "c" else "cumprod"
        made = body.scan(op, value, axis)
        if draws.chance(35) and KINDS[body.types[made]] == "f":
            made = body.apply(draws.pick(("tanh", "arctan")), made)
        self.out = [made]
        if draws.chance(20):
            self.out.append(body.scan("cumsum", value, draws.below(self.rank)))

    def stencil(self):
        """Shifted windows of one operand, combined."""
        draws, body = self.draws, self.body
        along = draws.between(1, (1 << min(self.rank, 3)) - 1)
        axes = axes_of(along)
        reach = draws.pick((1, 1, 2))
        self.extents = tuple(max(extent, 4 * reach) if axis in axes else extent
                             for axis, extent in enumerate(self.extents))
        source = self.operand(self.main_type, layouts={"contiguous": 60, "unaligned": 15, "permuted": 15, "window": 10})
        shape = tuple(extent - 2 * reach if axis in axes else extent for axis, extent in enumerate(self.extents))
        for shift in self.shifts(axes, reach):
            items = [window_item(shift.get(axis), reach) if axis in axes else "s:_:_:_" for axis in range(self.rank)]
            body.view(source, items, shape)
        body.hidden.add(source)
        steps = self.draw_steps() + len(body.loose())
        if draws.chance(30):
            self.operand(extents=shape)
        self.out = body.grow(steps, 1)

    def shifts(self, axes, reach):
        """The centre, and each neighbour along an axis."""
        distances = [sign * distance for distance in range(1, reach + 1) for sign in (-1, 1)]
        return [{}] + [{axis: shift} for axis in axes for shift in distances]

    def chain(self):
        """A reduction of reductions, with work between."""
        draws, body = self.draws, self.body
        value = self.reduced_value()
        first = body.reduce(body.reduction_for(value, ("sum", "max", "min", "any", "all")), value, self.reduced, False)
        body.bounds[first] = (0, 1)
        value = first
        if KINDS[body.types[value]] != "f":
            whole = KINDS[body.types[value]] != "c"
            value = body.cast(value, "float32") if whole else body.apply("absolute", value, checked=False)
        value = body.apply("tanh", value)
        rank = len(body.shapes[value])
        mask = draws.between(0, (1 << rank) - 1)
        self.out = [body.reduce(body.reduction_for(value), value, mask, draws.chance(30)) if mask else value]
        if draws.chance(30) and first not in self.out:
            self.out.append(first)


def window_item(shift, reach):
    """The slice of a window that is `reach` elements in from both ends, shifted."""
    first, last = reach + (shift or 0), -reach + (shift or 0)
    return f"s:{first}:{last if last else '_'}:_"


@dataclasses.dataclass(frozen=True)
class Placement:
    """How the axes of an operand lie in its storage."""
    order: tuple  # from the outermost axis of the storage to the innermost
    steps: tuple
    margins: tuple  # elements of the storage that it does not show
    absent: tuple = ()  # axes with strides of 0
    lead: int = 0


def place(kind, extents, how, name):
    """A layout: the storage has the operand's axes, each as long as its step and margin need."""
    present = [axis for axis in how.order if axis < len(extents) and axis not in how.absent]
    storage = tuple(how.margins[axis] + (extents[axis] - 1) * abs(how.steps[axis]) + 1 for axis in present)
    axes = []
    for axis, extent in enumerate(extents):
        if axis in how.absent:
            axes.append(Axis(None))
            continue
        step = how.steps[axis]
        start = how.margins[axis] // 2 + (0 if step > 0 else (extent - 1) * -step)
        axes.append(Axis(present.index(axis), start, step))
    return Layout(kind, tuple(extents), storage, tuple(axes), how.lead, name)


def work_of(program):
    """Instructions of one call, in those of float32."""
    total = 0.0
    for node, shape in zip(program.nodes, program.shapes):
        if node["k"] == "apply":
            single, double = OPERATIONS[node["op"]].instructions
            total += math.prod(shape) * (2 * double if SIZES[program.computed(node)] == 8 else single)
        elif node["k"] in ("reduce", "scan"):
            total += math.prod(program.shapes[node["a"][0]])
    return total
