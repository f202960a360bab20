// Formulas of one element, translated for vectors.

#include <doctest/doctest.h>

#include <sinter/codegen/math/lane_text.hpp>

#include <stdexcept>
#include <string>

namespace sinter::test {
namespace {

using namespace codegen;

/// Vectors of four lanes: a and b of a type, f of float, d of double, m a mask of floats.
struct four_lanes : lane_translator {
  explicit four_lanes(lane_type type = {'f', 4}) : lane_translator(text_mode::standard) {
    set_lanes(4);
    declare("a", {"a", type, true});
    declare("b", {"b", type, true});
    declare("f", {"f", {'f', 4}, true});
    declare("d", {"d", {'f', 8}, true});
    declare("m", {"m", {'b', 4}, true});
    declare("k", {"k", {'f', 4}, false});
  }
  std::string text(std::string_view formula) { return translated(formula).text; }
};

TEST_CASE("vectors of one type are computed with as they are") {
  four_lanes of;
  CHECK(of.text("a * b + f") == "((a * b) + f)");
  CHECK(of.text("a - (b - f) / a") == "(a - ((b - f) / a))");
  CHECK(of.text("-a") == "(-a)");
}

TEST_CASE("types are promoted as C++ promotes those of scalars") {
  four_lanes bytes({'i', 1});
  const lane_value sum = bytes.translated("a + b");
  CHECK(sum.type == lane_type{'i', 4});
  CHECK(sum.text == "(__builtin_convertvector(a, i32x4) + __builtin_convertvector(b, i32x4))");
  CHECK(bytes.translated("a + d").type == lane_type{'f', 8});
  CHECK(bytes.translated("(signed char)(a + b)").type == lane_type{'i', 1});
  four_lanes words({'u', 4});
  CHECK(words.translated("a - 1").type == lane_type{'u', 4});
  CHECK(words.translated("a - 1ll").type == lane_type{'i', 8});
  CHECK(words.text("a >> 1") == "(a >> (u32x4)(u32x4_all)(1))");
}

TEST_CASE("what all lanes share stays a scalar until lanes need it") {
  four_lanes of;
  CHECK_FALSE(of.translated("2.0f * 3.0f").is_vector);
  CHECK_FALSE(of.translated("k < 1.0f ? k : 2.0f").is_vector);
  CHECK(of.text("a * k") == "(a * (f32x4)(f32x4_all)(k))");
}

TEST_CASE(
    "a comparison gives a mask as wide as its operands, and a choice takes one as wide as what it chooses") {
  four_lanes of;
  CHECK(of.translated("a < b").type == lane_type{'b', 4});
  CHECK(of.text("a < b ? a : k") == "((a < b) ? a : (f32x4)(f32x4_all)(k))");
  CHECK(of.text("m ? d : 2.0") == "(__builtin_convertvector(m, i64x4) ? d : (f64x4)(f64x4_all)(2.0))");
  CHECK(of.text("d < 0.0") == "(i64x4)(d < (f64x4)(f64x4_all)(0.0))");  // Clang gives lanes of long
}

TEST_CASE("masks are combined bit by bit, and are 0 and 1 as numbers") {
  four_lanes of;
  CHECK(of.text("m && a < b") == "(m & (a < b))");
  CHECK(of.text("!m || a != a") == "(~m | (a != a))");
  CHECK(of.text("(float)m") == "__builtin_convertvector((m & 1), f32x4)");
  CHECK(of.text("m < (a < b)").starts_with("((m & 1) < ((a < b) & 1))"));
}

TEST_CASE("a bool that all lanes share is 0 or 1 as a number, and 0 or -1 as a mask") {
  four_lanes of;
  const lane_value truth = of.translated("k < 1.0f");
  REQUIRE_FALSE(truth.is_vector);
  CHECK(of.vector_of(truth, {'u', 1}) == "(u8x4)(u8x4_all)((int)(k < 1.0f))");
  CHECK(of.vector_of(truth, {'b', 1}) == "(i8x4)(i8x4_all)(-(int)(k < 1.0f))");
}

TEST_CASE("conversions to integers of the same width change no bits") {
  four_lanes of({'i', 4});
  CHECK(of.text("(unsigned int)a") == "(u32x4)a");
  CHECK(of.text("__builtin_bit_cast(unsigned int, f)") == "__builtin_bit_cast(u32x4, f)");
  CHECK(of.text("__builtin_fmaf(f, f, 0x1.8p23f)") ==
        "__builtin_elementwise_fma(f, f, (f32x4)(f32x4_all)(0x1.8p23f))");
}

TEST_CASE("a device function becomes one for vectors where it is called first, with those that it calls") {
  four_lanes of;
  CHECK(of.text("exp_f32(a)") == "exp_f32_x4(a)");
  const std::string made = of.definitions();
  INFO(made);
  CHECK(made.find("f32x4 exp_f32_x4(f32x4 x) {") != std::string::npos);
  CHECK(made.find("f32x4 exp_scale_f32_x4(f32x4 p, f32x4 shifted) {") < made.find("f32x4 exp_f32_x4("));
  CHECK(of.scalar_functions().empty());
  of.text("exp_f32(b)");
  CHECK(of.definitions() == made);
}

TEST_CASE("a function that has a fast path is called, and the fast path is inlined") {
  four_lanes of;
  CHECK(of.text("sin_f32(a)") == "sin_f32_x4(a)");
  CHECK(of.text("sin_fast_f32(a)") == "sin_fast_f32_x4(a)");
  const std::string made = of.definitions();
  INFO(made);
  CHECK(made.find("static __attribute__((noinline)) f32x4 sin_f32_x4(f32x4 x)") != std::string::npos);
  CHECK(made.find("always_inline)) f32x4 sin_fast_f32_x4(f32x4 x)") != std::string::npos);
}

TEST_CASE("a function that loops is called lane by lane, and so is one that divides by what it gives") {
  four_lanes of({'i', 4});
  of.text("lcm_i32(a, b)");
  const std::string made = of.definitions();
  INFO(made);
  CHECK(made.find("all[e] = lcm_i32(x[e], y[e]);") != std::string::npos);
  REQUIRE(of.scalar_functions().size() == 1);
  CHECK(of.scalar_functions()[0] == "lcm_i32");
}

TEST_CASE("doubled vectors are twice as long where registers are") {
  lane_translator of(text_mode::standard);
  of.set_lanes(16, true);
  CHECK(of.use_type({'f', 4}) == "f32x16w");
  CHECK(of.definitions().starts_with("#ifdef __AVX512F__\n#define WIDE(lanes) 2 * lanes\n"));
}

TEST_CASE("a name that nobody declared, or a type without vectors, is an error") {
  four_lanes of;
  CHECK_THROWS_AS(of.text("a + c"), std::logic_error);
  CHECK_THROWS_AS(lane_type_of("complex<float>"), std::logic_error);
}

}  // namespace
}  // namespace sinter::test
