"""What mutations.py takes out of the sources, and the tests that must then fail.

A row is what is taken out; [(file, text that stands there once, what stands there instead)]; the test that must fail.
"""

entry, key, files = "sinter/runtime/cache/entry.cpp", "sinter/runtime/cache/key.cpp", "sinter/runtime/posix/linux/files.cpp"
descriptors = "sinter/runtime/posix/file_descriptor.hpp"
directory, usage = "sinter/runtime/cache/directory_store.cpp", "sinter/runtime/cache/usage.cpp"
calls = "sinter/runtime/dispatch/thread_state.cpp"
layers, redis, settings = "sinter/runtime/cache/kernel_cache.cpp", "sinter/runtime/cache/redis_store.cpp", "sinter/runtime/cache/cache.cpp"
pack, builder, transfer = "sinter/runtime/cache/pack.cpp", "sinter/runtime/pack/pack_builder.cpp", "sinter/runtime/command/cache/cache_transfer.cpp"
reader = "sinter/codegen/base/bytes.hpp"
graphs, recorded = "sinter/codegen/graph/graph_bytes.cpp", "sinter/codegen/kernel/recorded_call.cpp"


child_of_pool = "a fork waits for what has begun, and the child has threads of its own"


def of(program, *rows):
    return [{"what": what, "changes": changes, "test": test, "program": program} for what, changes, test in rows]


killed = "a writer that is killed at any call leaves whole entries, no lock, and room for the next"
failing = "a call to the system that fails in any way never fails the one who asks for a kernel"
clocks = "clocks that are ten years off lose nothing but the order of use"
removed = "a directory that is removed under a process is made again by the next store"
readers = "readers beside a writer, an evictor and a removal of everything get whole entries or none"
bounded = "a directory never has more bytes than its bound, and keeps what was used last"
refused = "a kernel that the driver refuses is compiled again in that very call, and its entry replaced"
cold = "of 64 processes that ask for one cold kernel one compiles"

