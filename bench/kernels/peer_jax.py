"""JAX as a peer: jax.jit. It shows no events, so on a GPU its calls are queued and timed together, with warm caches."""
import os
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp

from kernel_text import load

jax.config.update("jax_enable_x64", True)  # 64-bit types exist


class Peer:
    version = "jax " + jax.__version__

    def __init__(self, device):
        if device == "cpu":
            jax.config.update("jax_platforms", "cpu")
        elif jax.default_backend() != "gpu":
            raise ImportError("JAX sees no CUDA device")
        self.cold = device == "cpu"
        self.other = jnp.ones((256 << 20) // 4, jnp.float32)
        self.read = jax.jit(jnp.sum)

    def array(self, buffer, kind):
        return jnp.asarray(buffer).astype(kind)

    def repeated(self, pattern, kind, count):
        return jnp.tile(self.array(pattern, kind), -(-count // len(pattern)))[:count]

    def numbers(self, result):
        import numpy
        return numpy.asarray(result)

    def compiled(self, text):
        return jax.jit(load(text))

    def wait(self):
        (jnp.zeros(()) + 0).block_until_ready()

    def sample(self, call, arrays):
        """Seconds of one call."""
        calls = 1
        if self.cold:
            self.read(self.other).block_until_ready()
        else:
            begin = time.perf_counter()
            jax.block_until_ready(call(*arrays))
            calls = max(1, min(200, int(1e-3 / (time.perf_counter() - begin))))
        begin = time.perf_counter()
        for _ in range(calls):
            made = call(*arrays)
        jax.block_until_ready(made)
        return (time.perf_counter() - begin) / calls

    def forget(self):
        jax.clear_caches()
