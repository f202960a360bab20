// Tables.

#include <sinter/runtime/command/terminal/output.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace sinter::test {

using command::console;
using command::table;

TEST_CASE("columns are as wide as their widest cell, numbers stand on the right") {
  table rows({{"NAME"}, {"SIZE", true}, {"WHY"}});
  rows.add({"a", "1 B", "first"});
  rows.add({"longer", "1024 B", ""});
  CHECK(rows.text(console(false)) ==
        "NAME      SIZE  WHY\n"
        "a          1 B  first\n"
        "longer  1024 B\n");
}

TEST_CASE("letters of several bytes take one column, and a row may be short") {
  table rows({{"NAME"}, {"X"}});
  rows.add({"\xc3\xa4\xc3\xb6", "1"});
  rows.add({"ab", "2"});
  rows.add({"abc"});
  CHECK(rows.text(console(false)) == "NAME  X\n\xc3\xa4\xc3\xb6    1\nab    2\nabc\n");
}

TEST_CASE("a table without rows is nothing, not even its head") {
  CHECK(table(std::vector<table::column>{{"NAME"}}).text(console(false)).empty());
}

}  // namespace sinter::test
