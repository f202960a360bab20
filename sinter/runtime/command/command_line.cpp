#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "options.hpp"
#include "pack/pack_options.hpp"
#include "terminal/near_words.hpp"
#include "tune/tune_commands.hpp"

namespace sinter::inline v0::command {
namespace {

/// The parser's tree, the additional properties of each command, and the records that it fills.
class command_line {
 public:
  command_line();
  exit_code parse_and_run(int count, const char* const* words);
  command_node tree() { return node_of(app_); }

 private:
  using action = std::function<exit_code()>;

  CLI::App& add(CLI::App& to, const char* name, const char* summary, const char* details,
                std::vector<std::string> examples, action run = {});
  static void add_json(CLI::App& to, common_options& options);
  static void add_directory(CLI::App& to, std::string& directory);
  static void add_cache(CLI::App& to, cache_options& options);
  static void add_filter(CLI::App& to, cache_options& options);
  void add_cache_commands();
  void add_cache_views(CLI::App& cache);
  void add_cache_removals(CLI::App& cache);
  void add_cache_totals(CLI::App& cache);
  void add_cache_transfers(CLI::App& cache);
  void add_pack_commands();
  void add_pack_build(CLI::App& pack);
  void add_pack_views(CLI::App& pack);
  void add_pack_merge(CLI::App& pack);
  void add_pack_signatures(CLI::App& pack);
  void add_show(CLI::App& to, show_options& options);
  command_node node_of(const CLI::App& of) const;
  std::string path_of(const CLI::App& of) const;
  const CLI::App& innermost() const;

  struct extra {
    std::string details;
    std::vector<std::string> examples;
    action run;
  };

