// Tunings as text.
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::runtime;

namespace {

tuning_record record_of(const std::string& function, const std::string& call, double gain) {
  tuning_record made;
  made.emitter = emitter_version;
  tuning_report& at = made.report;
  at.function = function;
  at.graph = "00112233445566778899aabbccddeeff";
  at.device = "a processor, 2 threads, vectors of 64 bytes";
  at.call = call;
  at.usual_seconds = 1.25e-5;
  at.chosen_seconds = 1.25e-5 * (1 - gain);
  at.gain = gain;
  at.gain_low = gain / 2;
  at.gain_high = gain * 1.5;
  tuned_stage stage;
  stage.purpose = "results | of\nrows";
  stage.bytes_moved = 4096;
  stage.candidates = 2;
  stage.chosen.vector = 4;
  tuning_trial usual{stage.usual, trial_outcome::timed, 1.25e-5, 1.2e-5, 1.3e-5, 15, ""};
  tuning_trial other{stage.chosen, trial_outcome::timed, 1e-5, 0.9e-5, 1.1e-5, 15, ""};
  tuning_trial failed{
      schedule{.tile = 8}, trial_outcome::failed, 0, 0, 0, 0, "it does not compile | at all\n"};
  stage.trials = {usual, other, failed};
  at.stages = {stage};
  at.cut = {.doublings = 1};
  tuning_trial as_chosen{{}, trial_outcome::timed, 1.25e-5, 1.2e-5, 1.3e-5, 9, ""};
  tuning_trial twice = as_chosen;
  twice.cut = at.cut;
  twice.seconds = 1.1e-5;
  at.cut_trials = {as_chosen, twice};
  return made;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream from(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& each : lines) text += each + '\n';
  return text;
}

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(read_tunings(text, "x.tuning"));
  } catch (const type_error& refused) {
    return refused.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what is written is read again, but for what separates columns and lines") {
  const std::string text = to_text({record_of("softmax (a.cpp:7)", "float32[2^6] contiguous", 0.2)});
  const std::vector<tuning_record> read = read_tunings(text, "x.tuning");
  REQUIRE(read.size() == 1);
  const tuning_report& at = read[0].report;
  CHECK(read[0].emitter == emitter_version);
  CHECK(at.function == "softmax (a.cpp:7)");
  CHECK(at.call == "float32[2^6] contiguous");
  CHECK(at.usual_seconds == 1.25e-5);
  CHECK(at.gain == 0.2);
  REQUIRE(at.stages.size() == 1);
  CHECK(at.stages[0].purpose == "results / of rows");
  CHECK(at.stages[0].chosen.vector == 4);
  REQUIRE(at.stages[0].trials.size() == 3);
  CHECK(at.stages[0].trials[1].low == 0.9e-5);
  CHECK(at.stages[0].trials[2].outcome == trial_outcome::failed);
  CHECK(at.stages[0].trials[2].why == "it does not compile / at all ");
  CHECK(at.cut == cut_choice{.doublings = 1});
  REQUIRE(at.cut_trials.size() == 2);
  CHECK(at.cut_trials[0].cut == cut_choice());
  CHECK(at.cut_trials[1].cut == at.cut);
  CHECK(at.cut_trials[1].seconds == 1.1e-5);
  CHECK(to_text(read) == text);
}

TEST_CASE(
    "what calls are tuned by has the winner's schedules, or none where the default stays, and the times") {
  const tuned_entry won = entry_of(record_of("a", "x", 0.2).report, "a file");
  REQUIRE(won.tuned->stages.size() == 1);
  CHECK(won.tuned->stages[0].value().vector == 4);
  CHECK(won.tuned->gain == 0.2);
  CHECK(won.tuned->gain_low == 0.1);
  CHECK(won.tuned->usual_seconds == 1.25e-5);
  CHECK(won.tuned->others_timed == 2);  // a schedule and a cut
  CHECK(won.tuned->cuts == cut_choice{.doublings = 1});
  const tuned_entry stayed = entry_of(record_of("a", "x", 0).report, "a file");
  CHECK(stayed.tuned->stages.empty());
  CHECK(stayed.tuned->cuts == cut_choice());
  CHECK(stayed.tuned->gain == 0);
  CHECK(stayed.tuned->chosen_seconds == 1.25e-5);
}

TEST_CASE("the union of two files' lines, in any order, is a file with the records of both") {
  const std::string one = to_text({record_of("a", "x", 0.2), record_of("b", "x", 0.1)});
  const std::string other = to_text({record_of("b", "x", 0.1), record_of("c", "x", 0.3)});
  std::vector<std::string> lines = lines_of(one);
  for (const std::string& line : lines_of(other))
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  std::reverse(lines.begin() + 1, lines.end());
  std::vector<std::string> functions;
  for (const tuning_record& each : read_tunings(joined(lines), "x.tuning"))
    functions.push_back(each.report.function);
  std::ranges::sort(functions);
  CHECK(functions == std::vector<std::string>{"a", "b", "c"});
  // both sides of a merge with the same first line, too
  CHECK(read_tunings(one + other, "x.tuning").size() == 3);
}

TEST_CASE("of two records of the same calls the one with the larger gain is written") {
  const std::string text =
      to_text({record_of("a", "x", 0.1), record_of("a", "x", 0.3), record_of("a", "x", 0.2)});
  const std::vector<tuning_record> read = read_tunings(text, "x.tuning");
  REQUIRE(read.size() == 1);
  CHECK(read[0].report.gain == 0.3);
}

TEST_CASE("a record in which anything changed, or is missing, is refused with the line and what to do") {
  const std::vector<std::string> lines = lines_of(to_text({record_of("a", "x", 0.2)}));
  REQUIRE(lines.size() == 8);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CAPTURE(i);
    std::vector<std::string> without = lines, changed = lines;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK(contains(refusal_of(joined(without)), "the file is damaged"));
    changed[i].back() = changed[i].back() == 'x' ? 'y' : 'x';
    CHECK(contains(refusal_of(joined(changed)), "tuning file x.tuning, line 2: "));
  }
  CHECK(contains(refusal_of("nonsense\n"), "line 1: a tuning file begins with \"sinter tuning 2\""));
  CHECK(contains(refusal_of(""), "a tuning file begins with"));
  for (const char* form : {"sinter tuning 1", "sinter tuning 3"})
    CHECK(contains(refusal_of(form + std::string("\n")),
                   "its form is \"" + std::string(form) + "\", and this library reads"));
  CHECK(contains(refusal_of("sinter tuning 2\nhello\n"), "line 2: it does not begin with a record's number"));
}

TEST_CASE("any prefix of a file is read as the records that it has whole, or refused") {
  const std::string text = to_text({record_of("a", "x", 0.2), record_of("b", "x", 0.1)});
  std::size_t whole = 0;
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    const std::string prefix = text.substr(0, bytes);
    if (!refusal_of(prefix).empty()) continue;
    ++whole;
    CHECK(read_tunings(prefix, "x.tuning").size() <= 2);
  }
  // the first line alone, one record, both, each with and without the last line's end
  CHECK(whole == 6);
}