cache_rows = of(
    "sinter_cache_tests",
    ("checksum of an entry", [(entry, "if (!has_checksum(bytes) || !take_sections", "if (!take_sections")],
     "an entry with any bit of any byte flipped is refused"),
    ("length of an entry", [(entry, "if (length != bytes.size()) return entry_fault::truncated;", "")],
     "an entry that is cut short is refused at every length"),
    ("comparison with the whole key", [(entry, "if (!expected.empty() && to.key_content != expected)", "if (false)")],
     "a whole entry of another kernel is refused, whatever its name says"),
    ("version of the format", [(entry, "if (version != format_version) return entry_fault::other_format;", "")],
     "an entry of another version of the format is told from a damaged one"),
    ("magic of an entry",
     [(entry, "if (!bytes.starts_with(magic))", "if (bytes.size() < magic.size())")],
     "bytes drawn at random are no entry, with the head of one or without"),
    ("options in the key",
     [(key, "for (const std::string_view part : {parts.signature, parts.target, parts.options, parts.linked})",
       "for (const std::string_view part : {parts.signature, parts.target, std::string_view(), parts.linked})")],
     "every part of what a kernel depends on is in its key"),
    ("sizes of the key's parts", [(key, "    content.put_text(part);", "    content.bytes += part;")],
     "what moves from one part to the next makes another key"),
    ("identity without the version",
     [(key, "parts->signature.substr(version_bytes)", "parts->signature")],
     "kernels that differ in version, options or linked code alone are of one identity"),
    ("end of the key's parts", [(key, "!from.good() || !from.at_end() ||", "!from.good() ||")],
     "parts are read back, and nothing else is taken for them"),

    ("O_NOFOLLOW of a read", [(files, "O_RDONLY | O_NOFOLLOW | O_NONBLOCK", "O_RDONLY | O_NONBLOCK")],
     "a symbolic link in the place of an entry is not followed"),
    ("O_NONBLOCK of a read", [(files, "O_RDONLY | O_NOFOLLOW | O_NONBLOCK", "O_RDONLY | O_NOFOLLOW")],
     "a pipe or a folder in the place of an entry does not hold the reader up"),
    ("test for a regular file",
     [(files, 'if (!S_ISREG(found.st_mode)) return {EINVAL, "reading what is no regular file"};', "")],
     "a pipe or a folder in the place of an entry does not hold the reader up"),
    ("owner of a file",
     [(files, "(found.st_uid != ::geteuid() || (found.st_mode & others_may_write) != 0)",
       "(found.st_mode & others_may_write) != 0")],
     "a directory or an entry of another user's is refused"),
    ("mode of a file",
     [(files, "(found.st_uid != ::geteuid() || (found.st_mode & others_may_write) != 0)",
       "found.st_uid != ::geteuid()")],
     "an entry that others may write to is not read"),
    ("owner of the folder",
     [(files, "(facts.st_uid != ::geteuid() || (facts.st_mode & others_may_write) != 0)",
       "(facts.st_mode & others_may_write) != 0")],
     "a directory or an entry of another user's is refused"),
    ("mode of the folder",
     [(files, "(facts.st_uid != ::geteuid() || (facts.st_mode & others_may_write) != 0)",
       "facts.st_uid != ::geteuid()")],
     "a directory that others may write to is refused, and why is told"),
    ("folder for the user alone", [(files, "folder_access::own ? 0700 : 0777", "folder_access::own ? 0755 : 0777")],
     "a directory and what is in it belong to the user alone"),
    ("files for the user alone", [(files, "folder_access::own ? 0600 : 0666", "folder_access::own ? 0644 : 0666")],
     "a directory and what is in it belong to the user alone"),
    ("writing to a temporary file (killed)",
     [(files, "const std::string temporary = unlikely_name(name);", "const std::string temporary = name;"),
      (files, "O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW", "O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW")],
     killed),
    ("writing to a temporary file (read meanwhile)",
     [(files, "const std::string temporary = unlikely_name(name);", "const std::string temporary = name;"),
      (files, "O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW", "O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW")],
     readers),
    ("removal of what could not be written", [(files, "  ::unlinkat(in_->descriptor_, temporary_.c_str(), 0);\n", "")],
     failing),
    ("rest of a write that was cut short",
     [(descriptors, "while (!bytes.empty()) {\n    const ssize_t written", "if (!bytes.empty()) {\n    const ssize_t written"),
      (descriptors, "::write(to, bytes.data(), bytes.size())", "::write(to, bytes.data(), std::min<std::size_t>(bytes.size(), 512))")],
     "a kernel is compiled once, and then found by every process"),
    ("errors of a write", [(descriptors, "if (written < 0) return errno;", "if (written < 0) return 0;")],
     failing),
    ("flushing", [(files, "retried([&] { return ::fdatasync(descriptor_); }) != 0", "false")],
     "an entry is on the disk before it gets its name"),
    ("lock of a compile",
     [(files, "if (::fcntl(made.descriptor_, F_OFD_SETLK, &wanted) == 0) {", "if (wanted.l_len == 1) {")], cold),
    ("lock of the account",
     [(files, "if (const file_answer locked = byte_lock::acquire(*this, name, 0, {patience_for_changes}, lock); !locked)\n"
              "    return locked;",
       "if (const file_answer locked = byte_lock::acquire(*this, name, 0, {patience_for_changes}, lock); !locked)\n"
       "    return locked;\n  struct flock none = byte_at(0, F_UNLCK);\n"
       "  ::fcntl(lock.descriptor_, F_OFD_SETLK, &none);")],
     "who changes a file keeps all others from changing it meanwhile"),
    ("end of waiting for a lock", [(files, "if (now >= std::min(until, end))", "if (now >= std::max(until, end))")],
     "a process that compiles for too long is not waited for, whatever signs of life it gives"),
    ("end of patience with a lock", [(files, "if (now >= std::min(until, end))", "if (now >= end)")],
     "a process that is stopped while it compiles gives no sign of life and is not waited for"),
    ("signs of life", [(layers, "    held->show_life();\n", "")],
     "processes wait for a compile that takes longer than their patience for as long as it goes on"),
    ("locks of open files, not of processes", [(files, "F_OFD_SETLK, &wanted", "F_SETLK, &wanted")],
     "who changes a file keeps all others from changing it meanwhile"),

    ("bound of the directory", [(directory, "make_room(in, file, bytes.size(), capacity, temporary)",
                                 "make_room(in, file, bytes.size(), ~capacity >> 1, temporary)")], bounded),
    ("bound of an entry", [(directory, " || bytes.size() > capacity_", "")],
     "an entry larger than the bound is refused, and one that fits is kept"),
    ("time of use",
     [(directory, "if (std::abs(std::time(nullptr) - facts.modified) > seconds_between_touches) in->touch(file);", "")],
     "the least recently used entry goes first"),
    ("is_at of a store",
     [(directory, "if (!published && published.missing() && !in->is_at(path_)) {", "if (false) {")], removed),
    ("is_at of a look-up", [(directory, "if (read.missing() && !in->is_at(path_)) {", "if (false) {")],
     "a directory that was removed and made again by another process is found by who had it open"),
    ("order of use", [(usage, "return a.used < b.used;", "return a.used > b.used;")],
     "the least recently used entry goes first"),
    ("times that have not come", [(usage, "return modified > now + seconds_between_touches ? 0 : modified;",
                                   "static_cast<void>(now);\n  return modified;")],
     clocks),
    ("mark of the account", [(usage, "now.mark != account_mark || ", "")],
     "an account of the bytes that is damaged or removed is made anew"),
    ("age of temporary files", [(usage, " && std::abs(now - file.modified) > seconds_of_a_writer", "")],
     "what a killed writer left behind is removed once it is old, and nothing else that is not Sinter's"),
    ("removal of temporary files", [(usage, "        in.remove(name);\n", "")],
     "what a killed writer left behind is removed once it is old, and nothing else that is not Sinter's"),

    ("distrust of refused code", [(layers, "return distrusted_.contains(key);", "return false;")],
     "code that could not be loaded is compiled again, and not taken from any layer any more"),
    ("another compile of what was refused", [(calls, "    if (!any) throw;\n", "    throw;\n")], refused),
    ("distrust of what was refused", [(calls, "          distrust(*each);\n", "")], refused),
    ("removal of what was refused from memory", [(calls, "          drop_kernel(each);\n", "")], refused),
    ("one warning of what was refused",
     [(calls, 'warn_once(\n        "refused code",', "report(\n        log_level::warning,")], refused),
    ("refusal of what was compiled here",
     [(calls, "    if (!any) throw;\n", "    static_cast<void>(any);\n")],
     "a kernel that was just compiled and is refused is an error, and compiled once"),
    ("newer toolkit than the driver", [(layers, "if (made.entry.cuda_version / 1000 > wanted.cuda_version / 1000) {",
                                        "if (false) {")],
     "code of a newer toolkit than the driver's is not handed to it"),
    ("checking what a layer gave",
     [(layers, "fault != entry_fault::none) {\n    why = {miss_reason::damaged", "false) {\n    why = {miss_reason::damaged")],
     "an entry that is damaged in any way is compiled again and replaced"),
    ("looking again with the lock",
     [(layers, "if (look_into(*layers_.own, cache_layer::directory, key, wanted, found, why)) {", "if (false) {")], cold),
    ("telling what a miss differs in", [(layers, "if (!found && !look_for_stand_in(wanted, found)) explain_missing(key, wanted, why);",
                                        "if (!found) look_for_stand_in(wanted, found);")],
     "a miss says what the nearest entry differs in"),
    ("filling the own layer", [(layers, "keep(*layers_.own, key, encode(found->entry));", "static_cast<void>(0);")],
     "the shared layer fills the own one, and gets what is compiled"),
    ("giving to the shared layer", [(layers, "if (layers_.shared != nullptr) keep(*layers_.shared, key, bytes);", "")],
     "the shared layer fills the own one, and gets what is compiled"),
    ("one warning", [(settings, "if (!now.warned.insert(subject).second) return;", "now.warned.insert(subject);")],
     "a layer that fails costs a compile and one warning, never a call"),

    ("password", [(redis, "if (!address_.password.empty()) {", "if (false) {")],
     "a server that wants a password gets it, and refuses who has none"),
    ("pause after a failure", [(redis, "*failed_at_ < pause_after_failure) {", "*failed_at_ < pause_after_failure * 0) {")],
     "a server that dies costs a miss, and one that is not there no wait after the first"),
    ("connection of a child",
     [(redis, "  if (generation_ != fork_generation()) {\n    generation_ = fork_generation();", "  if (false) {")],
     "the child of a fork has a connection of its own"),
    ("wait for the parent's server",
     [(redis, "  if (generation_ != fork_generation()) {\n    generation_ = fork_generation();", "  if (false) {")],
     "the child of a fork does not wait for what its parent asks of a Redis server"),
    ("settings changed in one step", [(settings, "if (now.changes != seen) continue;", "")],
     "of changes that threads make at once none is lost"),
    ("trust of packs that were added", [(settings, "each->trust(trusted); fault.empty())", "each->trust(trusted); fault.size() < 1000)")],
     "packs that were added are checked again when the keys that are trusted change"),
    ("room that cannot be made", [(usage, "made = now.bytes + bytes <= capacity ? in.begin", "made = capacity > 0 ? in.begin")],
     "what is being written counts, and is never what goes"),
    ("bytes of what is being written", [(usage, "        scan.temporary += file.bytes;\n", "        scan.temporary += 0;\n")],
     "what is being written counts, and is never what goes"),
    ("other errors than refusals", [(calls, "catch (const refused_code& refused)", "catch (const device_error& refused)")],
     "a kernel that cannot be loaded for want of memory or of a context stays in the cache"),
    ("locks that a fork takes", [("sinter/runtime/posix/fork.cpp", "  locks.all.push_back(this);\n", "")],
     "the child of a fork goes on, whatever the threads of its parent were doing"),
    ("long work of a parent's threads", [("sinter/runtime/posix/fork.cpp", "new (&guard_) std::mutex;", "static_cast<void>(0);")],
     "what a thread of the parent compiles or loads holds the child of a fork up no more than its parent"),
)

