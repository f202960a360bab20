// Converts a kernel's description to bytes and back. One list of fields serves both directions.

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/graph/order/argsort_node.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

constexpr std::uint64_t max_externals = 1 << 16;  // limit of a graph; larger numbers are rejected when
                                                  // reading

/// Writes fields.
class field_writer {
 public:
  static constexpr bool reads = false;
  template <class T>
  void number(const T& value) {
    bytes_.put(value);
  }
  template <class T>
  void enumerator(const T& value, T) {
    bytes_.put(value);
  }
  void flag(const bool& value) { bytes_.put(value); }
  void text(const std::string& value) { bytes_.put_text(value); }
  template <class T>
  void count(const std::vector<T>& of, std::size_t) {
    bytes_.put(static_cast<std::uint32_t>(of.size()));
  }
  void expect(bool) {}
  std::string& bytes() { return bytes_.bytes; }

 private:
  byte_writer bytes_;
};

/// Reads fields, and rejects values that no description has.
class field_reader {
 public:
  static constexpr bool reads = true;
  explicit field_reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  void number(T& value) {
    value = bytes_.take<T>();
  }
  template <class T>
  void enumerator(T& value, T last) {
    value = bytes_.take_enumerator(last);
  }
  void flag(bool& value) {
    const auto byte = bytes_.take<std::uint8_t>();
    expect(byte <= 1);
    value = byte == 1;
  }
  void text(std::string& value) { value = bytes_.take_text(); }
  template <class T>
  void count(std::vector<T>& of, std::size_t min_bytes) {
    of.resize(bytes_.take_count(min_bytes));
  }
  void expect(bool holds) {
    if (!holds) bytes_.refuse();
  }
  bool is_whole() const { return bytes_.good() && bytes_.at_end(); }
  bool good() const { return bytes_.good(); }

 private:
  byte_reader bytes_;
};

/// The list names all members: with one more it does not compile. No text depends on `tasks`.
template <class Fields, class Schedule>
void fields_of_schedule(Fields& fields, Schedule& chosen) {
  auto& [order, vector, steps, rows_per_thread, threads_along, threads_across, tile, cluster, shared_steps,
         streaming, reads, resident, scalar_loads, staged, whole_rows, private_updates, tasks] = chosen;
  fields.enumerator(order, loop_orders.back().order);
  for (auto* each : {&vector, &steps, &rows_per_thread, &threads_along, &threads_across, &tile, &cluster,
                     &shared_steps, &private_updates})
    fields.number(*each);
  for (auto* each : {&streaming, &resident, &scalar_loads, &staged, &whole_rows}) fields.flag(*each);
  fields.enumerator(reads, eviction::first);
}

/// Two bits per axis.
std::uint64_t steps_of(const access_pattern& at, unsigned rank) {
  std::uint64_t steps = 0;
  for (unsigned axis = 0; axis < rank; ++axis)
    steps |= static_cast<std::uint64_t>(at.pattern(axis)) << (2 * axis);
  return steps;
}
/// Whether there are such steps, and a linear access has its own.
bool set_steps(access_pattern& at, unsigned rank, std::uint64_t steps) {
  bool is_possible = rank == max_rank || steps >> (2 * rank) == 0;
  for (unsigned axis = 0; axis < rank; ++axis) {
    const auto step = steps >> (2 * axis) & 3;
    is_possible &= step <= static_cast<std::uint64_t>(step_pattern::strided);
    at.steps[axis] = static_cast<step_pattern>(step);
    is_possible &=
        !at.is_linear || at.steps[axis] == (axis == 0 ? step_pattern::unit : step_pattern::strided);
  }
  return is_possible;
}

template <class Fields, class Access>
void fields_of_access(Fields& fields, Access& at, const kernel_pattern& body) {
  fields.enumerator(at.what, access_pattern::kind::updated);
  fields.enumerator(at.type, element_types.back().type);
  fields.flag(at.is_linear);
  std::uint64_t steps = Fields::reads ? 0 : steps_of(at, body.rank);
  fields.number(steps);
  if constexpr (Fields::reads) fields.expect(set_steps(at, body.rank, steps));
  fields.number(at.base);
  fields.number(at.shift);
  fields.number(at.row_shift);
  fields.number(at.group);
  fields.expect(at.base < body.accesses.size() && at.group < body.accesses.size());
  fields.flag(at.contiguous_inside);
  fields.number(at.first_term);
  fields.number(at.term_count);
  fields.expect(at.first_term <= body.terms.size() && at.term_count <= body.terms.size() - at.first_term);
  fields.expect(at.term_count == 0 || at.what == access_pattern::kind::read);
}

