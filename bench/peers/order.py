"""The workloads of bench/order, as run(name, least bytes, inputs, torch, cupy, jax, numpy) lines for peers.py --extra.
Sizes are those of bench/order/order.cpp for the device."""
LESS = 1 if dev == "cuda" else 16


def run_sort(name, count, length):
    run(f"sort_{name}", 8 * count * length, lambda: [R(count, length)], lambda x: torch.sort(x, 1)[0],
        cp and (lambda x: cp.sort(x, 1)), jax and (lambda x: jnp.sort(x, 1)), np and (lambda x: np.sort(x, 1)))


run_sort("row", 1, 2 ** 26 // LESS)
for count, length in ((2 ** 10, 2 ** 16), (2 ** 16, 2 ** 10), (2 ** 21, 32)):
    run_sort(f"rows_of_{length}", count // LESS, length)