opened = [("sinter/runtime/compile/make_kernel.cpp", "  return {key_content_of(lowered, target), content.name.empty()",
           "  if (target.kind == target_kind::cpu)\n    cpu_compiler_version();\n  else\n    nvrtc_version();\n"
           "  return {key_content_of(lowered, target), content.name.empty()")]
program_rows = of(
    "sinter_cache_tests",
    ("asking the CPU's compiler only when something is compiled", opened,
     "a process with everything cached opens no compiler for the CPU, starts no program and talks to nobody"),
    ("asking the GPU's compiler only when something is compiled", opened,
     "a process with everything cached opens no compiler for GPUs, starts no program and talks to nobody"),
)

version_rows = of(
    "sinter_cache_tests",
    ("version of the emitter in the key",
     [("sinter/codegen/kernel/signature.cpp", "  fields.number(static_cast<std::uint64_t>(emitter_version));", "  fields.number(std::uint64_t{0});")],
     "of two versions in a process each finds its own kernels, and tells what the other's differ in"),
    ("hiding of what headers define, which versions must not share",
     [("CMakeLists.txt", "ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)", "ON)"),
      ("cmake/exports.map.in", "  local:\n    *;\n", "  local:\n    none;\n")],
     "the library shows no name that the loader would have versions share"),
)

