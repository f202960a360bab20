#pragma once
// The order of a program's own work on a GPU and the library's.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/record_handle.hpp>
#include <sinter/runtime/stream.hpp>

namespace sinter::inline v0::runtime {

/// Notes that a program's own work, queued on the stream before, reads or writes the allocation. If the
/// stream is being captured, its graph keeps the memory. Does nothing without a record.
SINTER_API void note_use(allocation_record* record, bool writes, const stream& on);

/// Makes the stream wait for the work that reading or writing the allocation must come after. Throws
/// device_error if the stream, or one that it would wait for, is being captured.
SINTER_API void wait_for_use(allocation_record* record, bool writes, const stream& on);

}  // namespace sinter::inline v0::runtime
