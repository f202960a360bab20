#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/dsl/c/failures.hpp>

#include <cstddef>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

namespace sinter::inline v0::c {
namespace {

/// The texts that a thread has been given.
struct kept_texts {
  std::string message, text;
  bool has_message = true;  ///< false: there was no memory for it
};

constexpr const char* no_memory_for_message = "out of memory, also for the message";

sinter_status status_of(std::string& message) {
  const auto say = [&](const std::exception& thrown, sinter_status status) {
    message += thrown.what();
    return status;
  };
  try {
    throw;
  } catch (const invalid_argument& thrown) {
    return say(thrown, sinter_invalid_argument);
  } catch (const shape_error& thrown) {
    return say(thrown, sinter_shape_error);
  } catch (const type_error& thrown) {
    return say(thrown, sinter_type_error);
  } catch (const device_error& thrown) {
    return say(thrown, sinter_device_error);
  } catch (const cache_error& thrown) {
    return say(thrown, sinter_cache_error);
  } catch (const out_of_memory& thrown) {
    return say(thrown, sinter_out_of_memory);
  } catch (const compile_error& thrown) {
    return say(thrown, sinter_compile_error);
  } catch (const execution_error& thrown) {
    return say(thrown, sinter_execution_error);
  } catch (const std::bad_alloc&) {
    message += "the host has no more memory";
    return sinter_out_of_memory;
  } catch (const std::exception& thrown) {
    return say(thrown, sinter_other_error);
  } catch (...) {
    message += "an exception that is no std::exception";
    return sinter_other_error;
  }
}

}  // namespace

sinter_status note_failure(const char* function) noexcept {
  try {
    std::string message = std::string(function) + ": ";
    const sinter_status status = status_of(message);
    kept_texts& kept = thread_memory<kept_texts>::get();
    kept.message = std::move(message);
    kept.has_message = true;
    return status;
  } catch (...) {
    if (kept_texts* const kept = thread_memory<kept_texts>::find()) kept->has_message = false;
    return sinter_out_of_memory;
  }
}

const char* keep_text(std::string text) {
  std::string& kept = thread_memory<kept_texts>::get().text;
  kept = std::move(text);
  return kept.c_str();
}

void throw_null(const char* what) { throw invalid_argument(std::string(what) + " is a null pointer"); }

}  // namespace sinter::inline v0::c

using namespace sinter;

const char* sinter_last_message() {
  const c::kept_texts* const kept = thread_memory<c::kept_texts>::find();
  if (kept == nullptr) return "";
  return kept->has_message ? kept->message.c_str() : c::no_memory_for_message;
}

const char* sinter_status_name(sinter_status status) {
  static constexpr const char* names[] = {"ok",
                                          "shape_error",
                                          "type_error",
                                          "device_error",
                                          "cache_error",
                                          "out_of_memory",
                                          "compile_error",
                                          "execution_error",
                                          "invalid_argument",
                                          "other_error"};
  static_assert(std::size(names) == sinter_other_error + 1);
  const bool is_status = status >= 0 && static_cast<std::size_t>(status) < std::size(names);
  return is_status ? names[status] : "unknown";
}
