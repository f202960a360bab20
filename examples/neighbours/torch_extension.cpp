// An extension of PyTorch whose operations are fused functions, through PyTorch's stable ABI: built once, it
// is loaded by later versions of PyTorch with torch.ops.load_library. torch_extension.py compares the
// operations with PyTorch's own.
#include <sinter/torch.hpp>

#include <torch/csrc/stable/library.h>

#include <utility>

namespace {

using sinter::as_view, sinter::axis, sinter::keepdims;
using torch::stable::Tensor;

const auto normalised = sinter::fuse("rms_norm", [](auto x, auto weight, auto epsilon) {
  return x / sqrt(mean(x * x, axis<-1>, keepdims) + epsilon) * weight;
});
const auto distance_matrix = sinter::fuse("distances", [](auto a, auto b) {
  const auto d = a(sinter::all(), sinter::newaxis, sinter::all()) - b;
  return sqrt(sum(d * d, axis<-1>));
});

/// Into a tensor of PyTorch's.
Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon) {
  Tensor result = torch::stable::empty_like(x);
  sinter::dispatch<float, double, sinter::float16, sinter::bfloat16>(x, [&]<class T>() {
    normalised.on(sinter::torch_stream(x))
        .into(as_view<T, 2>(result))(as_view<const T, 2>(x), as_view<const T, 1>(weight), epsilon);
  });
  return result;
}

/// A result of Sinter's, given to PyTorch.
Tensor distances(const Tensor& a, const Tensor& b) {
  const sinter::stream order = sinter::torch_stream(a);
  return sinter::dispatch<float, double>(a, [&]<class T>() {
    return sinter::to_torch(distance_matrix.on(order)(as_view<const T, 2>(a), as_view<const T, 2>(b)), order);
  });
}

}  // namespace

STABLE_TORCH_LIBRARY(sinter_example, library) {
  library.def("rms_norm(Tensor x, Tensor weight, float epsilon) -> Tensor");
  library.def("distances(Tensor a, Tensor b) -> Tensor");
}
STABLE_TORCH_LIBRARY_IMPL(sinter_example, CPU, library) {
  library.impl("rms_norm", TORCH_BOX(&rms_norm));
  library.impl("distances", TORCH_BOX(&distances));
}
STABLE_TORCH_LIBRARY_IMPL(sinter_example, CUDA, library) {
  library.impl("rms_norm", TORCH_BOX(&rms_norm));
  library.impl("distances", TORCH_BOX(&distances));
}
