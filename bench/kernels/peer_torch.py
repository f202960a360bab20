"""PyTorch as a peer: torch.compile with max-autotune, without CUDA graphs, whose replay would first copy the inputs."""
import time

import torch

from kernel_text import load

# Bytes that are read so that nothing else stays in the caches; on a GPU for so long that a call is queued meanwhile.
CACHE = {"cuda": 1 << 30, "cpu": 256 << 20}


class Peer:
    version = "torch " + torch.__version__
    cold = True

    def __init__(self, device):
        self.device = device
        if device == "cuda" and not torch.cuda.is_available():
            raise ImportError("PyTorch sees no CUDA device")
        self.other = torch.ones(CACHE[device] // 4, dtype=torch.float32, device=device)

    def array(self, buffer, kind):
        """NumPy's array on the device, as a type that NumPy may not have."""
        if buffer.dtype.name == "bfloat16":
            buffer = buffer.astype("float32")
        return torch.from_numpy(buffer.copy()).to(self.device).to(getattr(torch, kind))

    def repeated(self, pattern, kind, count):
        drawn = self.array(pattern, kind)
        return drawn.repeat(-(-count // len(drawn)))[:count].clone()

    def numbers(self, result):
        result = result.cpu()
        if result.dtype == torch.bfloat16:
            import ml_dtypes
            return result.float().numpy().astype(ml_dtypes.bfloat16)
        return result.resolve_conj().numpy()

    def compiled(self, text):
        torch._dynamo.reset()
        return torch.compile(load(text), dynamic=False, mode="max-autotune-no-cudagraphs")

    def wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def sample(self, call, arrays):
        """Seconds of one call that finds the caches cold."""
        self.other.sum()
        if self.device == "cpu":
            begin = time.perf_counter()
            call(*arrays)
            return time.perf_counter() - begin
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call(*arrays)
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def forget(self):
        if self.device == "cuda":
            torch.cuda.empty_cache()
