#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/cache/found_packs.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/cache/redis_store.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/disassemble.hpp>
#include <sinter/runtime/posix/host.hpp>
#include <sinter/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cache/cache_files.hpp"
#include "failure.hpp"
#include "installation.hpp"
#include "system.hpp"
#include "terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

constexpr std::uint64_t little_space = std::uint64_t{64} << 20;

std::string cuda_version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

/// Describes a folder of entries; false if it cannot be used.
bool describe_folder(const std::string& path, runtime::folder_access access, piece& to) {
  to.details["path"] = path;
  const folder_facts facts = facts_of_folder(path);
  to.details["exists"] = facts.exists;
  if (facts.exists) {
    to.details["owner"] = facts.owner;
    to.details["mode"] = fmt::format("{:04o}", facts.mode);
  }
  runtime::folder opened;
  const runtime::file_answer answer = runtime::folder::open(path, access, false, opened);
  if (!answer && answer.error != ENOENT) {
    to.found = facts.exists ? fmt::format("{} (of {}, mode {:04o})", path, facts.owner, facts.mode) : path;
    to.cost = answer.describe(path);
    return false;
  }
  std::uint64_t entries = 0, bytes = 0;
  for (const std::string& shard : opened ? opened.folders() : std::vector<std::string>()) {
    std::vector<runtime::file_facts> files;
    opened.list(shard, files);
    for (const runtime::file_facts& file : files) {
      if (!runtime::parse_key(file.name)) continue;
      ++entries;
      bytes += file.bytes;
    }
  }
  to.details["entries"] = entries;
  to.details["bytes"] = bytes;
  to.found = facts.exists ? fmt::format("{} (of {}, mode {:04o}), {} entries, {}", path, facts.owner,
                                        facts.mode, entries, readable_bytes(bytes))
                          : path + " (not made yet)";
  if (const std::optional<std::uint64_t> free = free_bytes(path)) {
    to.details["free_bytes"] = *free;
    to.found += fmt::format(", {} free", readable_bytes(*free));
    if (*free < little_space) {
      to.is = piece::state::absent;
      to.cost = "the disk is nearly full: what is compiled may not be kept";
      to.advice = "Make room, or say another place with SINTER_CACHE_DIR.";
    }
  }
  return true;
}

piece make(const char* id, const char* name) {
  piece made;
  made.id = id;
  made.name = name;
  return made;
}

void is_absent(piece& to, std::string cost, std::string advice) {
  to.is = piece::state::absent;
  to.cost = std::move(cost);
  to.advice = std::move(advice);
}

piece* named(std::vector<piece>& all, std::string_view id) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const piece& each) { return each.id == id; });
  return at == all.end() ? nullptr : &*at;
}

/// Whether NVRTC compiles code for this device: for its own architecture, or an earlier one.
bool compiles_for(const std::vector<int>& architectures, int architecture) {
  return std::find(architectures.begin(), architectures.end(), architecture) != architectures.end();
}

}  // namespace

const char* to_string(piece::state is) {
  constexpr const char* names[] = {"found", "absent", "essential"};
  return names[static_cast<std::size_t>(is)];
}

const char* sinter_version() { return SINTER_VERSION_TEXT; }

piece find_cpu_compiler() {
  piece made = make("cpu_compiler", "CPU compiler");
  try {
    made.found = runtime::cpu_compiler_version();
    made.details["version"] = made.found;
  } catch (const error& missing) {
    is_absent(made, "without it kernels that are not cached cannot be compiled for the CPU", missing.what());
  }
  return made;
}

piece find_cuda_driver() {
  piece made = make("cuda_driver", "CUDA driver");
  if (const runtime::driver_api* const driver = runtime::driver()) {
    made.found = "CUDA " + cuda_version(driver->version);
    made.details["version"] = cuda_version(driver->version);
  } else {
    is_absent(made, "without it no GPU is used", runtime::driver_absence_reason());
  }
  return made;
}

piece find_nvrtc() {
  piece made = make("nvrtc", "NVRTC");
  if (const runtime::nvrtc_api* const nvrtc = runtime::nvrtc()) {
    const std::vector<int> architectures = runtime::supported_architectures();
    made.found = fmt::format("{}.{}, for architectures {}", nvrtc->major, nvrtc->minor,
                             fmt::join(architectures, ", "));
    made.details["version"] = fmt::format("{}.{}", nvrtc->major, nvrtc->minor);
    made.details["architectures"] = architectures;
  } else {
    is_absent(made, "without it kernels that are not cached cannot be compiled for GPUs",
              runtime::nvrtc_absence_reason());
  }
  return made;
}

