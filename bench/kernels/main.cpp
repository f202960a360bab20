// sinter_kernels: runs programs that are given as text, to check them or to time them beside bare kernels.

#include "json.hpp"
#include "machine.hpp"
#include "partitions.hpp"
#include "program.hpp"
#include "program_memory.hpp"
#include "replay.hpp"
#include "time_candidates.hpp"
#include "time_tuning.hpp"
#include "timed_call.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter_bench;
using clock_type = std::chrono::steady_clock;

constexpr const char* usage =
    R"(usage: sinter_kernels answer|time|candidates|partitions|tune [--device=cpu|cuda] [--pairs=N] [--seconds=S] [--whole=S] [--most=N] [--times=FILE] < programs
       sinter_kernels replay|work --times=FILE [--model=NAME] < programs

answer   reads programs that the bytes of their buffers follow, and prints their results as the differential fuzzer's
         driver does: "ok MICROSECONDS N", then "TYPE RANK EXTENTS..." and the bytes of each; or "error KIND MESSAGE"
time     reads programs without bytes and prints a line of JSON for each: the microseconds of N calls that begin with
         cold caches, of as many bare kernels that move the memory that the line "roofline" asks for, in turns, and
         what the call explains. A first line describes the machine. After S seconds a program gets no more pairs, but
         at least five.
tune     tunes each with a budget of S seconds, then for --whole=120 seconds at most, which is time for every schedule, and
         times both winners beside the default; --whole=0 leaves the second search out
candidates times other schedules of each program; with --times=FILE those that FILE has of it
partitions times the fused call and up to eight partitions into separate calls, in N turns
replay   lets the cost model choose among schedules that were timed before, without a GPU, and prints the regret
work     prints what the cost model counts of each of them, for fit_rates.py
)";

constexpr std::size_t max_partitions = 8;

struct settings {
  device where = device::cpu();
  unsigned pairs = 30;
  double seconds = 20;
  double whole = tuning_budgets().whole;
  std::size_t most = 48;  ///< candidates
  std::string times, model = "H200";
};

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

// ---- answer
// ------------------------------------------------------------------------------------------------

