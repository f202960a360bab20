#include <sinter/codegen/graph/describe.hpp>
#include <sinter/dsl/detail/layout.hpp>
#include <sinter/dsl/scatters/exact_length.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace sinter::inline v0::detail {
namespace {

std::string advice(const call_site& site) {
  const std::string name = site.name == nullptr ? "the function" : site.name;
  return "the length of what " + name +
         " gives here is known to the host when the work is done, which no capture into a CUDA graph lets it "
         "wait for: call " +
         name + " inside fuse, where it gives as many elements as its operand has, and their number";
}

/// Throws where the default stream takes part in a capture, before anything is queued that would break it.
void check_not_captured(const call_site& site, device where) {
  if (where.is_cpu() || runtime::timeline_of(stream::default_of(where)).capture() == 0) return;
  const std::string name = site.name == nullptr ? "" : site.name;
  throw device_error(name + describe(site.defined_at) + ": " + advice(site));
}

copied_bytes bytes_of(const buffer& memory) { return {memory.data(), memory.where(), memory.record()}; }

/// The first `count` elements of an array of one axis, in memory of their own unless these are all.
runtime::result first_elements(runtime::result&& all, std::int64_t count) {
  if (count == all.extents[0]) return std::move(all);
  runtime::result made;
  made.type = all.type;
  made.rank = 1;
  made.extents[0] = count;
  const device where = all.storage.where();
  const std::size_t bytes = checked_bytes(all.type, made.extents, 1);
  made.storage = buffer(where, bytes, stream::default_of(where));
  copy_elements(bytes_of(made.storage), bytes_of(all.storage), bytes);
  return made;
}

}  // namespace

runtime::result run_exactly(const call_site& site) {
  check_not_captured(site, site.operands.empty() ? device::current_default() : site.operands.front().where);
  runtime::result made[2];
  std::int64_t count = 0;
  try {
    run(site, {}, made);
    copy_elements({&count, device::cpu()}, bytes_of(made[1].storage), sizeof count);
  } catch (const device_error& failure) {
    throw device_error(failure.what() + std::string("; while a stream is being captured: ") + advice(site));
  }
  return first_elements(std::move(made[0]), std::clamp<std::int64_t>(count, 0, made[0].extents[0]));
}

}  // namespace sinter::inline v0::detail