template <class Fields, class Term>
void fields_of_term(Fields& fields, Term& term, const kernel_pattern& body) {
  fields.enumerator(term.rule, position_rule::index);
  fields.number(term.position);
  fields.expect(term.position < body.accesses.size());
  if constexpr (Fields::reads) {
    if (!fields.good()) return;
    fields.expect(
        body.accesses[term.position].what ==
        (term.rule == position_rule::index ? access_pattern::kind::read : access_pattern::kind::position));
  }
}

template <class Fields, class External>
void fields_of_external(Fields& fields, External& called) {
  fields.text(called.name);
  fields.enumerator(called.result, element_types.back().type);
  fields.number(called.arity);
  fields.expect(called.arity <= max_external_arguments);
  for (auto& type : called.arguments) fields.enumerator(type, element_types.back().type);
  for (auto* content : {&called.cuda_content, &called.cpu_content})
    for (auto& word : *content) fields.number(word);
}

/// Which body an instruction is in, and the arguments of one that has bodies: two for each result, and one;
/// of a reduction or scan three for each result, and four if it is continued.
template <class Fields, class Instruction, class Nest>
void fields_of_body(Fields& fields, Instruction& at, std::uint32_t number, Nest& body) {
  const std::uint32_t none = instruction::no_owner;
  fields.number(at.owner);
  fields.flag(at.otherwise);
  fields.number(at.argument_count);
  fields.expect(at.owner == none || (at.owner > number && at.owner < body.body.size()));
  fields.expect(!at.continued || (at.op == operation::scan && body.split >= 0));
  fields.expect(at.op != operation::partial || at.owner != none);
  if (at.op == operation::last) fields.expect(at.arity == 1 && at.arguments[0] < number);
  if constexpr (Fields::reads) {
    if (!fields.good()) return;
    if (at.op == operation::last) fields.expect(body.body[at.arguments[0]].op == operation::scan);
  }
  if (!has_body(at.op)) {
    fields.expect(at.argument_count == 0);
    return;
  }
  const bool is_complete = combines_by_body(at.op)
                               ? at.argument_count % (at.continued ? 4 : 3) == 0 && at.argument_count > 0
                               : at.argument_count % 2 == 1;
  fields.expect(is_complete && at.payload <= body.arguments.size() &&
                at.argument_count <= body.arguments.size() - at.payload);
  if constexpr (Fields::reads)
    if (!fields.good()) return;
  for (const std::uint32_t argument : body.arguments_of(at)) fields.expect(argument < number);
  const std::uint64_t partials =
      combines_by_body(at.op) ? 2 * body.arguments_of_combining(at).identities.size() : 0;
  for (std::uint32_t inside = 0; inside < number; ++inside)
    if (body.body[inside].op == operation::partial && body.body[inside].owner == number)
      fields.expect(body.body[inside].payload < partials);
}

template <class Fields, class Instruction, class Description>
void fields_of_instruction(Fields& fields, Instruction& at, std::uint32_t number, Description& described) {
  fields.enumerator(at.op, operations().back().op);
  fields.enumerator(at.type, element_types.back().type);
  fields.enumerator(at.compute, element_types.back().type);
  fields.number(at.arity);
  fields.expect(at.arity <= at.arguments.size());
  fields.number(at.phase);
  fields.expect(at.phase <= described.body.phases);
  for (auto* each :
       {&at.per_element, &at.fused, &at.negated, &at.exclusive, &at.continued, &at.by_pointer, &at.ascending})
    fields.flag(*each);
  for (auto& argument : at.arguments) {
    fields.number(argument);
    fields.expect(argument < number || argument == 0);
  }
  fields.number(at.payload);
  fields_of_body(fields, at, number, described.body);
  if (at.op == operation::input || at.op == operation::coordinate)
    fields.expect(at.payload < described.body.accesses.size());
  if (at.op == operation::argsort)
    fields.expect(at.arity == 1 && at.type == argsort_type && is_sort_key(at.compute) && at.payload >= 1 &&
                  at.payload <= 8 * size_of(at.compute));
  if (at.op != operation::external) return;
  fields.expect(at.payload < max_externals);
  if constexpr (Fields::reads) {
    if (!fields.good()) return;
    if (described.externals.size() <= at.payload) described.externals.resize(at.payload + 1);
  }
  fields_of_external(fields, described.externals[at.payload]);
}

