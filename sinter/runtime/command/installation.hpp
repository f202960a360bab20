#pragma once
// The pieces that Sinter uses on this machine, and the consequences of missing ones.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sinter::inline v0::command {

/// One piece. `id` and the names in `details` are for programs and stable.
struct piece {
  enum class state : unsigned char {
    found,
    absent,     ///< missing, and Sinter works without it
    essential,  ///< missing or unusable, and something that should work does not
  };
  std::string id, name;
  state is = state::found;
  std::string found;  ///< its version or name: "13.0", "NVIDIA H200, …"; "" if missing
  std::string cost;   ///< of its absence
  std::string advice;
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
};
/// "found", "absent" or "essential".
const char* to_string(piece::state is);

// Each function looks for one kind of piece. Opening libraries takes up to some tens of milliseconds.

piece find_cpu_compiler();
piece find_cuda_driver();
piece find_nvrtc();
piece find_nvjitlink();
std::vector<piece> find_devices();
piece find_cache_directory();
piece find_shared_store();
/// The packs in SINTER_PACKS; programs may have others.
std::vector<piece> find_packs();
/// What the library is built with or without: see the CMake options of the same names.
piece find_optional_parts();
piece find_disassemblers();

/// All pieces. Whether one is essential depends on all: a GPU without NVRTC, or no device with a compiler.
std::vector<piece> find_all();

/// "0.1.0": of the command, and of the library it was built with.
const char* sinter_version();

}  // namespace sinter::inline v0::command
