// The workspace of a call: the offsets of the temporaries that its stages pass on.

#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/segment/workspace.hpp>

#include <limits>

namespace sinter::test {

TEST_CASE("temporaries lie one after the other at multiples of 256 bytes") {
  workspace memory;
  CHECK(memory.add_temporary(1) == 0);
  CHECK(memory.add_temporary(257) == 1);
  CHECK(memory.take(8) == 768);
  CHECK(memory.temporaries()[0] == 0);
  CHECK(memory.temporaries()[1] == 256);
  CHECK(memory.bytes() == 1024);
}

TEST_CASE("a temporary takes the memory of one of its size that was given back, and of no other") {
  workspace memory;
  const std::uint32_t first = memory.add_temporary(1000), second = memory.add_temporary(1000);
  memory.give_back(first, 1000);
  const std::uint32_t shorter = memory.add_temporary(999), equal = memory.add_temporary(1000),
                      another = memory.add_temporary(1000);
  CHECK(memory.temporaries()[shorter] == 2048);
  CHECK(memory.temporaries()[equal] == memory.temporaries()[first]);
  CHECK(memory.temporaries()[another] == 3072);
  CHECK(memory.temporaries()[second] == 1024);
  CHECK(memory.bytes() == 4096);
}

TEST_CASE("a workspace that was cleared gives nothing back") {
  workspace memory;
  memory.give_back(memory.add_temporary(512), 512);
  memory.clear();
  CHECK(memory.bytes() == 0);
  CHECK(memory.temporaries().empty());
  memory.add_temporary(256);
  const std::uint32_t after = memory.add_temporary(512);
  CHECK(memory.temporaries()[after] == 256);
}

TEST_CASE("a workspace of more bytes than there are addresses is refused") {
  workspace memory;
  constexpr std::size_t half = std::numeric_limits<std::size_t>::max() / 4;
  memory.take(half);
  CHECK_THROWS_AS(memory.take(half), out_of_memory);
}

}  // namespace sinter::test