fork_rows = of(
    "sinter_tests",
    ("waiting for compiles that have begun",
     [("sinter/runtime/background/compile_pool.cpp",
       "  now_->done.wait_for(lock, patience_for_fork, [&] { return now_->running.size() <= own; });\n",
       "  static_cast<void>(own);\n")],
     child_of_pool),
    ("threads of the child's own",
     [("sinter/runtime/background/compile_pool.cpp", "  if (in_child) {\n    auto fresh", "  if (false && in_child) {\n    auto fresh")],
     child_of_pool),
    ("work of the parent that the child asks for",
     [("sinter/runtime/background/compile_pool.cpp",
       "    for (const job_handle& each : before.queue) each->at = job::stage::orphaned;\n", "")],
     child_of_pool),
    ("kernels that the parent was compiling",
     [("sinter/runtime/compile/kernel_table.cpp",
       "      std::erase_if(entries_, [](const auto& each) { return !each.second->done; });\n", "")],
     "a kernel that the parent was compiling at a fork is compiled by the child"),
    ("watcher of the child's own",
     [("sinter/runtime/background/compile_watch.cpp", "  if (in_child) {\n    auto fresh", "  if (false && in_child) {\n    auto fresh")],
     "the child of a fork watches its own compiles"),
)
fork_rows += of(
    "sinter_cache_tests",
    ("letting a lock go that a child has open",
     [(files, "  ::fcntl(descriptor_, F_OFD_SETLK, &all);\n", "")],
     "a lock is free once it is let go, though a child that was forked meanwhile has its file open"),
)

