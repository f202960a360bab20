#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/segment/workspace.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>

#include <algorithm>

namespace sinter::inline v0 {

void workspace::clear() {
  temporaries_.clear();
  spare_.clear();
  bytes_ = 0;
}

std::size_t workspace::take(std::size_t bytes) {
  const std::size_t offset = bytes_;
  bytes_ = sum_of_bytes(offset, round_up(bytes, max_alignment));
  return offset;
}

std::uint32_t workspace::add_temporary(std::size_t bytes) {
  const auto spare = std::ranges::find(spare_, bytes, &spare_memory::bytes);
  if (spare != spare_.end()) {
    temporaries_.push_back(spare->offset);
    spare_.erase(spare);
  } else {
    temporaries_.push_back(take(bytes));
  }
  return static_cast<std::uint32_t>(temporaries_.size() - 1);
}

void workspace::give_back(std::uint32_t temporary, std::size_t bytes) {
  spare_.push_back({temporaries_[temporary], bytes});
}

}  // namespace sinter::inline v0
