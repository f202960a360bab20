#include "host_cpu.hpp"

#include <algorithm>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace sinter::inline v0::cpu_compiler {
namespace {

host_description describe_host() {
  host_description description;
  description.cpu = llvm::sys::getHostCPUName().str();

  llvm::SmallVector<llvm::StringRef, 64> implied;
  if (llvm::X86::parseArchX86(description.cpu) == llvm::X86::CK_None) description.cpu = "x86-64";
  llvm::X86::getFeaturesForCPU(description.cpu, implied);

  // A virtual machine may hide features that the processor's name implies: those are disabled by name.
  std::vector<llvm::StringRef> present, missing;
  const auto features = llvm::sys::getHostCPUFeatures();
  for (const auto& feature : features) {
    if (feature.second) {
      present.push_back(feature.first());
    } else if (std::find(implied.begin(), implied.end(), feature.first()) != implied.end()) {
      missing.push_back(feature.first());
    }
  }
  // Hash tables are unordered, but this string is part of cache keys and must be deterministic.
  auto append = [&](std::vector<llvm::StringRef>& names, char sign) {
    std::sort(names.begin(), names.end());
    for (llvm::StringRef name : names) {
      if (!description.features.empty()) description.features += ',';
      description.features += sign;
      description.features += name;
    }
  };
  append(present, '+');
  append(missing, '-');
  return description;
}

}  // namespace

const host_description& host() {
  // Never destroyed: strings from the C interface stay valid during process exit.
  static const host_description& description = *new host_description(describe_host());
  return description;
}

}  // namespace sinter::inline v0::cpu_compiler
