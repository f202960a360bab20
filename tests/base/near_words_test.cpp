// Words that a misspelt word may stand for.

#include <doctest/doctest.h>

#include <sinter/codegen/base/near_words.hpp>

#include <array>
#include <string>

using namespace sinter;

namespace {
constexpr std::array<std::string_view, 4> fields{"vector", "steps", "threads_along", "--kernel"};
}

TEST_CASE("letters to change, add, remove or swap are counted") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("steps", "steps") == 0);
  CHECK(edit_distance("", "tile") == 4);
  CHECK(edit_distance("vectr", "vector") == 1);
  CHECK(edit_distance("setps", "steps") == 1);
  CHECK(edit_distance("tile", "tiled") == 1);
  CHECK(edit_distance("rows", "flat") == 4);
}

TEST_CASE("a word of the caller's is quoted without control characters, and cut where it is long") {
  CHECK(quoted_word("vectr") == "\"vectr\"");
  CHECK(quoted_word("\x1b[2J") == "\"?[2J\"");
  CHECK(quoted_word(std::string(65, 'v')) == '"' + std::string(64, 'v') + "…\"");
}

TEST_CASE("the nearest word differs in few letters or begins with the word, and no other is named") {
  CHECK(nearest_word("vectr", fields) == "vector");
  CHECK(nearest_word("STEPS", fields) == "steps");
  CHECK(nearest_word("threads", fields) == "threads_along");
  CHECK(nearest_word("threads", std::array<std::string_view, 2>{"reads", "threads_along"}) ==
        "threads_along");
  CHECK(nearest_word("--kernle", fields) == "--kernel");
  CHECK(nearest_word("colour", fields).empty());
  CHECK(nearest_word("", fields).empty());
  CHECK(nearest_word("v", fields).empty());
  CHECK(nearest_word("--", fields).empty());
  CHECK(nearest_word("vector", {}).empty());
  CHECK(nearest_word(std::string(100000, 'v'), fields).empty());
}
