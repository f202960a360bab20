// Assignment to views, and swapping views. What must not compile is in tests/compile_fail.
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

using namespace sinter;

TEST_SUITE("view assignment") {
  TEST_CASE("swap exchanges what views refer to and leaves the elements") {
    std::vector<float> first{1, 2, 3}, second{4, 5};
    view<float, 1> v(first.data(), {3}), w(second.data(), {2});
    swap(v, w);
    CHECK(v.data() == second.data());
    CHECK(v.size() == 2);
    CHECK(w.data() == first.data());
    CHECK(w.size() == 3);
    {
      using std::swap;
      swap(v, w);
    }
    CHECK(v.data() == first.data());
    std::ranges::swap(v, w);
    CHECK(v.data() == second.data());
    std::vector<view<float, 1>> views{v, w};
    std::iter_swap(views.begin(), views.begin() + 1);
    CHECK(views[0].data() == first.data());
    std::reverse(views.begin(), views.end());
    CHECK(views[0].data() == second.data());
    CHECK(first == std::vector<float>{1, 2, 3});
    CHECK(second == std::vector<float>{4, 5});
  }

  TEST_CASE("swap exchanges views that only read, and views of another layout") {
    const std::vector<int> first{1, 2, 3, 4}, second{5, 6};
    view<const int, 2> v(first.data(), {2, 2}), w(second.data(), {1, 2}, {0, -1});
    swap(v, w);
    CHECK(v.data() == second.data());
    CHECK(v.shape() == shape<2>{1, 2});
    CHECK(v.strides() == shape<2>{0, -1});
    CHECK(w.shape() == shape<2>{2, 2});
  }

  TEST_CASE("swap, assignment and sorting of views of run-time type exchange the views") {
    std::vector<float> first{1, 2, 3}, second{4, 5};
    any_view v = view<float, 1>(first.data(), {3}), w = view<float, 1>(second.data(), {2});
    std::swap(v, w);
    CHECK(v.data() == second.data());
    CHECK(w.data() == first.data());
    v = w;
    CHECK(v.data() == first.data());
    std::vector<any_view> views{v, view<float, 1>(second.data(), {2})};
    std::sort(views.begin(), views.end(),
              [](const any_view& a, const any_view& b) { return a.size() < b.size(); });
    CHECK(views[0].data() == second.data());
    CHECK(first == std::vector<float>{1, 2, 3});
    CHECK(second == std::vector<float>{4, 5});
  }

  TEST_CASE("a view without a name takes the elements of a view") {
    auto x = array<float, 1>::from({1, 2, 3, 4}, {4});
    const auto y = array<float, 1>::from({5, 6, 7, 8}, {4});
    x(slice(0, 2)) = y(slice(2, 4));
    CHECK(x.to_vector() == std::vector<float>{7, 8, 3, 4});
    x(slice(0, 2)) = x(slice(2, 4));
    CHECK(x.to_vector() == std::vector<float>{3, 4, 3, 4});
    view<float, 1> v = x;
    const view<const float, 1> w = y;
    v() = w;
    CHECK(x.to_vector() == y.to_vector());
    const view<float, 1> fixed = x(slice(0, 1));
    fixed() = w(3);  // broadcast
    CHECK(x.to_vector() == std::vector<float>{8, 6, 7, 8});
    auto m = zeros<float>({2, 4});
    m() = w;
    CHECK(m.to_vector() == std::vector<float>{5, 6, 7, 8, 5, 6, 7, 8});
    m(0) = v;
    CHECK(m(0).to_vector() == x.to_vector());
  }

  TEST_CASE("a view with a name takes expressions, arrays and numbers") {
    auto x = array<float, 1>::from({1, 2}, {2});
    const auto y = array<float, 1>::from({5, 6}, {2});
    view<float, 1> v = x;
    const view<float, 1> fixed = x;
    const view<const float, 1> w = y;
    v = w + 1;
    CHECK(x.to_vector() == std::vector<float>{6, 7});
    v = y;
    CHECK(x.to_vector() == std::vector<float>{5, 6});
    fixed = 3;
    CHECK(x.to_vector() == std::vector<float>{3, 3});
    fixed = w * 2 + v;
    CHECK(x.to_vector() == std::vector<float>{13, 15});
    v += w;
    CHECK(x.to_vector() == std::vector<float>{18, 21});
  }

  TEST_CASE("refer_to changes what a view stands for, of temporaries it cannot be said") {
    auto x = array<float, 1>::from({1, 2}, {2}), y = array<float, 1>::from({5, 6, 7}, {3});
    view<float, 1> v = x;
    v.refer_to(y);
    CHECK(v.data() == y.data());
    CHECK(v.size() == 3);
    CHECK(x.to_vector() == std::vector<float>{1, 2});
    const auto refers = []<class View>(View&&) {
      return requires(View&& of) { std::forward<View>(of).refer_to(of); };
    };
    CHECK(refers(v));
    CHECK_FALSE(refers(v(slice(0, 1))));
  }
}
