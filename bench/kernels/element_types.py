"""The element types as the generator needs them: sizes, kinds, and NumPy 2's promotion."""
SIZES = {"bool": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8,
         "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16}
KINDS = {name: "b" if name == "bool" else "f" if name == "bfloat16" else name[0] for name in SIZES}  # b i u f c
HALVES = ("float16", "bfloat16")

# What intermediate values stay below, so that nothing overflows on the way.
LARGEST = {"bool": 1, "int8": 100, "uint8": 200, "int16": 2 ** 14, "uint16": 2 ** 15, "float16": 2 ** 12}


def largest(name):
    return LARGEST.get(name, 2 ** 20)


def part(name):
    """The type of a complex number's parts; a real type is its own."""
    return {"complex64": "float32", "complex128": "float64"}.get(name, name)


def _float_that_holds(name):
    """The floating type that an integer type promotes to beside float16."""
    return {1: "float16", 2: "float32"}.get(SIZES[name], "float64")


def _two_integers(a, b):
    if KINDS[a] == KINDS[b]:
        return a if SIZES[a] >= SIZES[b] else b
    signed, other = (a, b) if KINDS[a] == "i" else (b, a)
    if SIZES[signed] > SIZES[other]:
        return signed
    return f"int{16 * SIZES[other]}" if SIZES[other] < 8 else "float64"


def _two_floats(a, b):
    if SIZES[a] == SIZES[b]:  # float16 and bfloat16 hold each other's values nowhere but in float32
        return a if a == b else "float32"
    return a if SIZES[a] > SIZES[b] else b


def promote(a, b):
    """The type in which both are computed."""
    kinds = {KINDS[a], KINDS[b]}
    if a == b or KINDS[b] == "b":
        return a
    if KINDS[a] == "b":
        return b
    if kinds <= {"i", "u"}:
        return _two_integers(a, b)
    if kinds & {"i", "u"}:
        whole, other = (a, b) if KINDS[a] in "iu" else (b, a)
        if other == "bfloat16" and SIZES[whole] == 1:
            return other
        return promote(_float_that_holds(whole), other)
    if "c" in kinds:
        return "complex128" if "float64" in (part(a), part(b)) else "complex64"
    return _two_floats(a, b)


def promote_with_literal(name, literal):
    """Beside a weak literal, "int64" or "float64"."""
    if literal == "float64" and KINDS[name] in "biu":
        return "float64"
    return "int64" if KINDS[name] == "b" else name


def common(operands):
    """The type in which operands meet; each is a type and whether it is that of a weak literal."""
    kind = None
    for name, weak in operands:
        if not weak:
            kind = name if kind is None else promote(kind, name)
    for name, weak in operands:
        if weak:
            kind = promote_with_literal(kind, name)
    return kind


def summed(name):
    """The type of a sum or product."""
    return {"b": "int64", "i": "int64", "u": "uint64"}.get(KINDS[name], name)
