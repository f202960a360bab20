#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/handles.hpp>
#include <sinter/dsl/c/tensors.hpp>

using namespace sinter;
using c::checked;
using c::guarded;

namespace {
constexpr const char* the_stream = "the stream";
constexpr const char* the_result = "the pointer for the stream";
}  // namespace

sinter_status sinter_stream_create(sinter_device device, sinter_stream** stream) {
  return guarded("sinter_stream_create", [&] {
    sinter_stream*& result = checked(stream, the_result);
    result = new sinter_stream{sinter::stream::create(c::device_of(device))};
  });
}

sinter_status sinter_stream_borrow(sinter_device device, void* native, sinter_stream** stream) {
  return guarded("sinter_stream_borrow", [&] {
    sinter_stream*& result = checked(stream, the_result);
    const auto where = c::device_of(device);
    if (native != nullptr && where.is_cpu())
      throw device_error("the CPU has no native streams: pass a null pointer, or name the CUDA device");
    result = new sinter_stream{sinter::stream::from_native(where, native)};
  });
}

void sinter_stream_destroy(sinter_stream* stream) { delete stream; }

sinter_status sinter_stream_native(const sinter_stream* stream, void** native) {
  return guarded("sinter_stream_native", [&] {
    void* const handle = checked(stream, the_stream).queue.native();
    checked(native, "the pointer for the native stream") = handle;
  });
}

sinter_status sinter_stream_synchronize(const sinter_stream* stream) {
  return guarded("sinter_stream_synchronize", [&] { checked(stream, the_stream).queue.synchronize(); });
}

sinter_status sinter_stream_check(const sinter_stream* stream) {
  return guarded("sinter_stream_check", [&] { checked(stream, the_stream).queue.check(); });
}

sinter_status sinter_stream_forget(const sinter_stream* stream) {
  return guarded("sinter_stream_forget", [&] { forget(checked(stream, the_stream).queue); });
}

sinter_status sinter_synchronize(sinter_device device) {
  return guarded("sinter_synchronize", [&] { synchronize(c::device_of(device)); });
}
