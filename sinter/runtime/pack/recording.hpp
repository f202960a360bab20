#pragma once
// Recordings: a file to which a program appends every function and layout that it lowers. Packs are built
// from it (pack/pack_builder.hpp).

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/kernel/recorded_call.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0 {

/// Records what this process lowers to this file from now on; "" stops recording. Without a call of this,
/// $SINTER_RECORD names the file. A file that cannot be written causes one warning, and never fails a call.
SINTER_API void record_to(const std::string& path);

namespace runtime {

/// A function, and a call of it; without a call it stands for any extents.
struct recorded_request {
  graph content;
  std::optional<recorded_call> call;
};

/// A record of a recording; it contains its length and a checksum.
SINTER_API std::string to_bytes(const recorded_request& request);

/// The records of a file, without duplicates. Anything else (from a killed process, or another version) is
/// skipped and reported in `faults`. Safe for arbitrary bytes.
struct recording_content {
  std::vector<recorded_request> requests;
  std::vector<std::string> faults;
};
SINTER_API void read_recording(std::string_view bytes, recording_content& to);
/// Reads files in order. Throws device_error for one that cannot be read.
SINTER_API recording_content read_recordings(std::span<const std::string> paths);

/// Whether this process records.
SINTER_API bool is_recording() noexcept;
/// Appends a call that is lowered, unless this process has recorded it before. Costs nothing on the hot path:
/// calls with a plan are not lowered again.
SINTER_API void record_request(const graph& content, std::span<const array_layout> inputs,
                               std::span<const array_layout> outputs, std::span<const std::uint64_t> scalars,
                               target_kind ran_on, const schedule* forced) noexcept;

}  // namespace runtime
}  // namespace sinter::inline v0