  CLI::App app_{"find out what Sinter has on this machine, and look into its cache of compiled kernels"};
  std::map<const CLI::App*, extra> extras_;
  bool version_ = false;
  common_options common_, doctor_;
  list_options list_;
  verify_options verify_;
  prune_options prune_;
  clear_options clear_;
  cache_options stats_;
  export_options export_;
  import_options import_;
  show_options show_, cache_show_;
  pack_build_options pack_build_;
  pack_list_options pack_list_;
  pack_verify_options pack_verify_;
  pack_merge_options pack_merge_;
  pack_sign_options pack_sign_;
  pack_keys_options pack_keys_;
  tune_commands tune_;
  std::string shell_;
};

CLI::App& command_line::add(CLI::App& to, const char* name, const char* summary, const char* details,
                            std::vector<std::string> examples, action run) {
  CLI::App& made = *to.add_subcommand(name, summary);
  made.set_help_flag("-h,--help", "Tells about this command.");
  extras_[&made] = {details, std::move(examples), std::move(run)};
  return made;
}

void command_line::add_json(CLI::App& to, common_options& options) {
  to.add_flag("--json", options.json, "Prints JSON, for programs; its names stay what they are.");
}

void command_line::add_directory(CLI::App& to, std::string& directory) {
  to.add_option("-d,--directory", directory, "The cache directory, instead of the usual one.")
      ->type_name("DIR");
}

void command_line::add_cache(CLI::App& to, cache_options& options) {
  add_directory(to, options.directory);
  add_json(to, options);
}

void command_line::add_filter(CLI::App& to, cache_options& options) {
  to.add_option("-k,--kernel", options.filter.kernel,
                "Only kernels of such names: * stands for any letters, ? for one, [a-c] for one of those.")
      ->type_name("GLOB");
  to.add_option("-t,--target", options.filter.target,
                "Only for this target: 'cpu', 'cuda' or, as an example, 'cuda 90'.")
      ->type_name("TARGET");
  to.add_option("-o,--older", options.filter.older,
                "Only what was not used for so many days; parts of one count.")
      ->type_name("DAYS")
      ->check(CLI::NonNegativeNumber);
}

void command_line::add_show(CLI::App& to, show_options& options) {
  to.add_option("KEY", options.key, "The entry's key, or as many of its first digits as tell it from others.")
      ->required();
  to.add_option("--pack", options.pack, "Look in this pack instead of the cache.")->type_name("FILE");
  to.add_flag("--graph", options.graph, "What the kernel computes: accesses, operations, stores.");
  to.add_flag("--schedule", options.schedule, "How it is cut into loads, threads and tiles.");
  to.add_flag("--text", options.text, "The source that was compiled.");
  to.add_flag("--ptx", options.ptx, "PTX, of the entry or compiled from its text now, by NVRTC.");
  to.add_flag("--sass,--assembly", options.assembly,
              "Machine code, by nvdisasm or cuobjdump; of the CPU's by objdump or llvm-objdump.");
  to.add_flag("--log", options.log, "What the compiler said.");
  add_cache(to, options);
}

void command_line::add_cache_commands() {
  CLI::App& cache =
      add(app_, "cache", "look into the cache of compiled kernels, and keep it in order",
          "The cache is a directory of yours in which each compiled kernel is an entry, a file named by "
          "its key. Looking at entries does not count as using them.",
          {"sinter cache list", "sinter cache verify --remove", "sinter cache prune --bytes 200M"});
  cache.require_subcommand(1);
  add_cache_views(cache);
  add_cache_removals(cache);
  add_cache_totals(cache);
  add_cache_transfers(cache);
}

/// Commands that look at entries one by one.
void command_line::add_cache_views(CLI::App& cache) {
  CLI::App& list =
      add(cache, "list", "list entries, the latest used first",
          "The time of last use is exact to a day, since a hit is to cost nothing.",
          {"sinter cache list --kernel 'softmax*' --sort bytes", "sinter cache list --json --target cpu"},
          [this] { return run_cache_list(list_); });
  add_filter(list, list_);
  list.add_option("-s,--sort", list_.sort, "By what to sort; time is that of compiling.")
      ->type_name("BY")
      ->check(CLI::IsMember({"used", "bytes", "kernel", "time", "key"}));
  list.add_flag("-r,--reverse", list_.reverse, "The other way round.");
  list.add_flag("--full-keys", list_.full_keys, "Whole keys, not as many digits as tell them apart.");
  list.add_flag("--keys", list_.only_keys, "Keys alone, one a line; reads no entry unless it has to.");
  add_cache(list, list_);

  CLI::App& show = add(cache, "show", "show one entry: the same as 'sinter show'", "",
                       {"sinter cache show 3f9a"}, [this] { return run_show(cache_show_); });
  add_show(show, cache_show_);

  CLI::App& verify =
      add(cache, "verify", "read every entry and tell which are damaged",
          "A damaged entry is never used: it is compiled again and replaced when it is needed. Entries in "
          "the format of another version are told, and left alone.",
          {"sinter cache verify", "sinter cache verify --remove --json"},
          [this] { return run_cache_verify(verify_); });
  verify.add_flag("--remove", verify_.remove, "Removes those that are damaged.");
  add_cache(verify, verify_);
}

void command_line::add_cache_removals(CLI::App& cache) {
  CLI::App& prune = add(cache, "prune", "remove what was used least recently, until the rest is small enough",
                        "", {"sinter cache prune --bytes 200M"}, [this] { return run_cache_prune(prune_); });
  prune
      .add_option("-b,--bytes", prune_.bytes,
                  "How much may stay, as in 4096, 200M or 1.5GiB; without it the cache's own bound "
                  "(SINTER_CACHE_BYTES).")
      ->type_name("N");
  add_cache(prune, prune_);

  CLI::App& clear =
      add(cache, "clear", "remove entries, all of them or those that pass the filters",
          "Asks first, on a terminal; elsewhere say --yes. Programs that run keep what they have loaded.",
          {"sinter cache clear --yes", "sinter cache clear --older 30 --target cuda"},
          [this] { return run_cache_clear(clear_); });
  add_filter(clear, clear_);
  clear.add_flag("-y,--yes", clear_.yes, "Does not ask.");
  add_cache(clear, clear_);
}

void command_line::add_cache_totals(CLI::App& cache) {
  CLI::App& stats =
      add(cache, "stats", "count entries and bytes by target, compiler and emitter",
          "The emitter is the part of Sinter that writes the text of kernels: entries serve its own "
          "version only.",
          {"sinter cache stats --json"}, [this] { return run_cache_stats(stats_); });
  add_filter(stats, stats_);
  add_cache(stats, stats_);
}

/// Commands that move entries from machine to machine.
void command_line::add_cache_transfers(CLI::App& cache) {
  CLI::App& out =
      add(cache, "export", "write entries to one file, which 'import' reads on another machine",
          "The file is a pack, so a program can also use it as it is (SINTER_PACKS). It has no times and "
          "no logs of compilers: the same entries give the same bytes. Damaged entries are left out.",
          {"sinter cache export kernels.sinterpack", "sinter cache export gpu.sinterpack --target cuda"},
          [this] { return run_cache_export(export_); });
  out.add_option("FILE", export_.file, "The file to write.")->required();
  add_filter(out, export_);
  out.add_flag("--force", export_.force, "Replaces a file that is there.");
  add_cache(out, export_);

  CLI::App& in =
      add(cache, "import", "take in the entries of a pack, as 'export' writes it",
          "Entries hold code that will run with your rights: import files of people whom you trust. Where "
          "SINTER_PACK_KEY has public keys, only packs that one of them signed are taken. Entries that are "
          "there stay as they are.",
          {"sinter cache import kernels.sinterpack"}, [this] { return run_cache_import(import_); });
  in.add_option("FILE", import_.file, "The file to read.")->required();
  add_directory(in, import_.directory);
  add_json(in, import_);
}

void command_line::add_pack_commands() {
  CLI::App& pack =
      add(app_, "pack", "build kernels ahead, and look into packs of them",
          "A pack is one file of kernels that were compiled before, for a program that then compiles "
          "nothing. No GPU is needed to build one. SINTER_PACKS names the packs that a program uses; "
          "sinter_add_pack() of CMake puts one into it.",
          {"sinter pack build --program ./app --architectures 80,90 --output app.sinterpack",
           "sinter pack list app.sinterpack"});
  pack.require_subcommand(1);
  add_pack_build(pack);
  add_pack_views(pack);
  add_pack_merge(pack);
  add_pack_signatures(pack);
}

void command_line::add_pack_build(CLI::App& pack) {
  CLI::App& build =
      add(pack, "build", "compile what programs and recordings need",
          "A program tells its functions without being run: its main() is not called. It does not tell "
          "extents, names and what lambdas capture; a recording of a run does, which is made by running "
          "with SINTER_RECORD=FILE. What cannot be compiled is told, and answered by 1.",
          {"sinter pack build --recording run.record --output app.sinterpack",
           "sinter pack build --program ./app --architectures 80,90,100 --no-cpu --output app.sinterpack",
           "sinter pack build --program ./app --cpu x86-64-v3,x86-64-v4 --output app.sinterpack"},
          [this] { return run_pack_build(pack_build_); });
  build
      .add_option("-p,--program", pack_build_.programs,
                  "A program, or a shared library, with fused functions.")
      ->type_name("FILE");
  build
      .add_option("-t,--tuning", pack_build_.tunings,
                  "What `sinter tune` or tuning_report::save() wrote; the pack carries it.")
      ->type_name("FILE");
  build.add_option("-r,--recording", pack_build_.recordings, "What a run with SINTER_RECORD wrote.")
      ->type_name("FILE");
  build
      .add_option("-a,--architectures", pack_build_.architectures,
                  "CUDA architectures, as 90 for compute capability 9.0; for the newest of them PTX lies "
                  "beside the machine code, for devices that are newer still.")
      ->type_name("N")
      ->delimiter(',')
      ->check(CLI::Range(50, 999));
  CLI::Option* const processors =
      build
          .add_option("--cpu", pack_build_.processors,
                      "Processors that kernels for the CPU are for: levels of x86-64, whose code runs on all "
                      "that are of that level or a higher one, and 'native', this machine's; that one unless "
                      "given.")
          ->type_name("NAME")
          ->delimiter(',')
          ->check(CLI::IsMember({"native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}));
  build.add_flag("--no-cpu", pack_build_.no_cpu, "No kernels for the CPU.")->excludes(processors);
  build.add_option("--threads", pack_build_.threads, "That compile at once; else as many as may be used.")
      ->type_name("N");
  build.add_option("--sign-with", pack_build_.sign_with, "Signs with the secret key in this file.")
      ->type_name("FILE");
  build.add_flag("--allow-faults", pack_build_.allow_faults, "Answers 0 though something is lacking.");
  build.add_option("-o,--output", pack_build_.output, "The pack.")->type_name("FILE")->required();
  add_json(build, pack_build_);
}

void command_line::add_pack_views(CLI::App& pack) {
  CLI::App& list = add(pack, "list", "list the kernels of a pack", "", {"sinter pack list app.sinterpack"},
                       [this] { return run_pack_list(pack_list_); });
  list.add_option("PACK", pack_list_.file, "The pack.")->required();
  add_json(list, pack_list_);

  CLI::App& verify =
      add(pack, "verify", "read packs whole and tell what is wrong with them",
          "With keys, a pack that none of them has signed is wrong.", {"sinter pack verify app.sinterpack"},
          [this] { return run_pack_verify(pack_verify_); });
  verify.add_option("PACK", pack_verify_.files, "The packs.")->required();
  verify.add_option("-k,--key", pack_verify_.keys, "A public key that may have signed them.")
      ->type_name("KEY");
  add_json(verify, pack_verify_);
}

void command_line::add_pack_merge(CLI::App& pack) {
  CLI::App& merge =
      add(pack, "merge", "make one pack of several", "Of equal kernels that of the first pack is taken.",
          {"sinter pack merge a.sinterpack b.sinterpack --output both.sinterpack"},
          [this] { return run_pack_merge(pack_merge_); });
  merge.add_option("PACK", pack_merge_.files, "The packs.")->required();
  merge.add_option("-o,--output", pack_merge_.output, "The new pack.")->type_name("FILE")->required();
  add_json(merge, pack_merge_);
}

void command_line::add_pack_signatures(CLI::App& pack) {
  CLI::App& keys =
      add(pack, "keys", "make a pair of keys for signing packs",
          "The secret key goes into a new file that nobody else may read; the public one is printed.",
          {"sinter pack keys --output packs.secret"}, [this] { return run_pack_keys(pack_keys_); });
  keys.add_option("-o,--output", pack_keys_.output, "The file of the secret key.")
      ->type_name("FILE")
      ->required();
  add_json(keys, pack_keys_);

  CLI::App& sign = add(pack, "sign", "sign a pack", "A signature that it has is replaced.",
                       {"sinter pack sign app.sinterpack --key packs.secret"},
                       [this] { return run_pack_sign(pack_sign_); });
  sign.add_option("PACK", pack_sign_.file, "The pack.")->required();
  sign.add_option("-k,--key", pack_sign_.key, "The file of the secret key.")->type_name("FILE")->required();
  sign.add_option("-o,--output", pack_sign_.output, "Writes the signed pack here and leaves the other alone.")
      ->type_name("FILE");
  add_json(sign, pack_sign_);
}

command_line::command_line() {
  app_.name("sinter");
  app_.set_help_flag("-h,--help", "Tells about the command.");
  extras_[&app_] = {
      "Sinter compiles array functions to kernels while programs run, and keeps what it compiled. This "
      "command tells what it finds on this machine, and looks into what is kept.",
      {"sinter doctor", "sinter cache list --kernel 'softmax*'", "sinter show 3f9a --text",
       "sinter completion bash > ~/.local/share/bash-completion/completions/sinter"},
      {}};
  app_.add_flag("--version", version_, "Versions of Sinter and of what it found; with --json for programs.");
  add_json(app_, common_);
  app_.require_subcommand(0, 1);

  CLI::App& doctor =
      add(app_, "doctor", "tell what is found on this machine, and what each missing piece costs",
          "Looks for devices, compilers, the linker, the cache directory, the shared cache and "
          "disassemblers. Essential is what lets kernels be compiled for the devices that are there.",
          {"sinter doctor", "sinter doctor --json"}, [this] { return run_doctor(doctor_); });
  add_json(doctor, doctor_);

  add_cache_commands();
  add_pack_commands();
  tune_.add_to(app_,
               [this](CLI::App& to, const char* name, const char* summary, const char* details,
                      std::vector<std::string> examples, action run) -> CLI::App& {
                 return add(to, name, summary, details, std::move(examples), std::move(run));
               });

  CLI::App& show =
      add(app_, "show", "show what an entry of the cache or of a pack holds",
          "Without an option that says what to show, tells what is known of the entry. One thing alone is "
          "printed as it is, several with headings.",
          {"sinter show 3f9a", "sinter show 3f9a --graph --schedule", "sinter show 3f9a --sass | less",
           "sinter show 3f9a --pack app.sinterpack --text"},
          [this] { return run_show(show_); });
  add_show(show, show_);

  CLI::App& completion =
      add(app_, "completion", "print a script that completes this command's words in a shell", "",
          {"source <(sinter completion bash)", "sinter completion zsh > ~/.zfunc/_sinter",
           "sinter completion fish > ~/.config/fish/completions/sinter.fish"},
          [this] {
            console(false).print(completion_of(tree(), shell_));
            return exit_code::success;
          });
  completion.add_option("SHELL", shell_, "bash, zsh or fish.")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));

  add(app_, "manual", "print the manual page, sinter(1), as roff", "", {"sinter manual | man -l -"}, [this] {
    console(false).print(manual_of(tree()));
    return exit_code::success;
  });
}

/// The values that IsMember put into the type's name: "BY:{used,bytes}".
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> made;
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return made;
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

option_node node_of(const CLI::Option& of) {
  option_node made;
  if (of.get_positional()) made.names.push_back(of.get_name(true));
  for (const std::string& name : of.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : of.get_lnames()) made.names.push_back("--" + name);
  const std::string type = of.get_type_size() == 0 ? "" : of.get_type_name();
  made.value = type.substr(0, type.find(':'));
  made.choices = choices_of(type);
  made.help = of.get_description();
  if (!made.choices.empty() && !of.get_positional())
    made.help += fmt::format(" One of {}.", CLI::detail::join(made.choices, ", "));
  made.required = of.get_required();
  return made;
}

command_node command_line::node_of(const CLI::App& of) const {
  command_node made;
  made.name = of.get_name();
  made.summary = of.get_description();
  const extra& more = extras_.at(&of);
  made.details = more.details;
  made.examples = more.examples;
  for (const CLI::Option* each : of.get_options()) made.options.push_back(command::node_of(*each));
  for (const CLI::App* each : of.get_subcommands([](const CLI::App*) { return true; }))
    made.commands.push_back(node_of(*each));
  return made;
}

std::string command_line::path_of(const CLI::App& of) const {
  return of.get_parent() == nullptr ? of.get_name() : path_of(*of.get_parent()) + " " + of.get_name();
}

const CLI::App& command_line::innermost() const {
  const CLI::App* at = &app_;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

exit_code command_line::parse_and_run(int count, const char* const* words) {
  try {
    app_.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& of = innermost();
    console(false).print(help_of(node_of(of), path_of(of)));
    return exit_code::success;
  } catch (const CLI::ParseError& wrong) {
    if (const auto unknown = find_unknown_word(tree(), {words + 1, words + count}))
      throw failure(fmt::format("{} '{} --help' tells what is possible", unknown->text, unknown->path),
                    exit_code::usage);
    throw failure(fmt::format("{}. '{} --help' tells what is possible", wrong.what(), path_of(innermost())),
                  exit_code::usage);
  }
  if (version_) return run_version(common_);
  if (const action& run = extras_.at(&innermost()).run) return run();
  throw failure("no command was given. 'sinter --help' tells what there is", exit_code::usage);
}

/// Whether the output is for programs; determined before the command line is parsed.
bool json_is_wanted(int count, const char* const* words) {
  for (int i = 1; i < count; ++i)
    if (std::strcmp(words[i], "--json") == 0) return true;
  return false;
}

exit_code fail(const std::string& text, exit_code code, bool json) {
  std::fprintf(stderr, "sinter: %s\n", text.c_str());
  if (json) console(true).document({{"error", text}, {"exit_code", static_cast<int>(code)}});
  return code;
}

}  // namespace

exit_code run(int count, const char* const* words) {
  const bool json = json_is_wanted(count, words);
  exit_code code = exit_code::success;
  try {
    code = command_line().parse_and_run(count, words);
  } catch (const failure& ended) {
    code = fail(ended.what(), ended.code(), json);
  } catch (const std::exception& ended) {
    code = fail(ended.what(), exit_code::failed, json);
  }
  // output may be buffered: a full disk is reported only here
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("sinter: what was printed could not be written: standard output failed\n", stderr);
    return exit_code::failed;
  }
  return code;
}

command_node command_tree() { return command_line().tree(); }

}  // namespace sinter::inline v0::command
