#include <sinter/codegen/schedule/choose/choose_reduction.hpp>
#include <sinter/codegen/schedule/choose/eviction.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>

namespace sinter::inline v0 {
namespace {

constexpr std::uint64_t normal_property = 0x10F0000000000000, first_property = 0x12F0000000000000,
                        last_property = 0x14F0000000000000;

std::int64_t bytes_written(const nest& body) {
  std::int64_t bytes = 0;
  for (const access& at : body.accesses) {
    if (at.what != access::kind::write) continue;
    std::int64_t elements = 1;
    for (unsigned axis = 0; axis < body.rank; ++axis)
      if (at.moves_along(axis)) elements *= body.extents[axis];
    bytes += elements * static_cast<std::int64_t>(size_of(at.type));
  }
  return bytes;
}

eviction choose_eviction(const nest& body, const schedule& chosen, std::int64_t bytes_moved,
                         const target_facts& target) {
  const gpu_eviction_thresholds& table = gpu_thresholds_of(target).eviction;
  if (bytes_moved / table.min_traffic < static_cast<std::int64_t>(target.cache_bytes))
    return eviction::normal;
  const bool writes = body.reduced == 0 || stores_each_element(body);
  const bool reads_again = body.reduced != 0 && loops_of(body) > 1 && !chosen.resident;
  if (writes || reads_again) return eviction::last;
  return bytes_moved / table.reads_of_a_write > bytes_written(body) ? eviction::first : eviction::normal;
}

/// Whether results bypass the CPU's caches, because these cannot hold what the nest moves. A shape-generic
/// kernel stores single elements, which gain nothing from it.
bool is_streamed(const nest& body, const schedule& chosen, std::int64_t bytes_moved,
                 const target_facts& target) {
  return !body.shape_generic && bytes_moved > static_cast<std::int64_t>(target.cache_bytes) &&
         (body.reduced == 0 || streams_results(body, chosen));
}

}  // namespace

void choose_cache_use(const nest& body, std::int64_t bytes_moved, const target_facts& target,
                      schedule& chosen) {
  if (is_gpu(target.kind))
    chosen.reads = choose_eviction(body, chosen, bytes_moved, target);
  else
    chosen.streaming = is_streamed(body, chosen, bytes_moved, target);
}

std::uint64_t access_property(eviction reads, bool once) {
  switch (reads) {
    case eviction::normal:
      return normal_property;
    case eviction::last:
      return last_property;
    case eviction::first:
      return once ? first_property : normal_property;
  }
  return normal_property;
}

}  // namespace sinter::inline v0
