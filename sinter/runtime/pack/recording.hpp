#pragma once
// What a run needed, as data: a file to which a program appends every function and layout that it lowered.
// Packs are built from it (cache/pack_builder.hpp).

#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/kernel/recorded_call.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// From now on this process appends what it needs to this file; "" ends that. Without a call of this,
/// $SINTER_RECORD says where. A file that cannot be written is a warning, once, and never fails a call.
void record_to(const std::string& path);

namespace runtime {

/// A function, and a call of it; without a call any extents may be met.
struct recorded_request {
  graph content;
  std::optional<recorded_call> call;
};

/// A record of a recording: it tells its length, and whether it is whole.
std::string to_bytes(const recorded_request& request);

/// What a file of records holds, equal ones once. Whatever is no record (of a process that was killed, of
/// another version) is passed over and told in `faults`. Accepts any bytes at all.
struct recording_content {
  std::vector<recorded_request> requests;
  std::vector<std::string> faults;
};
void read_recording(std::string_view bytes, recording_content& to);
/// Of files, in their order. Throws device_error for one that cannot be read.
recording_content read_recordings(std::span<const std::string> paths);

/// Whether this process records.
bool is_recording() noexcept;
/// Appends a call that is lowered, unless this process did so before. Costs nothing on the hot path: plans
/// that were made are not lowered again.
void record_request(const graph& content, std::span<const array_layout> inputs,
                    std::span<const array_layout> outputs, std::span<const std::uint64_t> scalars,
                    target_kind ran_on, const schedule* forced) noexcept;

}  // namespace runtime
}  // namespace sinter