piece find_nvjitlink() {
  piece made = make("nvjitlink", "nvJitLink");
  if (const runtime::nvjitlink_api* const linker = runtime::nvjitlink()) {
    made.found = fmt::format("{}.{}", linker->major, linker->minor);
    made.details["version"] = made.found;
  } else {
    is_absent(made,
              "without it code for GPUs cannot be linked with other code; kernels of Sinter alone need none",
              runtime::nvjitlink_absence_reason());
  }
  return made;
}

std::vector<piece> find_devices() {
  std::vector<piece> all;
  for (const device& each : devices()) {
    piece made = make("device", each.to_string().c_str());
    made.found = each.name();
    made.details["device"] = each.to_string();
    made.details["device_name"] = made.found;
    if (each.is_cpu()) {
      const unsigned threads = runtime::cpu_threads();
      made.details["threads"] = threads;
      made.details["vector_bytes"] = runtime::vector_register_bytes();
      made.found +=
          fmt::format(", {} threads, vectors of {} bytes", threads, runtime::vector_register_bytes());
    } else {
      const runtime::cuda_device_facts& facts = runtime::cuda_device(each.index());
      made.details["architecture"] = facts.architecture();
      made.details["multiprocessors"] = facts.multiprocessors;
      made.details["memory_bytes"] = facts.memory_bytes;
      made.found +=
          fmt::format(", compute capability {}.{}, {} multiprocessors, {}", facts.capability_major,
                      facts.capability_minor, facts.multiprocessors, readable_bytes(facts.memory_bytes));
    }
    all.push_back(std::move(made));
  }
  return all;
}

piece find_cache_directory() {
  piece made = make("cache", "cache directory");
  const cache_settings settings = cache_settings_from_environment();
  made.details["on"] = settings.on_disk;
  made.details["bound"] = settings.bytes;
  constexpr const char* cost = "every process compiles all of its kernels again";
  if (!settings.on_disk) {
    is_absent(made, cost, "SINTER_CACHE is 'off': unset it to keep what is compiled.");
    made.details["path"] = settings.directory;
  } else if (settings.directory.empty()) {
    is_absent(made, cost, "SINTER_CACHE_DIR, XDG_CACHE_HOME and HOME are not set: set one of them.");
  } else if (!describe_folder(settings.directory, runtime::folder_access::own, made)) {
    is_absent(
        made, fmt::format("{} ({})", cost, made.cost),
        fmt::format(
            "It must be a folder that belongs to you and that others cannot write to: chmod 700 '{}', or "
            "say another with SINTER_CACHE_DIR.",
            settings.directory));
  }
  return made;
}

piece find_shared_store() {
  piece made = make("shared_cache", "shared cache");
  const std::string where = cache_settings_from_environment().shared;
  constexpr const char* cost = "this machine does not get what others have compiled";
  if (where.empty()) {
    is_absent(made, cost,
              runtime::redis_absence_reason().empty()
                  ? "SINTER_SHARED_CACHE says one: a directory, or redis://host."
                  : "SINTER_SHARED_CACHE says one: a directory.");
  } else if (const std::optional<runtime::redis_address> server = runtime::parse_redis_address(where)) {
    runtime::redis_store store(*server);
    // the address may contain a password, the store's name does not
    made.details["path"] = store.name();
    if (const runtime::store_answer answer = store.get({}); answer.fault.empty())
      made.found = store.name();
    else
      is_absent(made, cost,
                runtime::redis_absence_reason().empty()
                    ? answer.fault + ". Look at the server, or at SINTER_SHARED_CACHE."
                    : answer.fault + ".");
  } else if (where.find("://") != std::string::npos) {
    is_absent(made, cost,
              "SINTER_SHARED_CACHE is neither a directory nor redis://[[user]:password@]host[:port].");
  } else if (!describe_folder(where, runtime::folder_access::shared, made)) {
    is_absent(made, fmt::format("{} ({})", cost, made.cost),
              "SINTER_SHARED_CACHE must be a folder that you can read.");
  }
  return made;
}

