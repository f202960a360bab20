"""The operations that programs are drawn from: what the generator, the roofline and the peers need of each.

`range` bounds the results by the operands' bounds, or is None where an operation would leave the range in which every
implementation takes the same path. `instructions` are the fewest instructions for an element known for float32 and for
float64 or integers, `special` how many of them are of a GPU's unit for approximations; a lower bound, as a roofline is.
"""
import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Operation:
    group: str
    arity: int
    kinds: str  # of the type in which it computes
    result: str  # "same", "bool", "part"
    range: object
    torch: str
    jax: str
    instructions: tuple = (1, 1)
    special: int = 0


def corners(combine):
    def bounds(a, b):
        values = [combine(x, y) for x in a for y in b]
        return min(values), max(values)
    return bounds


def rising(function, low=-math.inf, high=math.inf):
    """The range of a function that never falls, between `low` and `high`."""
    def bounds(a):
        return (function(a[0]), function(a[1])) if low <= a[0] and a[1] <= high else None
    return bounds


def within(low, high, least=-math.inf, most=math.inf):
    """A fixed range, of operands between `least` and `most`."""
    def bounds(a, *_):
        return (low, high) if least <= a[0] and a[1] <= most else None
    return bounds


def magnitude(a):
    return (0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))), max(abs(a[0]), abs(a[1]))


def squared(a):
    low, high = magnitude(a)
    return low * low, high * high


def quotient(a, b):
    return corners(lambda x, y: x / y)(a, b) if b[0] >= 0.25 else None


def inverse(a):
    return (1 / a[1], 1 / a[0]) if a[0] >= 0.25 else None


def inverse_root(a):
    return (a[1] ** -0.5, a[0] ** -0.5) if a[0] >= 0.0625 else None


def power(a, b):
    return corners(lambda x, y: x ** y)(a, b) if a[0] >= 0.25 and a[1] <= 16 and -4 <= b[0] and b[1] <= 4 else None


