"""Loads an extension whose operations are fused functions, and compares them with PyTorch's own.

    python3 torch_extension.py PATH_TO_THE_EXTENSION
"""

import sys

try:
    import torch
except ImportError as absent:
    print(f"skipped, without torch: {absent}")
    sys.exit()

torch.ops.load_library(sys.argv[1])
ops = torch.ops.sinter_example


def check(device):
    for dtype, tolerance in [(torch.float32, 1e-5), (torch.float64, 1e-12), (torch.bfloat16, 2e-2), (torch.float16, 2e-3)]:
        x = torch.linspace(-3, 5, 7 * 96, device=device).to(dtype).reshape(7, 96)
        weight = torch.linspace(0.5, 2, 96, device=device).to(dtype)
        expected = torch.nn.functional.rms_norm(x, (96,), weight, 1e-6)
        torch.testing.assert_close(ops.rms_norm(x, weight, 1e-6), expected, rtol=tolerance, atol=tolerance)
        # Strides are the tensor's own.
        turned = x.t().contiguous().t()
        torch.testing.assert_close(ops.rms_norm(turned, weight, 1e-6), expected, rtol=tolerance, atol=tolerance)
        torch.testing.assert_close(ops.rms_norm(x[::2, :48], weight[:48], 1e-6),
                                   torch.nn.functional.rms_norm(x[::2, :48], (48,), weight[:48], 1e-6),
                                   rtol=tolerance, atol=tolerance)

    a, b = torch.rand(20, 3, device=device), torch.rand(30, 3, device=device)
    found = ops.distances(a, b)
    del a, b  # the result has memory of its own
    assert found.shape == (20, 30) and found.device.type == device
    a, b = torch.rand(20, 3, device=device), torch.rand(30, 3, device=device)
    torch.testing.assert_close(ops.distances(a, b) * 2, 2 * torch.cdist(a, b))

    # Errors are exceptions of Python's, with the message.
    for call, words in [(lambda: ops.rms_norm(torch.zeros(2, 3, device=device), torch.zeros(4, device=device), 0.0), "cannot broadcast"),
                        (lambda: ops.rms_norm(torch.zeros(2, 3, dtype=torch.int32, device=device),
                                              torch.zeros(3, dtype=torch.int32, device=device), 0.0), "int32"),
                        (lambda: ops.distances(torch.zeros(3, device=device), torch.zeros(2, 3, device=device)), "as_view")]:
        try:
            call()
        except RuntimeError as caught:
            assert words in str(caught), caught
        else:
            raise AssertionError("no error")


check("cpu")
if torch.cuda.is_available():
    check("cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        check("cuda")
print(f"PyTorch {torch.__version__}: ok")
