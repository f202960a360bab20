#pragma once
// The order of a program's own work on a GPU and the library's.
//
// Threads: any thread may call these at any time.
// Throws: device_error where a stream is captured and cannot wait, or the driver refuses; take_back() throws
// nothing.
// After a failure: no use is noted; waits that were queued stay, and cost order alone.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/record_handle.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstdint>

namespace sinter::inline v0::runtime {

/// Notes that a program's own work, queued on the stream before, reads or writes the allocation. If the
/// stream is being captured, its graph keeps the memory. Does nothing without a record.
SINTER_API void note_use(allocation_record* record, bool writes, const stream& on);

/// Makes the stream wait for the work that reading or writing the allocation must come after. Throws
/// device_error if the stream, or one that it would wait for, is being captured.
SINTER_API void wait_for_use(allocation_record* record, bool writes, const stream& on);

/// Another library's stream that goes on to use memory which was handed to it, as a number; 0 for none. Makes
/// the stream wait for the work that uses the memory now.
SINTER_API std::uint64_t hand_over(allocation_record* record, const stream* consumer);
/// Notes that all work on the consumer's stream so far may use the memory, if the stream still exists.
SINTER_API void take_back(allocation_record* record, std::uint64_t consumer) noexcept;

}  // namespace sinter::inline v0::runtime