def divided(a, b):
    return corners(lambda x, y: x // y)(a, b) if a[0] >= 0 and b[0] >= 1 else None


def rest(a, b):
    return (0, b[1]) if a[0] >= 0 and b[0] >= 1 else None


def masked(a, b):
    """And, or and xor of numbers that are not negative stay below the next power of two."""
    return (0, 2 ** math.ceil(math.log2(max(a[1], b[1]) + 1)) - 1) if a[0] >= 0 and b[0] >= 0 else None


def shifted(a, b):
    return (0, a[1] * 2 ** b[1]) if a[0] >= 0 and b[0] >= 0 and b[1] <= 6 else None


def comparison(sign):
    return Operation("comparison", 2, "biuf", "bool", within(0, 1), f"{{0}} {sign} {{1}}", f"{{0}} {sign} {{1}}")


def function(bounds, torch, jax, instructions, special=1, group="function"):
    return Operation(group, 1, "f", "same", bounds, f"torch.{torch}({{0}})", f"{jax}({{0}})", instructions, special)


def rounding(name, python):
    return Operation("rounding", 1, "f", "same", rising(python),
                     f"torch.{'round' if name == 'rint' else name}({{0}})", f"jnp.{name}({{0}})")


def logical(name):
    return Operation("logic", 2, "b", "bool", within(0, 1), f"torch.{name}({{0}}, {{1}})", f"jnp.{name}({{0}}, {{1}})")


OPERATIONS = {
    "add": Operation("arithmetic", 2, "iufc", "same", corners(lambda x, y: x + y), "{0} + {1}", "{0} + {1}"),
    "subtract": Operation("arithmetic", 2, "iufc", "same", corners(lambda x, y: x - y), "{0} - {1}", "{0} - {1}"),
    "multiply": Operation("arithmetic", 2, "iufc", "same", corners(lambda x, y: x * y), "{0} * {1}", "{0} * {1}"),
    "maximum": Operation("arithmetic", 2, "iuf", "same", corners(max), "torch.maximum({0}, {1})",
                         "jnp.maximum({0}, {1})"),
    "minimum": Operation("arithmetic", 2, "iuf", "same", corners(min), "torch.minimum({0}, {1})",
                         "jnp.minimum({0}, {1})"),
    "negative": Operation("arithmetic", 1, "ifc", "same", lambda a: (-a[1], -a[0]), "-{0}", "-{0}"),
    "absolute": Operation("arithmetic", 1, "ifc", "part", magnitude, "torch.abs({0})", "jnp.abs({0})"),
    "square": Operation("arithmetic", 1, "iufc", "same", squared, "{0} * {0}", "{0} * {0}"),
    "real": Operation("parts", 1, "c", "part", lambda a: a, "torch.real({0})", "jnp.real({0})", (0, 0)),
    "imag": Operation("parts", 1, "c", "part", lambda a: a, "torch.imag({0})", "jnp.imag({0})", (0, 0)),
    "conj": Operation("parts", 1, "c", "same", lambda a: a, "torch.conj({0})", "jnp.conj({0})"),
    "true_divide": Operation("division", 2, "f", "same", quotient, "{0} / {1}", "{0} / {1}", (8, 10), 1),
    "reciprocal": function(inverse, "reciprocal", "jnp.reciprocal", (6, 8), group="division"),
    "sqrt": function(rising(lambda x: math.sqrt(max(0, x)), 0), "sqrt", "jnp.sqrt", (6, 10), group="division"),
    "rsqrt": function(inverse_root, "rsqrt", "jax.lax.rsqrt", (3, 12), group="division"),
    "where": Operation("choice", 3, "biufc", "same", None, "torch.where({0}, {1}, {2})", "jnp.where({0}, {1}, {2})"),
    "clip": Operation("choice", 3, "iuf", "same", None, "torch.minimum(torch.maximum({0}, {1}), {2})",
                      "jnp.minimum(jnp.maximum({0}, {1}), {2})", (2, 2)),
    "less": comparison("<"), "less_equal": comparison("<="), "greater": comparison(">"),
    "greater_equal": comparison(">="), "equal": comparison("=="), "not_equal": comparison("!="),
    "logical_and": logical("logical_and"), "logical_or": logical("logical_or"), "logical_xor": logical("logical_xor"),
    "logical_not": Operation("logic", 1, "b", "bool", within(0, 1), "torch.logical_not({0})", "jnp.logical_not({0})"),
    "bitwise_and": Operation("bits", 2, "iu", "same", masked, "{0} & {1}", "{0} & {1}"),
    "bitwise_or": Operation("bits", 2, "iu", "same", masked, "{0} | {1}", "{0} | {1}"),
    "bitwise_xor": Operation("bits", 2, "iu", "same", masked, "{0} ^ {1}", "{0} ^ {1}"),
    "left_shift": Operation("bits", 2, "iu", "same", shifted, "{0} << {1}", "{0} << {1}"),
    "right_shift": Operation("bits", 2, "iu", "same", lambda a, b: (0, a[1]) if a[0] >= 0 and b[0] >= 0 else None,
                             "{0} >> {1}", "{0} >> {1}"),
    "floor_divide": Operation("modulo", 2, "iu", "same", divided, "torch.div({0}, {1}, rounding_mode='floor')",
                              "{0} // {1}", (12, 20)),
    "remainder": Operation("modulo", 2, "iu", "same", rest, "torch.remainder({0}, {1})", "jnp.remainder({0}, {1})",
                           (14, 22)),
    "exp": function(rising(math.exp, -16, 8), "exp", "jnp.exp", (4, 16)),
    "exp2": function(rising(lambda x: 2.0 ** x, -16, 10), "exp2", "jnp.exp2", (2, 14)),
    "expm1": function(rising(math.expm1, -16, 8), "expm1", "jnp.expm1", (10, 20)),
    "log": function(rising(math.log, 2.0 ** -6), "log", "jnp.log", (8, 20)),
    "log2": function(rising(math.log2, 2.0 ** -6), "log2", "jnp.log2", (6, 20)),
    "log1p": function(rising(math.log1p, -0.5), "log1p", "jnp.log1p", (10, 22)),
    "sin": function(within(-1, 1, -512, 512), "sin", "jnp.sin", (12, 20), 0),
    "cos": function(within(-1, 1, -512, 512), "cos", "jnp.cos", (12, 20), 0),
    "tanh": function(rising(math.tanh), "tanh", "jnp.tanh", (8, 20)),
    "arctan": function(rising(math.atan), "arctan", "jnp.arctan", (10, 20)),
    "erf": function(rising(math.erf), "erf", "jax.scipy.special.erf", (10, 24)),
    "expit": function(rising(lambda x: 1 / (1 + math.exp(-min(max(x, -700), 700)))), "sigmoid", "jax.nn.sigmoid",
                      (10, 24), 2),
    "power": Operation("function", 2, "f", "same", power, "torch.pow({0}, {1})", "jnp.power({0}, {1})", (14, 40), 2),
    "arctan2": Operation("function", 2, "f", "same", within(-3.15, 3.15), "torch.atan2({0}, {1})",
                         "jnp.arctan2({0}, {1})", (16, 30), 1),
    "floor": rounding("floor", math.floor), "ceil": rounding("ceil", math.ceil), "trunc": rounding("trunc", math.trunc),
    "rint": rounding("rint", round),
}

# Reductions of values of these kinds, as expressions over {0}, the axes {axes} and whether they stay {keep}.
REDUCTIONS = {
    "sum": ("biufc", "torch.sum({0}, {axes}, {keep}, dtype={type})",
            "jnp.sum({0}, {axes}, dtype={type}, keepdims={keep})"),
    "prod": ("biuf", "product({0}, {axes}, {keep}, {type})", "jnp.prod({0}, {axes}, dtype={type}, keepdims={keep})"),
    "max": ("iuf", "torch.amax({0}, {axes}, {keep})", "jnp.max({0}, {axes}, keepdims={keep})"),
    "min": ("iuf", "torch.amin({0}, {axes}, {keep})", "jnp.min({0}, {axes}, keepdims={keep})"),
    "any": ("b", "torch.any({0}, {axes}, {keep})", "jnp.any({0}, {axes}, keepdims={keep})"),
    "all": ("b", "torch.all({0}, {axes}, {keep})", "jnp.all({0}, {axes}, keepdims={keep})"),
    "argmax": ("iuf", "place(torch.argmax, {0}, {axes}, {keep})", "place(jnp.argmax, {0}, {axes}, {keep})"),
    "argmin": ("iuf", "place(torch.argmin, {0}, {axes}, {keep})", "place(jnp.argmin, {0}, {axes}, {keep})"),
}
SCANS = {"cumsum": ("torch.cumsum({0}, {axis}, dtype={type})", "jnp.cumsum({0}, {axis}, dtype={type})"),
         "cumprod": ("torch.cumprod({0}, {axis}, dtype={type})", "jnp.cumprod({0}, {axis}, dtype={type})")}

# How often a step of a body is of which group.
FLAVOURS = {
    "plain": {"arithmetic": 70, "choice": 12, "division": 6, "rounding": 3, "function": 3, "cast": 4, "parts": 2},
    "functions": {"arithmetic": 42, "function": 34, "division": 12, "choice": 8, "cast": 4},
    "choices": {"arithmetic": 40, "choice": 26, "comparison": 12, "logic": 10, "rounding": 6, "cast": 6},
    "integers": {"arithmetic": 44, "bits": 28, "modulo": 6, "choice": 12, "comparison": 4, "cast": 6},
}
BY_GROUP = {group: [name for name, row in OPERATIONS.items() if row.group == group]
            for group in dict.fromkeys(row.group for row in OPERATIONS.values())}
