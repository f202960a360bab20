#include "lld_link.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "lld/Common/Driver.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "recovery.hpp"

LLD_HAS_DRIVER(elf)

namespace {

// The output of the link in progress; LLD runs under a mutex, so one variable is enough.
llvm::SmallVectorImpl<char>* link_output = nullptr;

// LLD's output file, kept in memory.
class memory_output final : public llvm::FileOutputBuffer {
 public:
  memory_output(llvm::StringRef path, std::size_t size) : FileOutputBuffer(path), bytes_(size) {}

  uint8_t* getBufferStart() const override { return bytes_.data(); }
  uint8_t* getBufferEnd() const override { return bytes_.data() + bytes_.size(); }
  std::size_t getBufferSize() const override { return bytes_.size(); }
  llvm::Error commit() override {
    if (link_output != nullptr) link_output->append(bytes_.begin(), bytes_.end());
    return llvm::Error::success();
  }

 private:
  mutable std::vector<uint8_t> bytes_;  // zeroed, because LLD does not write the gaps between sections
};

}  // namespace

// LLD writes its result through this LLVM function. Defining it here keeps LLVM's own definition out of the
// link, and so avoids the temporary file and the rename.
llvm::Expected<std::unique_ptr<llvm::FileOutputBuffer>> llvm::FileOutputBuffer::create(StringRef path,
                                                                                       size_t size,
                                                                                       unsigned) {
  return std::make_unique<memory_output>(path, size);
}

namespace sinter::inline v0::cpu_compiler {
namespace {

// Bytes in memory under a path that LLD can open.
class memory_file {
 public:
  explicit memory_file(llvm::StringRef bytes) : descriptor_(memfd_create("sinter", MFD_CLOEXEC)) {
    while (descriptor_ >= 0 && !bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      bytes = bytes.drop_front(static_cast<std::size_t>(written));
    }
    complete_ = descriptor_ >= 0;
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  bool complete() const { return complete_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
  bool complete_ = false;
};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

link_outcome link_shared_object(llvm::StringRef object, const std::vector<shared_bytes>& support,
                                const std::string& name, llvm::SmallVectorImpl<char>& shared_object,
                                std::string& log) {
  std::vector<std::unique_ptr<memory_file>> files;
  std::vector<std::string> paths;
  auto add_file = [&](llvm::StringRef bytes) {
    files.push_back(std::make_unique<memory_file>(bytes));
    paths.push_back(files.back()->path());
    return files.back()->complete();
  };
  bool complete = add_file(object);
  for (const shared_bytes& bytes : support) complete = add_file(*bytes) && complete;
  if (!complete) {
    log += "cannot create a file in memory (memfd_create)\n";
    return link_outcome::failed;
  }

  std::vector<const char*> arguments = {"ld.lld", "-shared", "--no-undefined", "-nostdlib", "-Bsymbolic",
                                        "--gc-sections", "--strip-all", "--hash-style=gnu", "--build-id=none",
                                        "-z", "now",
                                        // No read-only relocation segment: the objects have hardly any
                                        // relocations, and each segment costs the loader time.
                                        "-z", "norelro", "-z", "max-page-size=4096", "--threads=1",
                                        "--color-diagnostics=never", "--error-limit=20",
                                        // A path that cannot exist: LLD would remove an existing file.
                                        "-o", "/dev/null/sinter.so", paths[0].c_str()};
  // An object between these two is treated as a member of an archive: linked only if something refers to it.
  arguments.push_back("--start-lib");
  for (std::size_t i = 1; i < paths.size(); ++i) arguments.push_back(paths[i].c_str());
  arguments.push_back("--end-lib");

  static std::mutex lld_mutex;
  static bool usable = true;
  const std::lock_guard lock(lld_mutex);
  if (!usable) {
    log += "the linker failed beyond repair earlier in this process\n";
    return link_outcome::fatal;
  }
  std::string messages;
  lld::Result result{1, false};
  {
    llvm::raw_string_ostream stream(messages);
    link_output = &shared_object;
    usable = false;  // until LLD succeeds
    result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    link_output = nullptr;
  }
  usable = result.canRunAgain;
  // The longest path first, because /proc/self/fd/3 is a prefix of /proc/self/fd/31.
  std::vector<std::size_t> order(paths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return paths[a].size() > paths[b].size(); });
  for (std::size_t i : order) replace_all(messages, paths[i], i == 0 ? name : "sinter's support functions");
  log += messages;
  if (!usable || has_given_up()) return link_outcome::fatal;
  return result.retCode == 0 ? link_outcome::linked : link_outcome::failed;
}

std::vector<std::string> undefined_symbols(llvm::StringRef object) {
  std::vector<std::string> undefined;
  // The linker reports a malformed object better.
  auto give_up = [&undefined](llvm::Error error) {
    llvm::consumeError(std::move(error));
    return undefined;
  };
  auto file = llvm::object::ELF64LEFile::create(object);
  if (!file) return give_up(file.takeError());
  auto sections = file->sections();
  if (!sections) return give_up(sections.takeError());
  for (const auto& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB) continue;
    auto symbols = file->symbols(&section);
    if (!symbols) return give_up(symbols.takeError());
    auto names = file->getStringTableForSymtab(section);
    if (!names) return give_up(names.takeError());
    for (const auto& symbol : *symbols) {
      if (symbol.st_shndx != llvm::ELF::SHN_UNDEF || symbol.getBinding() == llvm::ELF::STB_LOCAL) continue;
      auto name = symbol.getName(*names);
      if (!name) return give_up(name.takeError());
      undefined.push_back(name->str());
    }
  }
  return undefined;
}

}  // namespace sinter::inline v0::cpu_compiler
