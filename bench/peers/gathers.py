"""The workloads of bench/gathers, as run(name, least bytes, inputs, torch, cupy, jax, numpy) lines for peers.py --extra.
Sizes are those of bench/gathers/gathers.cpp for the device."""
TABLE = 2 ** 26
ELEMENTS = 2 ** 26 if dev == "cuda" else 2 ** 23


def drawn_indices(how, count, extent):
    import numpy
    draw = numpy.random.default_rng(7)
    u = draw.random(count)
    at = numpy.exp(u * numpy.log(extent)) - 1 if how == "zipf" else u * extent
    at = numpy.full(count, extent // 2) if how == "equal" else at
    at = numpy.minimum(at, extent - 1).astype(numpy.int32)
    return numpy.sort(at) if how == "sorted" else at


def run_rows(width, count, how):
    extent = TABLE // width
    name = f"gather_{'elements' if width == 1 else f'rows_{4 * width}'}_{how}"

    def make():
        indices = drawn_indices(how, count, extent)
        return [R(extent, width), torch.from_numpy(indices).to(dev) if torch else indices]
    run(name, count * (4 + 8 * width), make, lambda table, i: table[i], cp and (lambda table, i: table[i]),
        jax and (lambda table, i: table.at[i].get(mode="promise_in_bounds")), np and (lambda table, i: table[i]))


for width in (32, 256):
    run_rows(width, ELEMENTS // width, "uniform")
for how in ("sorted", "zipf", "equal"):
    run_rows(32, ELEMENTS // 32, how)
for how in ("uniform", "sorted", "zipf", "equal"):
    run_rows(1, ELEMENTS // 4, how)