pack_rows = of(
    "sinter_pack_tests",
    ("checksum of a pack's head",
     [(pack, 'if (!is_checksum(checksum, head_)) return "its index is damaged";', "")],
     "a pack whose head is changed anywhere is not opened"),
    ("checksum of a whole pack",
     [(pack, '  if (!has_checksum(all)) faults.emplace_back("its checksum does not fit");\n', "")],
     "whatever byte of a pack is changed, it is refused, misses or serves what is right; check() tells"),
    ("length of a pack", [(pack, "if (length_ != given_ && length_ + signature_bytes != given_)", "if (false)")],
     "a pack that is cut short at any length is refused"),
    ("comparison with the key in a pack",
     [(pack, "return at.key == key ? read(at) : store_answer();", "return read(at);")],
     "every entry of a pack is found by its key, and no other"),
    ("signature where keys are trusted",
     [(pack, 'if (!signer_) return "it is not signed, and only packs signed by a key that is trusted are used";',
       "if (!signer_) return {};")],
     "a pack that a trusted key signed is used, and no other"),
    ("keys that are trusted",
     [(pack, "if (std::find(trusted.begin(), trusted.end(), *signer_) == trusted.end())", "if (false)")],
     "a pack that a trusted key signed is used, and no other"),
    ("check of a signature",
     [(pack, '  if (!is_signature(signature_, signed_message(head_), *signer_)) return "its signature is not right";\n', "")],
     "the signature of another pack, by a key that is trusted, makes no pack trusted"),
    ("check of a signature by check()",
     [(pack, "if (signer_ && !is_signature(signature_, signed_message(head_), *signer_))", "if (false)")],
     "the signature of another pack, by a key that is trusted, makes no pack trusted"),
    ("digest of an entry that is signed",
     [(pack, "trusted_ && digest_of(answer.bytes) != at.digest", "false")],
     "an entry that was exchanged for another whole one is refused by the signature"),
    ("a key that is no key",
     [("sinter/runtime/cache/found_packs.cpp", "    if (!key)\n", "    if (!key) continue;\n    if (!key)\n")],
     "a key that is none is refused where keys are named, and no pack is used instead"),
    ("what a pack of another emitter version says",
     [("sinter/runtime/cache/found_packs.cpp", "  if (opened.emitter() == 0 ||", "  if (opened.emitter() != 0 ||")],
     "a pack of another emitter version says so once, when it is opened, however it is named"),
    ("version of the emitter in a pack",
     [(pack, "all.put(common_emitter(emitters));", "all.put(std::uint32_t{0});")],
     "a pack names the emitter version of its kernels, and none where they are of several"),
    ("refusal to merge what is damaged",
     [(pack, "if (!answer.found || fault != entry_fault::none || key_of(entry.key_content) != at.key)", "if (false)")],
     "a pack that is damaged is not merged"),
    ("refusal to sign what is damaged",
     [(pack, "if (const std::vector<std::string> faults = whole->check(); !faults.empty())",
       "if (const std::vector<std::string> faults; !faults.empty())")],
     "a pack that is damaged is not merged"),
    ("times that make packs differ", [(pack, "  entry.compile_milliseconds = 0;\n", "")],
     "a pack has the same bytes for the same entries, whatever their order and times"),
    ("shape-generic kernels as stand-ins",
     [(layers, "if (layers_.packs.empty() || wanted.stand_ins == nullptr) return false;", "return false;")],
     "where a kernel is not in a pack, one that can stand in for it is taken, if its code runs there"),
    ("stand-ins whose code runs there",
     [(layers, "return runs_on(image, architecture);", "return runs_on(image, architecture) || true;")],
     "where a kernel is not in a pack, one that can stand in for it is taken, if its code runs there"),
    ("shape-generic kernels in packs",
     [(builder, "    lower_form(request, {}, lowering_variant::shape_generic);\n", "")],
     "without a compiler shape-generic kernels, which are packed too, serve what no recording met"),
    ("PTX beside machine code",
     [(builder, "if (wanted.target.is_cuda() && wanted.target.facts.architecture == newest_ &&", "if (false &&")],
     "a call whose kernels are in a pack compiles nothing, on the architecture and on a newer one"),
)

