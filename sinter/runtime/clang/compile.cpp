// The C interface: checks the request, runs both stages, returns the result in memory from malloc.
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "clang_frontend.hpp"
#include "cpu_compiler.h"
#include "host_cpu.hpp"
#include "lld_link.hpp"
#include "recovery.hpp"
#include "support_object.hpp"
#include "user_headers.hpp"

namespace {

using namespace sinter::cpu_compiler;

compile_job make_job(const sinter_cpu_compile_request& request) {
  compile_job job;
  job.source = {request.source, request.source_size};
  job.source_name = request.source_name != nullptr ? request.source_name : "kernel.cpp";
  job.target_cpu = request.target_cpu != nullptr ? request.target_cpu : host().cpu;
  // The features of this machine apply only to its own CPU name: another name implies its own.
  if (request.target_features != nullptr) {
    job.target_features = request.target_features;
  } else if (request.target_cpu == nullptr) {
    job.target_features = host().features;
  }
  job.assembly = request.assembly != 0;
  for (size_t i = 0; i < request.option_count; ++i) job.options.emplace_back(request.options[i]);
  for (size_t i = 0; i < request.linked_count; ++i) {
    const sinter_cpu_linked_code& code = request.linked[i];
    job.linked.push_back({{static_cast<const char*>(code.bytes), code.size},
                          code.name != nullptr ? code.name : "linked.cpp",
                          code.is_text != 0});
  }
  return job;
}

// Compiles text to a shared object, or to assembly if the job requests it; returns the status. Runs inside
// run_guarded.
int compile_and_link(const compile_job& job, llvm::SmallVector<char, 0>& shared_object, std::string& log) {
  llvm::SmallVector<char, 0> object;
  if (!compile_to_object(job, object, log)) return SINTER_CPU_COMPILER_COMPILE_ERROR;
  if (job.assembly) {
    shared_object = std::move(object);
    return SINTER_CPU_COMPILER_OK;
  }
  const llvm::StringRef object_bytes(object.data(), object.size());

  std::vector<shared_bytes> support;
  if (!support_objects(undefined_symbols(object_bytes), support, log)) return SINTER_CPU_COMPILER_FATAL_ERROR;
  switch (link_shared_object(object_bytes, support, job.source_name, shared_object, log)) {
    case link_outcome::linked:
      return SINTER_CPU_COMPILER_OK;
    case link_outcome::failed:
      return SINTER_CPU_COMPILER_LINK_ERROR;
    case link_outcome::fatal:
      break;
  }
  return SINTER_CPU_COMPILER_FATAL_ERROR;
}

char* copy_of(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

bool speaks(unsigned abi_version, sinter_cpu_compile_result& result) {
  if (abi_version == SINTER_CPU_COMPILER_ABI) return true;
  result.log =
      copy_of("this compiler library speaks interface version " + std::to_string(SINTER_CPU_COMPILER_ABI) +
              ", the request version " + std::to_string(abi_version) + "\n");
  return false;
}

// Returns a stage's output and status in memory from malloc.
void hand_over(int status, const std::string& log, const char* bytes, std::size_t size,
               sinter_cpu_compile_result& result) {
  result.log = copy_of(log);
  if (status == SINTER_CPU_COMPILER_OK) {
    result.object = std::malloc(size != 0 ? size : 1);
    if (result.object == nullptr) return;
    std::memcpy(result.object, bytes, size);
    result.object_size = size;
  }
  result.status = status;
}

void run_expansion(const sinter_cpu_expand_request& request, sinter_cpu_compile_result& result) {
  if (!speaks(request.abi_version, result)) return;
  expand_job job;
  job.source = {request.source, request.source_size};
  job.source_name = request.source_name != nullptr ? request.source_name : "text.cpp";
  job.folders.assign(request.folders, request.folders + request.folder_count);
  job.macros.assign(request.macros, request.macros + request.macro_count);
  std::string expanded, log, reason;
  bool done = false;
  int status = SINTER_CPU_COMPILER_FATAL_ERROR;
  if (run_guarded([&] { done = expand_headers(job, expanded, log); }, reason))
    status = done ? SINTER_CPU_COMPILER_OK : SINTER_CPU_COMPILER_COMPILE_ERROR;
  if (!reason.empty()) log += "fatal error inside LLVM: " + reason + "\n";
  hand_over(status, log, expanded.data(), expanded.size(), result);
}

void run_request(const sinter_cpu_compile_request& request, sinter_cpu_compile_result& result) {
  if (!speaks(request.abi_version, result)) return;
  const compile_job job = make_job(request);
  llvm::SmallVector<char, 0> shared_object;
  std::string log, reason;
  int status = SINTER_CPU_COMPILER_FATAL_ERROR;
  if (!run_guarded([&] { status = compile_and_link(job, shared_object, log); }, reason)) {
    status = SINTER_CPU_COMPILER_FATAL_ERROR;
  }
  if (!reason.empty()) log += "fatal error inside LLVM: " + reason + "\n";
  hand_over(status, log, shared_object.data(), shared_object.size(), result);
}

}  // namespace

extern "C" {

int sinter_cpu_compiler_compile(const sinter_cpu_compile_request* request,
                                sinter_cpu_compile_result* result) {
  *result = {nullptr, 0, nullptr, SINTER_CPU_COMPILER_FATAL_ERROR};
  try {
    run_request(*request, *result);
  } catch (const std::bad_alloc&) {
    // No exception may cross the C interface; status 3 without a log is enough.
  }
  return result->status;
}

int sinter_cpu_compiler_expand(const sinter_cpu_expand_request* request, sinter_cpu_compile_result* result) {
  *result = {nullptr, 0, nullptr, SINTER_CPU_COMPILER_FATAL_ERROR};
  try {
    run_expansion(*request, *result);
  } catch (const std::bad_alloc&) {
    // as above
  }
  return result->status;
}

void sinter_cpu_compiler_free(sinter_cpu_compile_result* result) {
  std::free(result->object);
  std::free(result->log);
  *result = {nullptr, 0, nullptr, SINTER_CPU_COMPILER_OK};
}

const char* sinter_cpu_compiler_version(void) { return compiler_version(); }
const char* sinter_cpu_compiler_host_cpu(void) { return host().cpu.c_str(); }
const char* sinter_cpu_compiler_host_features(void) { return host().features.c_str(); }

}  // extern "C"