template <class Fields, class Nest, class Description>
void fields_of_nest(Fields& fields, Nest& body, Description& described) {
  constexpr std::size_t min_access = 32, min_instruction = 39, min_store = 17, min_term = 5;
  fields.number(body.rank);
  fields.expect(body.rank <= max_rank);
  if constexpr (Fields::reads)
    if (!fields.good()) return;
  fields.number(body.reduced);
  fields.expect(body.rank == max_rank || body.reduced >> body.rank == 0);
  fields.number(body.phases);
  fields.number(body.split);
  fields.expect(body.split >= -1 && body.split < static_cast<int>(body.rank));
  fields.count(body.terms, min_term);
  fields.count(body.accesses, min_access);
  for (auto& at : body.accesses) fields_of_access(fields, at, body);
  for (auto& term : body.terms) fields_of_term(fields, term, body);
  fields.count(body.arguments, sizeof(std::uint32_t));
  for (auto& argument : body.arguments) fields.number(argument);
  fields.count(body.body, min_instruction);
  fields.expect(body.phases <= body.body.size() + 1);
  for (std::uint32_t i = 0; i < body.body.size(); ++i)
    fields_of_instruction(fields, body.body[i], i, described);
  fields.count(body.stores, min_store);
  for (auto& at : body.stores) {
    fields.number(at.value);
    fields.number(at.target);
    fields.expect(at.value < body.body.size() && at.target < body.accesses.size());
    fields.number(at.place);
    fields.number(at.condition);
    fields.number(at.elements);
    fields.enumerator(at.combine, operations().back().op);
    fields.expect(!at.has_elements() ||
                  (at.elements < body.body.size() && body.body[at.elements].op == operation::extent));
    fields.expect(!at.is_update() || (at.place < body.body.size() && at.condition < body.body.size()));
  }
}

template <class Fields, class Description>
void fields_of(Fields& fields, Description& described) {
  fields.enumerator(described.target, target_kind::cpu);
  fields.number(described.architecture);
  fields.enumerator(described.mode, arithmetic_mode::fast);
  for (auto* each : {&described.argument_block, &described.narrow_reduced, &described.narrow_kept,
                     &described.overlap.waits, &described.overlap.releases})
    fields.flag(*each);
  fields_of_schedule(fields, described.chosen);
  fields_of_nest(fields, described.body, described);
  fields.text(described.name);
}

kernel_description described(std::string_view signature) { return *read_signature(signature); }

std::string signature_of(const kernel_description& described) {
  std::string bytes;
  write_signature(described, bytes);
  return bytes;
}

}  // namespace

void write_signature(const kernel_description& described, std::string& bytes) {
  field_writer fields;
  fields.bytes().swap(bytes);  // retains its memory
  fields.bytes().clear();
  fields.number(static_cast<std::uint64_t>(emitter_version));
  fields_of(fields, described);
  fields.bytes().swap(bytes);
}

std::optional<kernel_description> read_signature(std::string_view bytes) {
  field_reader fields(bytes);
  std::uint64_t version = 0;
  fields.number(version);
  fields.expect(version == static_cast<std::uint64_t>(emitter_version));
  kernel_description described;
  fields_of(fields, described);
  if (!fields.is_whole()) return std::nullopt;
  return described;
}

std::string signature_for(std::string_view signature, int architecture) {
  kernel_description other = described(signature);
  other.architecture = architecture;
  return signature_of(other);
}

std::string signature_without_name(std::string_view signature) {
  kernel_description other = described(signature);
  other.name.clear();
  return signature_of(other);
}

}  // namespace sinter::inline v0
