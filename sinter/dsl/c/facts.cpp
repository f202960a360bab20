// The version, devices, and the names of types and operations.
#include <sinter/codegen/graph/operation.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/version.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

int32_t sinter_version() { return SINTER_VERSION; }
const char* sinter_version_text() { return SINTER_VERSION_TEXT; }

sinter_status sinter_cuda_device_count(int32_t* count) {
  return c::guarded("sinter_cuda_device_count", [&] {
    int32_t& result = c::checked(count, "count");
    const std::vector<device> all = devices();
    result = static_cast<int32_t>(
        std::count_if(all.begin(), all.end(), [](const device& each) { return each.is_cuda(); }));
  });
}

sinter_status sinter_cuda_absence_reason(const char** reason) {
  return c::guarded("sinter_cuda_absence_reason",
                    [&] { c::checked(reason, "reason") = c::keep_text(cuda_absence_reason()); });
}

// The tables' names are literals, so that a 0 follows them.

const char* sinter_element_type_name(sinter_element_type type) {
  const bool is_type = type >= 0 && static_cast<std::size_t>(type) < element_types.size();
  return is_type ? element_types[static_cast<std::size_t>(type)].name.data() : nullptr;
}

const char* sinter_operation_name(size_t index) {
  const std::span<const operation_facts> all = operations().subspan(structural_operations);
  return index < all.size() ? all[index].name.data() : nullptr;
}
