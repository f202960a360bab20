#pragma once
// What this machine has of the pieces that Sinter works with, and what it costs that one is not there.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sinter::command {

/// One piece. `id` and the names in `details` are for programs and stay what they are.
struct piece {
  enum class state : unsigned char {
    found,
    absent,     ///< not there, and Sinter works without
    essential,  ///< not there, or of no use, and something that is expected to work does not
  };
  std::string id, name;
  state is = state::found;
  std::string found;  ///< what it is: "13.0", "NVIDIA H200, …"; "" if it is not there
  std::string cost;   ///< of its absence
  std::string advice;
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
};
/// "found", "absent" or "essential".
const char* to_string(piece::state is);

// Each looks for one kind of piece. Opening libraries takes up to some tens of milliseconds.

piece find_cpu_compiler();
piece find_cuda_driver();
piece find_nvrtc();
piece find_nvjitlink();
std::vector<piece> find_devices();
piece find_cache_directory();
piece find_shared_store();
/// Those that SINTER_PACKS names; programs may have others of their own.
std::vector<piece> find_packs();
piece find_disassemblers();

/// All of them. What is essential depends on all: a GPU without NVRTC, or no device that anything can be
/// compiled for.
std::vector<piece> find_all();

/// "0.1.0": of the command, and of the library that it was built with.
const char* sinter_version();

}  // namespace sinter::command
