#pragma once
// What builders and passes share that write a kernel's statements: the kernel's facts, where an access lies
// at a position, how a number is taken apart into positions, and the instructions of the nest.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/statements/body_statements.hpp>
#include <sinter/codegen/loops/statements/loop_writer.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <bit>
#include <string>

namespace sinter::inline v0::codegen {

/// How split_digits() declares positions.
struct digit_names {
  std::string_view rest = "r", position = "t";
  value_type type = index_type;
  bool changes = false;  ///< positions are variables
};

class kernel_statements {
 protected:
  kernel_statements(const kernel_description& described, loop_tree& tree);

  // Facts of the kernel.
  const kernel_pattern& body() const { return described_.body; }
  const schedule& chosen() const { return described_.chosen; }
  bool is_on_gpu() const { return is_gpu(described_.target); }
  int warp() const { return static_cast<int>(warp_threads(described_.target)); }
  unsigned rank() const { return body().rank; }
  const access_pattern& at(std::uint32_t i) const { return body().accesses[i]; }
  const instruction& code(std::uint32_t i) const { return body().body[i]; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(body().accesses.size()); }
  std::uint32_t code_count() const { return static_cast<std::uint32_t>(body().body.size()); }
  /// Whether positions of the nest say where an access lies in memory.
  bool is_memory(std::uint32_t i) const { return is_read(i) || is_write(i); }
  /// Whether instructions say it.
  bool is_gathered(std::uint32_t i) const {
    return at(i).what == access_pattern::kind::gathered || at(i).what == access_pattern::kind::updated;
  }
  /// Whether an instruction reads where its argument says.
  bool gathers(std::uint32_t i) const { return code(i).op == operation::input && code(i).arity == 1; }
  bool is_read(std::uint32_t i) const { return at(i).what == access_pattern::kind::read; }
  bool is_write(std::uint32_t i) const { return at(i).what == access_pattern::kind::write; }
  unsigned groups() const;
  const access_pattern& first_of_group(unsigned group) const;
  bool group_is_linear(unsigned group) const { return first_of_group(group).is_linear; }
  value_type storage(std::uint32_t i) const { return storage_of(at(i).type); }
  /// Lanes: neighbouring elements along one axis, as many as a vector has. Those of a read that differ, and
  /// whether an access moves all of them at once.
  int vector() const { return chosen().vector; }
  unsigned lane_axis() const {
    return reduces_rows(chosen().order) ? static_cast<unsigned>(std::countr_zero(body().reduced)) : 0;
  }
  int lanes(std::uint32_t i) const { return at(i).moves_along(lane_axis()) ? vector() : 1; }
  bool is_wide(std::uint32_t i) const {
    return at(i).pattern(lane_axis()) == step_pattern::unit && vector() > 1 && !chosen().scalar_loads;
  }

  // Names.
  template <typename... Parts>
  expression name(const Parts&... parts) {
    return out_.name(parts...);
  }
  expression integer(std::int64_t value) { return out_.integer(value); }
  expression thread_along() { return tree_.expressions.make(expression_kind::thread, {}, 0); }
  expression thread_across() { return tree_.expressions.make(expression_kind::thread, {}, 1); }
  expression block() { return tree_.expressions.make(expression_kind::block, {}); }
  expression extent(unsigned axis) { return name("a.e", axis); }

  /// Declares the arrays of the call, in global memory.
  void declare_arrays();
  /// CPU: declares whether results bypass the cache. Not where a call writes over an array that it reads: its
  /// lines are in the cache already.
  void declare_streaming();
  /// Opens the loops over what a GPU launches, after the arrays: blocks, those of a cluster, threads.
  void open_threads();

  // Where an access lies.
  /// The pointer argument of an access: that of its window's corner.
  expression base_pointer(std::uint32_t i);
  /// The same moved to the access itself, inside its window.
  expression pointer(std::uint32_t i);
  expression offset_argument(std::uint32_t i) { return name("a.o", i); }
  /// Where an access' array begins: its pointer, or of a position what it counts from.
  expression begin_of(std::uint32_t i) { return is_memory(i) ? pointer(i) : offset_argument(i); }
  /// The stride of an access along an axis: 0, 1 or an argument.
  expression stride(std::uint32_t i, unsigned axis);
  /// The sum of a group's terms over the axes that have a position. Of axes that share a digit the first has
  /// it, and stands for the offset that declare_shared_offsets() makes.
  expression index(unsigned group, std::span<const expression> positions);
  expression index(std::uint32_t group, std::initializer_list<expression> positions) {
    return index(group, std::span(positions.begin(), positions.size()));
  }
  /// The sum of `begin` and an index, as one sum.
  expression moved(expression begin, expression index);
  /// Adds the terms from the corner of an access' window to the access to an index.
  expression in_window(std::uint32_t i, expression index);

