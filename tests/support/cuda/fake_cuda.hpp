#pragma once

#include <deque>
#include <stdexcept>
#include <string>
#include <utility>

#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/posix/dynamic_library.hpp>
#include <sinter/runtime/stream.hpp>

#include "../beside.hpp"
#include "fake_cuda_driver.hpp"

/// The path of the fake driver's library.
inline std::string fake_cuda_path() { return sinter::test::path_beside("libfake_cuda.so").string(); }

/// The fake driver, with its controls and freshly reset. `table` is loaded, and the whole runtime uses it
/// during the lifetime of this object.
class fake_cuda {
 public:
  explicit fake_cuda(int devices = 1, int version = 13000)
      : library_(open()), override_(load(devices, version)) {}

  void fail(const char* function, int nth, sinter::runtime::CUresult result) {
    call<fake_cuda_fail_function>("fake_cuda_fail")(function, nth, static_cast<int>(result));
  }
  int calls(const char* function) { return call<fake_cuda_calls_function>("fake_cuda_calls")(function); }
  /// The next launches' first arguments are the addresses of arrays that they read, then of those they write.
  void set_arrays(int read, int written) {
    call<fake_cuda_set_arrays_function>("fake_cuda_set_arrays")(read, written);
  }
  /// Lets streams join a capture by waiting for its events.
  void allow_forks(bool allowed) {
    call<fake_cuda_allow_forks_function>("fake_cuda_allow_forks")(allowed ? 1 : 0);
  }
  /// Whether what is queued on a stream now comes after all that is queued on the other.
  bool follows(const sinter::stream& on, const sinter::stream& other) {
    return call<fake_cuda_follows_function>("fake_cuda_follows")(on.native(), other.native()) != 0;
  }
  /// The number of unordered accesses between streams, uses of destroyed streams, and invalidated captures.
  int faults() { return call<fake_cuda_faults_function>("fake_cuda_faults")(); }
  std::string latest_fault() { return call<fake_cuda_latest_fault_function>("fake_cuda_latest_fault")(); }
  /// The calls of every function since the last reset of the counts: "cuCtxGetCurrent 1, cuLaunchKernel 2".
  std::string all_calls() { return call<fake_cuda_all_calls_function>("fake_cuda_all_calls")(); }
  void forget_calls() { call<fake_cuda_forget_calls_function>("fake_cuda_forget_calls")(); }
  void set_free_memory(std::size_t bytes) {
    call<fake_cuda_set_free_memory_function>("fake_cuda_set_free_memory")(bytes);
  }
  /// What any two events are apart from now on.
  void set_elapsed(float milliseconds) {
    call<fake_cuda_set_elapsed_function>("fake_cuda_set_elapsed")(milliseconds);
  }
  /// Must be called before the device's properties are queried.
  void set_architecture(int device, int architecture) {
    call<fake_cuda_set_architecture_function>("fake_cuda_set_architecture")(device, architecture);
  }
  void refuse_on(int device, sinter::runtime::CUresult result) {
    call<fake_cuda_refuse_on_function>("fake_cuda_refuse_on")(device, static_cast<int>(result));
  }
  /// The address of the code loaded last.
  const void* loaded_from() { return call<fake_cuda_loaded_from_function>("fake_cuda_loaded_from")(); }
  /// The first eight bytes of the arguments of the latest launch.
  unsigned long long launched_with() {
    return call<fake_cuda_launched_with_function>("fake_cuda_launched_with")();
  }
  /// The edges and arrays of the graph that was launched last (fake_cuda_driver.hpp).
  std::string launched_graph() {
    return call<fake_cuda_launched_graph_function>("fake_cuda_launched_graph")();
  }
  const sinter::runtime::driver_api& api() const { return *sinter::runtime::driver(); }

  static sinter::runtime::dynamic_library open() {
    std::string why;
    const std::string candidates[] = {fake_cuda_path()};
    auto library = sinter::runtime::dynamic_library::open(candidates, why);
    if (!library) throw std::runtime_error("the fake CUDA driver is not built: " + why);
    return std::move(*library);
  }

 private:
  template <class Function>
  Function* call(const char* name) {
    return library_.function<Function>(name);
  }

  const sinter::runtime::driver_api* load(int devices, int version) {
    call<fake_cuda_reset_function>("fake_cuda_reset")();
    call<fake_cuda_set_version_function>("fake_cuda_set_version")(version);
    call<fake_cuda_set_devices_function>("fake_cuda_set_devices")(devices);
    std::string why;
    const std::string candidates[] = {fake_cuda_path()};
    // Never freed: the runtime stores its lists of devices by these addresses.
    static auto* const tables = new std::deque<sinter::runtime::driver_api>;
    sinter::runtime::driver_api* table = &tables->emplace_back();
    if (!sinter::runtime::load_driver(candidates, *table, why)) throw std::runtime_error(why);
    call<fake_cuda_reset_function>("fake_cuda_reset")();
    call<fake_cuda_set_devices_function>("fake_cuda_set_devices")(devices);
    return table;
  }

  sinter::runtime::dynamic_library library_;
  sinter::runtime::driver_override override_;
};
