#pragma once
// Texts of the CPU for lanes side by side: from the C++ of one element's formula, the same formula on Clang's
// vectors. A device function needs no second text so, and both forms compute the same bits.

#include <sinter/codegen/math/device_functions.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

/// An element's type: b of bool, i, u, f. A vector of bool is a mask: integers of so many bytes, 0 or -1.
struct lane_type {
  char kind = 'i';
  std::uint8_t bytes = 4;
  bool operator==(const lane_type&) const = default;
};
/// The type of a spelling: "unsigned int". Throws std::logic_error for one that vectors do not have.
lane_type lane_type_of(std::string_view spelling);

/// An expression: a scalar, which all lanes share, or a vector.
struct lane_value {
  std::string text;
  lane_type type{};
  bool is_vector = false;
};

/// Translates texts for vectors of a number of lanes, and keeps what they need: types of vectors, and device
/// functions for vectors. Expressions are C++ of arithmetic types, with C++'s promotions, casts, choices,
/// bit_cast and the mathematical builtins of Clang.
class lane_translator {
 public:
  explicit lane_translator(text_mode mode) : mode_(mode) {}

  /// From here on vectors have so many lanes, and no name is declared. If they are `doubled`, processors with
  /// registers of 64 bytes have twice as many, as WIDE() in the texts says.
  void set_lanes(int lanes, bool doubled = false) {
    lanes_ = doubled ? "WIDE(" + std::to_string(lanes) + ")" : std::to_string(lanes);
    lane_count_ = lanes;
    suffix_ = "x" + std::to_string(lanes) + (doubled ? "w" : "");
    names_.clear();
  }
  /// The number of lanes, as text.
  const std::string& lanes() const { return lanes_; }
  /// Lets a name in expressions stand for a value, until it is declared again.
  void declare(const std::string& name, lane_value value) { names_[name] = std::move(value); }
  /// What a name stands for; nullptr if it is not declared.
  const lane_value* find(std::string_view name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &found->second;
  }

  lane_value translated(std::string_view expression);
  /// The text of a vector of a type with the value; of bool, a mask of bytes.
  std::string vector_of(const lane_value& value, lane_type type);
  /// "f32x16"; for a pointer to elements at any address "f32x16_at".
  std::string use_type(lane_type type);

  /// Definitions that stand in front of the translated texts: types, then functions.
  std::string definitions() const;
  /// Scalar device functions that those call.
  const std::vector<std::string>& scalar_functions() const { return scalar_functions_; }

 private:
  friend class lane_parser;
  struct parameter {
    lane_type type;
    bool is_reference;
    std::string name;
  };
  struct signature {
    bool returns = false;  ///< a value
    lane_type result{};
    std::vector<parameter> parameters;
  };
  signature signature_of(const device_function& function) const;
  /// What a comparison of vectors gives: of 1 and 8 bytes Clang has it in types of its own, char and long.
  lane_value mask_of(const std::string& compared, std::uint8_t bytes);
  /// The name of a function's form for vectors, which is made at its first use.
  std::string use_function(const device_function& function, const signature& types);
  std::string made(const device_function& function, const signature& types, const std::string& name);
  /// lane_random.cpp
  std::string made_by_blocks();
  std::string made_lane_by_lane(const device_function& function, const signature& types,
                                const std::string& name);

  text_mode mode_;
  int lane_count_ = 0;
  std::string lanes_, suffix_;  ///< their number as text; what ends the names of types and functions
  std::map<std::string, lane_value, std::less<>> names_;
  std::vector<std::string> types_, type_definitions_, functions_, function_definitions_, scalar_functions_;
};

}  // namespace sinter::inline v0::codegen
