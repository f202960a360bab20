#include "functions.hpp"

#include "errors.hpp"

namespace tensors {

tensor softmax(const tensor& rows, const queue& on) {
  static const auto of_rows = sinter::fuse("softmax", [](auto x) {
    auto e = exp(x - max(x, sinter::axis<1>, sinter::keepdims));
    return e / sum(e, sinter::axis<1>, sinter::keepdims);
  });
  try {
    return sinter::dispatch<float, double>(rows, [&]<class T>() {
      return tensor(of_rows.on(on.order()).memory(on.memory())(sinter::as_view<const T, 2>(rows)));
    });
  } catch (const sinter::error&) {
    rethrow();
  }
}

}  // namespace tensors