  // Terms of an access.
  bool has_terms(std::uint32_t i) const { return at(i).term_count != 0; }
  /// Whether neighbouring lanes of a read are anywhere, because a term of it moves along them.
  bool is_scattered(std::uint32_t i, unsigned lanes) const { return has_term_along(body(), at(i), lanes); }
  /// Whether all terms that move along the lanes leave numbers as they are from a first lane on, up to a last
  /// one.
  bool is_bordered(std::uint32_t i, unsigned lanes) const;
  /// The same of one term by such a rule.
  bool is_bordered_by(std::uint32_t i, unsigned lanes, bool (*is_rule)(position_rule)) const;
  /// Calls visit(term, position) for the terms that move along the lanes.
  template <typename Visit>
  void each_term_along(std::uint32_t i, unsigned lanes, Visit visit) {
    for (std::uint32_t term = at(i).first_term; term < at(i).first_term + at(i).term_count; ++term)
      if (at(body().terms[term].position).moves_along(lanes)) visit(term, body().terms[term].position);
  }
  /// Whether a position is a value, and not only what terms are made of.
  bool is_coordinate(std::uint32_t i) const;
  /// An index with the terms of its access; `number` gives a position access' value there, or where an index
  /// lies.
  template <typename Number>
  expression with_terms(std::uint32_t i, expression index, Number number) {
    for (std::uint32_t term = at(i).first_term; term < at(i).first_term + at(i).term_count; ++term)
      index = index +
              term_offset(term, number_at(body().terms[term].position, number(body().terms[term].position)));
    return index;
  }
  expression term_offset(std::uint32_t term, expression number);
  /// The number of a term: a position, or the index that lies at a place in memory.
  expression number_at(std::uint32_t position, expression place);
  /// Whether the array of a read may have no elements, where the results have some.
  bool may_be_empty(std::uint32_t i) const;
  /// The element of a read at an index, which has its terms; nothing is read of an array without elements.
  expression element_at(std::uint32_t i, expression begin, expression index);

  // Digits.
  /// Declares the positions along digits from a number: of all but the last the rest, too, which names the
  /// next number.
  void split_digits(expression number, std::span<const unsigned> digits, const digit_names& names);
  /// The digits `first` … `end` - 1 of the kept axes, by their numbers.
  void split_kept_digits(expression number, unsigned first, unsigned end, const digit_names& names);
  expression shared_offset_name(unsigned group, bool reduced);
  void declare_shared_offsets(bool reduced, expression position, bool assigned = false, bool changes = false);

  // Instructions.
  /// The value of an instruction from its operands, or its element or position.
  expression evaluate(std::uint32_t instruction, std::span<const expression> operands);
  expression stored(element_type type, expression value);
  expression start_of(std::uint32_t reduction);
  body_statements bodies_of(body_statements::value_of_instruction value,
                            const lanes_with_elements& reported = {}) {
    return {body(), is_on_gpu() ? lanes_of_bodies::threads : lanes_of_bodies::one_vector, out_,
            std::move(value), reported};
  }
  /// The element that an instruction reads at a number of elements; where `active` is given and does not
  /// hold, nothing is read.
  expression gathered(std::uint32_t instruction, expression offset, expression active);
  /// Tells of an index that is out of range, by the values of the instruction's arguments.
  void report(std::uint32_t instruction, std::span<const expression> arguments,
              const lanes_with_elements& lanes);
  /// Whether the value of an instruction differs between lanes.
  bool varies_along_lanes(std::uint32_t instruction) const;
  /// Which lanes of a thread's vector have an element: what others gather is not read, and what others report
  /// does not count. And which lane is the first; not set where there is one.
  struct lane_conditions {
    lanes_with_elements reported;
    expression active, is_first;
  };
  /// The values of one element of a nest without reductions: `element` gives, for an access, the element or
  /// the position. What all lanes share is reported by the first.
  template <typename Element>
  void evaluate_element(Element element, const lane_conditions& lanes = {}) {
    body_statements bodies = bodies_of([&](std::uint32_t i) { return name("v", i); }, lanes.reported);
    for (std::uint32_t i = 0; i < code_count(); ++i) {
      const instruction& made = code(i);
      if (made.owner != instruction::no_owner) continue;
      if (has_body(made.op)) {
        bodies.write(i);
        continue;
      }
      expression operands[3];
      unsigned operand_count = made.arity;
      for (unsigned a = 0; a < made.arity; ++a) operands[a] = name("v", made.arguments[a]);
      if (made.op == operation::component) operands[0] = bodies.component(i);
      if (made.op == operation::report) {
        report(i, operands,
               varies_along_lanes(i) ? lanes.reported : lanes_with_elements{lanes.is_first, {}, {}});
        continue;
      }
      if (gathers(i)) {
        operands[0] = gathered(i, operands[0], lanes.active);
      } else if (made.op == operation::input || made.op == operation::coordinate) {
        operands[0] = element(static_cast<std::uint32_t>(made.payload));
        operand_count = 1;
      }
      out_.let(value_of(made.type), name("v", i), evaluate(i, std::span(operands).first(operand_count)));
    }
  }
  /// The results of one element; `place` says where they go. Updates are made for `lanes` alone.
  template <typename Place>
  void store_element(Place place, const lanes_with_elements& lanes = {}) {
    for (std::uint32_t i = 0; i < body().stores.size(); ++i) {
      const store& result = body().stores[i];
      if (result.is_update())
        update(i, lanes);
      else
        out_.assign(place(result.target), stored(at(result.target).type, name("v", result.value)));
    }
  }
  /// Combines an element in memory with a value, by the number of the store.
  void update(std::uint32_t number, const lanes_with_elements& lanes) {
    const store& at = body().stores[number];
    const auto value = [&](std::uint32_t i) { return name("v", i); };
    out_.update(number, base_pointer(at.target)[value(at.place)], value(at.value), value(at.condition),
                lanes);
  }

  const kernel_description& described_;
  unsigned digits_;  ///< of the numbers of tiles
  axis_digits kept_, reduced_;
  loop_tree& tree_;
  loop_writer out_;
};

}  // namespace sinter::inline v0::codegen