recording_rows = of(
    "sinter_pack_tests",
    ("checksum of a record", [("sinter/runtime/pack/recording.cpp", "return has_checksum(record) ? record : std::string_view();", "return record;")],
     "a byte that was changed costs the record that it is in, and no other"),
    ("going on at the next record",
     [("sinter/runtime/pack/recording.cpp", "      in_step = false;\n      bytes.remove_prefix(std::min(bytes.find(magic, 1), bytes.size()));\n",
       "      return;\n")],
     "a byte that was changed costs the record that it is in, and no other"),
    ("appending", [("sinter/runtime/posix/linux/append_file.cpp", "O_WRONLY | O_APPEND | O_CREAT", "O_WRONLY | O_CREAT")],
     "processes and threads that record into one file at once keep every record whole"),
    ("end of the bytes", [(reader, "if (!good_ || size > rest_.size()) {", "if (!good_) {")],
     "a graph that is cut short anywhere, or has a byte too many, is refused with a reason"),
    ("verification of a graph that was read", [(graphs, "    verify(to);\n", "")],
     "whatever bits are changed, a graph is refused or is one that verify() accepts"),
    ("names of operations",
     [(graphs, "      from.refuse();\n      break;\n    }\n    known.push_back(row->op);",
       "      known.push_back(operation::add);\n      continue;\n    }\n    known.push_back(row->op);")],
     "a graph with an operation that is not known is refused by its name"),
    ("arrays that no memory holds", [(recorded, "if (from.good() && !is_possible(made)) from.refuse();", "")],
     "a call that does not fit its graph is refused"),
)

transfer_rows = of(
    "sinter_command_tests",
    ("check of what is imported",
     [(transfer, "if (!answer.found || runtime::decode(answer.bytes, \"\", entry) != runtime::entry_fault::none ||\n"
                 "          runtime::key_of(entry.key_content) != row.key) {", "if (false) {")],
     "what is no pack is not imported, and a damaged entry of one is left out"),
    ("keys that are trusted at an import",
     [(transfer, "runtime::pack::open(options.file, runtime::trusted_keys(settings), fault)",
       "runtime::pack::open(options.file, {}, fault)")],
     "where signatures are wanted, only packs with one are imported"),
    ("failure of an import that stores nothing",
     [(transfer, "if (not_stored > 0) throw", "if (false) throw")],
     "a cache that takes no entries makes importing fail, with the reason"),
    ("check of what is exported",
     [(transfer, "if (read.is == read_entry::state::whole)", "if (true)")],
     "export takes what passes the filters, and leaves out what is damaged"),
    ("files that are there already",
     [(transfer, "if (!options.force && std::filesystem::exists(options.file))", "if (false)")],
     "export replaces no file unless told to, and leaves none where it cannot write"),
)