std::string answer(const program& of, device where) {
  const program_memory memory(of, where, std::cin);
  std::vector<runtime::result> results(of.outputs.size());
  const auto begin = clock_type::now();
  runtime::call(runtime::intern(record(of)), memory.operands(), {}, {}, results);
  synchronize(where);
  std::string text = "ok " + std::to_string(static_cast<long long>(seconds_since(begin) * 1e6)) + " " +
                     std::to_string(results.size()) + "\n";
  for (runtime::result& result : results) {
    const any_array made(std::move(result));
    text += std::string(facts_of(made.type()).name) + " " + std::to_string(made.rank());
    for (const std::int64_t extent : made.shape()) text += " " + std::to_string(extent);
    const std::vector<std::byte> bytes = bytes_of(made);
    text += "\n" + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return text;
}

std::string failure(const std::exception& thrown) {
  const char* kind = "std";
  if (dynamic_cast<const shape_error*>(&thrown) != nullptr)
    kind = "shape_error";
  else if (dynamic_cast<const type_error*>(&thrown) != nullptr)
    kind = "type_error";
  else if (dynamic_cast<const compile_error*>(&thrown) != nullptr)
    kind = "compile_error";
  else if (dynamic_cast<const error*>(&thrown) != nullptr)
    kind = "sinter_error";
  return std::string("error ") + kind + " " + one_line(thrown.what()) + "\n";
}

void answer_all(const settings& chosen) {
  program of;
  while (read_program(std::cin, of)) {
    std::string text;
    try {
      text = answer(of, chosen.where);
    } catch (const std::exception& thrown) {
      text = failure(thrown);
    }
    std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
    std::cout.flush();
  }
}

// ---- time
// --------------------------------------------------------------------------------------------------

std::string time_program(const program& of, machine& on, const settings& chosen) {
  const auto begin = clock_type::now();
  const timed_call own(of, on);
  const auto call = [&] { own(); };
  const auto bare = [&] { on.move(of.read_bytes, of.written_bytes); };
  cold_seconds(on, own.touched(), 2, bare);
  const double once = cold_seconds(on, own.touched(), 2, call);
  const unsigned calls = once < 50e-6 ? 5 : once < 500e-6 ? 2 : 1;
  std::vector<double> mine, limit;
  for (unsigned pair = 0; pair < chosen.pairs; ++pair) {
    if (pair >= 5 && seconds_since(begin) > chosen.seconds) break;
    // The side that goes first alternates, so that a slow drift affects both alike.
    for (const bool own_turn : {pair % 2 == 0, pair % 2 != 0})
      (own_turn ? mine : limit)
          .push_back(1e6 *
                     cold_seconds(on, own.touched(), calls, own_turn ? std::function<void()>(call) : bare));
  }
  return "{\"id\": " + quoted(of.id) + ", \"own_us\": " + list(mine) + ", \"bare_us\": " + list(limit) +
         ", \"calls\": " + std::to_string(calls) + ", \"first_ms\": " + number(own.first_seconds() * 1e3) +
         ", \"explain\": " + quoted(own.explained()) + "}";
}

std::string describe(machine& on) {
  std::string text = "{\"device\": " + quoted(on.where().name()) + ", \"details\": " + quoted(on.details());
  constexpr unsigned many = 21;
  const auto nothing = [&] { on.launch_nothing(); };
  const auto often = [&] {
    for (unsigned i = 0; i < many; ++i) on.launch_nothing();
  };
  double one = 1, all = 1;
  for (int i = 0; i < 50; ++i) {
    one = std::min(one, on.seconds_of(nothing));
    all = std::min(all, on.seconds_of(often));
  }
  text += ", \"launch_us\": " + number(std::max(0.0, all - one) / (many - 1) * 1e6) +
          ", \"instructions_a_second\": {";
  for (std::size_t of = 0; of < std::size(instruction_names); ++of)
    text += (of == 0 ? "" : ", ") + quoted(instruction_names[of]) + ": " +
            number(on.instructions_a_second(static_cast<instruction>(of)));
  return text + "}}";
}

times_by_program table_of(const settings& chosen) {
  std::ifstream times(chosen.times);
  if (!times) throw std::runtime_error("cannot read " + chosen.times);
  return read_times(times);
}

/// The candidates that a table has of a program; none without a table.
std::span<const timed_candidate> given_of(const times_by_program& table, const std::string& id) {
  if (table.empty()) return {};
  const auto found = table.find(id);
  if (found == table.end()) throw std::runtime_error("the table has no times of it");
  return found->second;
}

void time_all(std::string_view verb, const settings& chosen) {
  times_by_program table;
  if (!chosen.times.empty()) table = table_of(chosen);
  const std::unique_ptr<machine> on = chosen.where.is_cpu() ? cpu_machine() : cuda_machine();
  std::cout << describe(*on) << std::endl;
  program of;
  while (read_program(std::cin, of)) {
    std::string text;
    try {
      if (verb == "time")
        text = time_program(of, *on, chosen);
      else if (verb == "tune")
        text = time_tuning(of, *on, {chosen.seconds, chosen.whole});
      else if (verb == "partitions")
        text = time_partitions(of, *on, max_partitions, chosen.pairs, chosen.seconds);
      else
        text = time_candidates(of, *on, given_of(table, of.id), chosen.most,
                               std::thread::hardware_concurrency(), chosen.seconds);
    } catch (const std::exception& thrown) {
      text = "{\"id\": " + quoted(of.id) + ", \"error\": " + quoted(thrown.what()) + "}";
    }
    std::cout << text << std::endl;
  }
}

bool take(std::string_view word, settings& to) {
  const auto value_of = [&](std::string_view flag) {
    return word.starts_with(flag) ? std::string(word.substr(flag.size())) : std::string();
  };
  if (const std::string value = value_of("--device="); value == "cpu" || value == "cuda")
    to.where = value == "cpu" ? device::cpu() : device::cuda(0);
  else if (const std::string pairs = value_of("--pairs="); !pairs.empty())
    to.pairs = static_cast<unsigned>(std::stoul(pairs));
  else if (const std::string seconds = value_of("--seconds="); !seconds.empty())
    to.seconds = std::stod(seconds);
  else if (const std::string whole = value_of("--whole="); !whole.empty())
    to.whole = std::stod(whole);
  else if (const std::string most = value_of("--most="); !most.empty())
    to.most = std::stoul(most);
  else if (const std::string times = value_of("--times="); !times.empty())
    to.times = times;
  else if (const std::string model = value_of("--model="); !model.empty())
    to.model = model;
  else
    return false;
  return true;
}

void replay_all(const settings& chosen, bool only_work) {
  const times_by_program times = table_of(chosen);
  if (only_work)
    write_work(std::cin, times, chosen.model, std::cout);
  else
    std::cout << replay(std::cin, times, chosen.model) << std::endl;
}

}  // namespace

int main(int count, char** words) {
  settings chosen;
  const std::string_view verb = count > 1 ? words[1] : "";
  bool good = verb == "answer" || verb == "time" || verb == "candidates" || verb == "partitions" ||
              verb == "tune" || verb == "replay" || verb == "work";
  for (int i = 2; i < count; ++i) good = good && take(words[i], chosen);
  if (!good) {
    std::fputs(usage, stderr);
    return 2;
  }
  std::ios::sync_with_stdio(false);
  try {
    if (verb == "replay" || verb == "work")
      replay_all(chosen, verb == "work");
    else
      verb == "answer" ? answer_all(chosen) : time_all(verb, chosen);
  } catch (const std::exception& thrown) {  // a text that is no program, or no such device
    std::fprintf(stderr, "sinter_kernels: %s\n", thrown.what());
    return 1;
  }
  return 0;
}