std::vector<piece> find_packs() {
  const cache_settings settings = cache_settings_from_environment();
  std::vector<piece> all;
  std::vector<pack_public_key> trusted;
  try {
    trusted = runtime::trusted_keys(settings);
  } catch (const device_error& refused) {
    piece keys = make("pack", "pack keys");
    is_absent(keys, refused.what(), "Until then no function is compiled, and no pack is used.");
    return {std::move(keys)};
  }
  for (const std::string& path : settings.packs) {
    piece made = make("pack", "pack");
    made.details["path"] = path;
    std::string fault;
    if (const std::shared_ptr<runtime::pack> opened = runtime::pack::open(path, trusted, fault)) {
      made.details["entries"] = opened->size();
      made.details["emitter"] = opened->emitter();
      made.found = fmt::format("{}, {} kernels", path, opened->size());
      if (opened->signed_by()) {
        made.details["signed_by"] = sinter::to_string(*opened->signed_by());
        made.found += ", signed by " + sinter::to_string(*opened->signed_by());
      }
      if (opened->emitter() != 0 && opened->emitter() != emitter_version)
        is_absent(made,
                  fmt::format(
                      "the kernels of '{}' are of emitter version {}, and this Sinter's is {}: none is used",
                      path, opened->emitter(), emitter_version),
                  "Build the pack again with this version.");
    } else {
      made.found = path;
      is_absent(made, fmt::format("'{}' is not used: {}", path, fault),
                "Build the pack again, or take it out of SINTER_PACKS.");
    }
    all.push_back(std::move(made));
  }
  if (!all.empty()) return all;
  piece none = make("pack", "packs");
  is_absent(none, "programs without a pack of their own compile what the cache does not have",
            "SINTER_PACKS names packs, with colons between.");
  all.push_back(std::move(none));
  return all;
}

piece find_optional_parts() {
  piece made = make("optional_parts", "optional parts");
  const struct {
    const char *id, *name;
    std::string absence;
  } parts[] = {{"redis_cache", "shared caches on Redis", runtime::redis_absence_reason()},
               {"signed_packs", "signed packs", runtime::signature_absence_reason()}};
  std::string absences;
  for (const auto& part : parts) {
    made.details[part.id] = part.absence.empty();
    std::string& list = part.absence.empty() ? made.found : absences;
    if (!list.empty()) list += part.absence.empty() ? ", " : "; ";
    list += part.absence.empty() ? part.name : part.absence;
  }
  if (!absences.empty()) is_absent(made, absences, "");
  return made;
}

piece find_disassemblers() {
  piece made = make("disassemblers", "disassemblers");
  const std::string cuda = runtime::find_disassembler(code_format::cubin),
                    cpu = runtime::find_disassembler(code_format::elf);
  made.details["cuda"] = cuda;
  made.details["cpu"] = cpu;
  made.found = cuda + (cuda.empty() || cpu.empty() ? "" : ", ") + cpu;
  if (cuda.empty() || cpu.empty())
    is_absent(made,
              fmt::format("'sinter show --sass' cannot show {} code", !cuda.empty() ? "the CPU's"
                                                                      : cpu.empty() ? "any"
                                                                                    : "GPU"),
              cuda.empty() ? "nvdisasm comes with the CUDA toolkit, objdump with binutils."
                           : "objdump comes with binutils.");
  return made;
}

std::vector<piece> find_all() {
  std::vector<piece> all = find_devices();
  const std::size_t gpus = all.size() - 1;
  for (piece (*find)() : {find_cpu_compiler, find_cuda_driver, find_nvrtc, find_nvjitlink,
                          find_cache_directory, find_shared_store, find_optional_parts, find_disassemblers})
    all.push_back(find());
  for (piece& each : find_packs()) all.push_back(std::move(each));
  piece& nvrtc = *named(all, "nvrtc");
  piece& compiler = *named(all, "cpu_compiler");
  if (gpus > 0 && nvrtc.is == piece::state::absent) nvrtc.is = piece::state::essential;
  if (nvrtc.is == piece::state::found && gpus > 0) {
    if (const int driver = runtime::require_driver().version; runtime::nvrtc()->major > driver / 1000) {
      nvrtc.is = piece::state::essential;
      nvrtc.cost =
          fmt::format("its code is too new for the driver, which runs CUDA {}", cuda_version(driver));
      nvrtc.advice =
          fmt::format("Install a newer driver, or NVRTC {} and name it with SINTER_NVRTC.", driver / 1000);
    }
    const std::vector<int> architectures = runtime::supported_architectures();
    for (const piece& each : all) {
      if (!each.details.contains("architecture")) continue;
      const int architecture = each.details["architecture"];
      if (compiles_for(architectures, architecture)) continue;
      nvrtc.is = piece::state::essential;
      nvrtc.cost =
          fmt::format("it does not compile for {}, which is of architecture {}", each.name, architecture);
      nvrtc.advice =
          "Install the NVRTC of a CUDA toolkit that knows this device, and name it with SINTER_NVRTC.";
    }
  }
  // with a working GPU, the CPU's compiler may be omitted on purpose
  const bool gpu_works = gpus > 0 && nvrtc.is == piece::state::found;
  if (!gpu_works && compiler.is == piece::state::absent) compiler.is = piece::state::essential;
  return all;
}

}  // namespace sinter::inline v0::command
