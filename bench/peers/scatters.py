"""The workloads of bench/scatters, as run(name, least bytes, inputs, torch, cupy, jax, numpy) lines for peers.py --extra.
Sizes are those of bench/scatters/scatters.cpp for the device."""
ELEMENTS = 2 ** 28 if dev == "cuda" else 2 ** 24
UPDATES = ELEMENTS // 4


def drawn_indices(how, count, extent):
    import numpy
    draw = numpy.random.default_rng(7)
    u = draw.random(count)
    at = numpy.exp(u * numpy.log(extent)) - 1 if how == "zipf" else u * extent
    at = numpy.full(count, extent // 2) if how == "equal" else at
    at = numpy.minimum(at, extent - 1).astype(numpy.int64)
    return numpy.sort(at) if how == "sorted" else at


def run_histogram(bins, how):
    def make():
        x = R(ELEMENTS)
        if how == "constant":
            x = x * 0 + 0.3
        return [x]
    run(f"histogram_{bins}_{how}", 4 * ELEMENTS, make, lambda x: torch.histc(x, bins, 0.0, 1.0),
        cp and (lambda x: cp.histogram(x, bins, (0.0, 1.0))[0]), jax and (lambda x: jnp.histogram(x, bins, (0.0, 1.0))[0]),
        np and (lambda x: np.histogram(x, bins, (0.0, 1.0))[0]))


def deterministic(call):
    def of(*operands):
        torch.use_deterministic_algorithms(True)
        try:
            return call(*operands)
        finally:
            torch.use_deterministic_algorithms(False)
    return of


def run_sums(extent, how):
    def make():
        indices = drawn_indices(how, UPDATES, extent)
        return [R(extent), torch.from_numpy(indices).to(dev) if torch else indices, R(UPDATES)]
    add = lambda base, i, v: base.index_add(0, i, v)
    for name, call in ((f"sums_{extent}_{how}", add), (f"sums_{extent}_{how}_deterministic", deterministic(add))):
        run(name, UPDATES * 12, make, call, None, jax and (lambda base, i, v: base.at[i].add(v)) if call is add else None,
            None)


for bins in (2 ** 8, 2 ** 12, 2 ** 20):
    for how in ("uniform", "constant"):
        run_histogram(bins, how)
for extent in (2 ** 8, 2 ** 20):
    for how in ("uniform", "sorted", "zipf", "equal"):
        run_sums(extent, how)