def fuzzed(program, *rows):
    return of(program, *((what, changes, "ten seconds over its corpus") for what, changes in rows))


fuzz_rows = of(
    "sinter_tests",
    ("sums that wrap around",
     [(reader, "return offset <= all_.size() && count <= all_.size() - offset;",
       "return offset + count <= all_.size();")],
     "whether bytes are there is asked without a sum that wraps around"),
) + fuzzed(
    "entry_fuzz",
    ("bound of a text before it is unpacked",
     [(entry, "  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > largest_text)\n"
              "    from.refuse();\n", "")]),
    ("known formats of code",
     [(entry, "from.take_enumerator<std::uint32_t>(code_format::elf)",
       "static_cast<code_format>(from.take<std::uint32_t>())")]),
    ("comparison with the whole key", [(entry, "if (!expected.empty() && to.key_content != expected)", "if (false)")]),
) + fuzzed(
    "key_fuzz",
    ("length of a key's part", [(reader, "if (!good_ || size > rest_.size()) {", "if (!good_) {")]),
    ("one spelling of an entry's name",
     [(key, "return to_string(key) == name ? std::optional(key) : std::nullopt;", "return key;")]),
) + fuzzed(
    "code_image_fuzz",
    ("least header of a part of a fatbin", [("sinter/runtime/object/code_image.cpp", "if (element.header_bytes < sizeof element || ", "if (")]),
) + fuzzed(
    "pack_fuzz",
    ("places and sizes of a pack's entries",
     [(pack, "if (at.offset != offset || at.size > contents_offset_ - offset || (i > 0", "if ((i > 0"),
      (pack, 'return offset == contents_offset_ ? std::string() : "its index is damaged";', "return {};")]),
    ("place of a pack's contents",
     [(pack, "  if (contents_offset_ > given_ || contents_size_ > given_ || tunings_size_ > given_ ||\n"
             "      first > contents_offset_ ||\n"
             "      contents_offset_ + contents_size_ + tunings_size_ + checksum_bytes != length_)\n"
             '    return "its header is damaged";\n', "")]),
) + fuzzed(
    "recording_fuzz",
    ("counts without bytes for them",
     [(reader, "    if (count > rest_.size() / min_bytes) good_ = false;\n", "")]),
    ("operands of a node", [(graphs, "    if (made.arity > made.inputs.size()) return from.refuse();\n", "")]),
    ("numbers of operations", [(graphs, "    if (number >= known.size()) return from.refuse();\n", "")]),
    ("an operand that is another one", [(recorded, "at.identity <= i && ", "")]),
    ("verification of a graph that was read", [(graphs, "    verify(to);\n", "")]),
)

groups = [
    ("Entries, keys, layers", cache_rows),
    ("Programs with everything cached", program_rows),
    ("Two versions in one process", version_rows),
    ("Forks", fork_rows),
    ("Packs", pack_rows),
    ("Recordings", recording_rows),
    ("Export and import", transfer_rows),
    ("Faults in what reads bytes, for the fuzzers", fuzz_rows),
]

unseen = """- That flushed data is on the disk after a power failure: the row of flushing shows only the order of the calls.
- Locks that are held for microseconds while another thread forks (`before_fork` of the table of kernels, of the pool
  and of the watcher of compiles): no test can bring a thread into that stretch on purpose.
- Checks behind which a second check refuses the same bytes: the number of a pack's entries and the bounds of a read from
  it, the least length of an entry and of a record.
"""
