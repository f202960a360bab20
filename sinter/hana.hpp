#pragma once
// Struct templates that are adapted for Boost.Hana (BOOST_HANA_DEFINE_STRUCT) as operands, results and
// targets of fused functions: `moments<array<float, 1>>` outside becomes `moments<value<float, 1>>` while
// recording.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: nothing of its own; the calls that take such structs say what they throw (dsl/fuse.hpp).
// After a failure: a struct of targets holds what its members hold, by dsl/fuse.hpp.

#include <sinter/sinter.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

namespace sinter::inline v0::detail {

template <template <class> class Map, class T>
struct mapped_argument {
  using type = T;
};
template <template <class> class Map, class T>
  requires(is_operand_type<T>() || is_composite<T>)
struct mapped_argument<Map, T> {
  using type = typename Map<T>::type;
};

template <class Struct>
constexpr auto struct_members() {
  return boost::hana::unpack(boost::hana::accessors<Struct>(), [](auto... pairs) {
    return type_list<std::remove_cvref_t<decltype(boost::hana::second(pairs)(std::declval<Struct&>()))>...>();
  });
}
template <class Result, class Maker, class... Members>
Result make_struct(Maker& maker, type_list<Members...>) {
  return Result{maker.template make<Members>()...};
}

template <template <class...> class Struct, class... Arguments>
  requires boost::hana::Struct<Struct<Arguments...>>::value
struct composite<Struct<Arguments...>> {
  using self = Struct<Arguments...>;
  static constexpr bool is = true;
  using members = decltype(struct_members<self>());
  template <template <class> class Map>
  using mapped = Struct<typename mapped_argument<Map, Arguments>::type...>;

  template <class Object>
  static auto tie(Object& object) {
    return boost::hana::unpack(boost::hana::accessors<self>(), [&object](auto... pairs) {
      return std::tuple<decltype(boost::hana::second(pairs)(object))...>(
          boost::hana::second(pairs)(object)...);
    });
  }
  template <class Object, class Function>
  static void each(Object& object, Function&& function) {
    const auto members_of = tie(object);
    std::apply([&](auto&... parts) { (function(parts), ...); }, members_of);
  }
  template <class Result, class Maker>
  static Result make(Maker& maker) {
    return make_struct<Result>(maker, members());
  }
};

}  // namespace sinter::inline v0::detail
