#include <cstdint>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/runtime/dispatch/workspace.hpp>
#include <sinter/runtime/order/captured_memory.hpp>

namespace sinter::inline v0::runtime {

void workspace_memory::take(const call_request& request, const stream& on, std::size_t bytes,
                            std::span<std::byte> given) {
  // A workspace that starts between multiples of 256 loses its first bytes.
  constexpr std::uintptr_t alignment = 256;
  const auto begin = reinterpret_cast<std::uintptr_t>(given.data());
  const std::size_t skip = round_up(begin, alignment) - begin;
  if (given.size() >= bytes + skip) {
    data_ = given.data() + skip;
    return;
  }
  allocated_ = memory_for_call(request.where, bytes, on, request.memory);
  data_ = static_cast<std::byte*>(allocated_.data());
}

}  // namespace sinter::inline v0::runtime
