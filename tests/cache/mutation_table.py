"""What mutations.py takes out of the sources, and the tests that must then fail.

A row is what is taken out; [(file, text that stands there once, what stands there instead)]; the test that must fail.
"""

entry, key, files = "runtime/cache/entry.cpp", "runtime/cache/key.cpp", "runtime/platform/linux_files.cpp"
directory, usage = "runtime/cache/directory_store.cpp", "runtime/cache/usage.cpp"
calls = "runtime/thread_state.cpp"
layers, redis, settings = "runtime/cache/kernel_cache.cpp", "runtime/cache/redis_store.cpp", "runtime/cache/cache.cpp"



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
     [(entry, "if (bytes.size() < sizeof magic || std::memcmp(bytes.data(), magic, sizeof magic) != 0)",
       "if (bytes.size() < sizeof magic)")],
     "bytes drawn at random are no entry, with the head of one or without"),
    ("options in the key",
     [(key, "for (const std::string_view part : {parts.signature, parts.target, parts.options, parts.linked})",
       "for (const std::string_view part : {parts.signature, parts.target, std::string_view(), parts.linked})")],
     "every part of what a kernel depends on is in its key"),
    ("sizes of the key's parts", [(key, "to.append(reinterpret_cast<const char*>(&size), sizeof size);", "")],
     "what moves from one part to the next makes another key"),
    ("identity without the version",
     [(key, "parts->signature.data() + version_bytes,\n"
            "                                        parts->signature.size() - version_bytes, target",
       "parts->signature.data(), parts->signature.size(), target")],
     "kernels that differ in version, options or linked code alone are of one identity"),
    ("end of the key's parts", [(key, "if (!content.empty() || parts.signature", "if (parts.signature")],
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
    ("writing aside (killed)",
     [(files, "const std::string aside = unlikely_name(name);", "const std::string aside = name;"),
      (files, "O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW", "O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW")],
     killed),
    ("writing aside (read meanwhile)",
     [(files, "const std::string aside = unlikely_name(name);", "const std::string aside = name;"),
      (files, "O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW", "O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW")],
     readers),
    ("removal of what could not be written", [(files, "if (!answer) ::unlinkat(descriptor_, aside.c_str(), 0);", "")],
     "a full disk costs the entry and not the call"),
    ("rest of a write that was cut short",
     [(files, "while (!bytes.empty()) {\n    const ssize_t written", "if (!bytes.empty()) {\n    const ssize_t written"),
      (files, "::write(to, bytes.data(), bytes.size())", "::write(to, bytes.data(), std::min<std::size_t>(bytes.size(), 512))")],
     "a kernel is compiled once, and then found by every process"),
    ("errors of a write", [(files, 'if (written < 0) return failed("writing");\n    bytes', "if (written < 0) return {};\n    bytes")],
     failing),
    ("flushing", [(files, "retried([&] { return ::fdatasync(file.get()); }) != 0", "false")],
     "an entry is on the disk before it gets its name"),
    ("lock of a compile",
     [(files, "if (::fcntl(made.descriptor_, F_OFD_SETLK, &wanted) == 0) {", "if (wanted.l_len == 1) {")], cold),
    ("lock of the account",
     [(files, "if (const file_answer locked = byte_lock::acquire(*this, name, 0, patience_for_changes, lock); !locked)\n"
              "    return locked;",
       "if (const file_answer locked = byte_lock::acquire(*this, name, 0, patience_for_changes, lock); !locked)\n"
       "    return locked;\n  struct flock none = byte_at(0, F_UNLCK);\n"
       "  ::fcntl(lock.descriptor_, F_OFD_SETLK, &none);")],
     "who changes a file keeps all others from changing it meanwhile"),
    ("end of waiting for a lock", [(files, "if (std::chrono::steady_clock::now() >= until)", "if (false)")],
     "a process that compiles for too long is not waited for"),
    ("locks of open files, not of processes", [(files, "F_OFD_SETLK, &wanted", "F_SETLK, &wanted")],
     "a process that compiles for too long is not waited for"),

    ("bound of the directory", [(directory, "make_room(*in, bytes.size(), capacity_);", "")], bounded),
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
    ("age of what lies aside", [(usage, " && std::abs(now - file.modified) > seconds_of_a_writer", "")],
     "what a killed writer left behind is removed once it is old, and nothing else that is not Sinter's"),
    ("removal of what lies aside", [(usage, "        in.remove(name);\n", "")],
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
     [(redis, "if (owner_ != ::getpid()) opened_.reset();", ""),
      (redis, "opened_ != nullptr && owner_ == ::getpid();", "opened_ != nullptr;")],
     "the child of a fork has a connection of its own"),
)

groups = [
    ("Entries, keys, layers", cache_rows),
]

unseen = """Nothing yet.
"""
