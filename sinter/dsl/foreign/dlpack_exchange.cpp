#include <sinter/dsl/foreign/dlpack_exchange_errors.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::detail {
namespace {

// A function, because a static string would be destroyed with the process.
std::string table_name() { return "DLPack's exchange table: "; }

std::string returned(const char* function, int code) {
  return table_name() + function + " returned " + std::to_string(code);
}

}  // namespace

void throw_null_exchange() {
  throw type_error(table_name() + "the pointer to it is null: take it out of the capsule " +
                   "\"dlpack_exchange_api\" that the tensor's type has as __dlpack_c_exchange_api__");
}

void throw_exchange_version(std::uint32_t major, std::uint32_t minor) {
  throw type_error(table_name() + "it is of version " + std::to_string(major) + "." + std::to_string(minor) +
                   ", and none of the older tables behind it is of version 1.x, which Sinter speaks: use the "
                   "producer's __dlpack__(max_version=(1, 0)) and from_dlpack()");
}

void throw_missing_function(const char* function) {
  throw type_error(
      table_name() + function +
      " is a null pointer, which DLPack does not allow: report that to the producer, and use its "
      "__dlpack__ and from_dlpack() meanwhile");
}

void throw_lends_nothing() {
  throw type_error(
      table_name() +
      "dltensor_from_py_object_no_sync is a null pointer, as this producer lends no tensors: say "
      "take() instead of borrow()");
}

void throw_null_object(const char* function) {
  throw type_error(table_name() + function + " needs a Python object, and the pointer to it is null");
}

void throw_exchange_failure(const char* function, int code) {
  if (code == 0)
    throw error(table_name() + function +
                " returned 0 without a result: report that to the producer of the table");
  throw error(
      returned(function, code) +
      ": the producer has set a Python exception that says why: return to Python with it, or clear it");
}

void throw_stream_failure(int code, const device& where) {
  throw device_error(returned("current_work_stream", code) + " for CUDA device " +
                     std::to_string(where.index()) +
                     ": the producer has set a Python exception that says why: return to Python with it, or "
                     "clear it");
}

void allocation_failure::set(void* failure, const char* kind, const char* message) noexcept {
  try {
    auto& said = *static_cast<allocation_failure*>(failure);
    if (kind != nullptr) said.kind = kind;
    if (message != nullptr) said.message = message;
  } catch (...) {  // no memory for the text: the failure is reported without it
  }
}

void allocation_failure::raise(int code, std::size_t bytes) const {
  std::string text = returned("managed_tensor_allocator", code);
  if (!kind.empty()) text += ", " + kind;
  text += message.empty() ? ", and does not say why" : ": " + message;
  if (kind == "MemoryError") throw out_of_memory(text, bytes, 0);
  throw error(text);
}

}  // namespace sinter::inline v0::detail
