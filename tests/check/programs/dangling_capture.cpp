#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto scaled(float factor) {
  return fuse([&](auto x) { return factor * x; });  // expect: `factor` ends with its function
}
auto shifted_by_name(float by) {
  auto f = fuse([&by](auto x) { return x + by; });  // expect: `by` ends with its function
  return f;
}
struct layer {
  std::function<array<float, 1>(const array<float, 1>&)> apply;
  void set(float weight) {
    apply = fuse([&weight](auto x) { return weight * x; });  // expect: `weight` ends with its function
  }
};
using function_of_floats = std::function<array<float, 1>(const array<float, 1>&)>;
class network {
 public:
  void add(float weight) {
    layers_.push_back(fuse([&](auto x) { return weight * x; }));  // expect: `weight` ends with its function
    layers_.emplace_back(
        fuse([&](auto x) { return x - weight; }));  // expect: `weight` ends with its function
  }
  void name(const std::string& key, float weight) {
    named_[key] = fuse([&weight](auto x) { return weight + x; });  // expect: `weight` ends with its function
  }
  void share(float weight) {
    shared_ = std::make_shared<function_of_floats>(
        fuse([&](auto x) { return weight - x; }));  // expect: `weight` ends with its function
  }
  array<float, 1> apply(const array<float, 1>& x) const {
    array<float, 1> y = x.copy();
    for (const auto& layer : layers_) y = layer(y);
    return (*shared_)(named_.at("last")(y));
  }

 private:
  std::vector<function_of_floats> layers_;
  std::map<std::string, function_of_floats> named_;
  std::shared_ptr<function_of_floats> shared_;
};
void add_to(std::vector<function_of_floats>& layers, float weight) {
  const auto layer = fuse([&](auto x) { return weight * x; });  // expect: kept in an argument
  layers.push_back(layer);
}
auto in_lambda(float weight) {
  auto f = fuse([&](auto x) { return weight * x; });  // expect: `weight` ends with its function
  return [f](const array<float, 1>& x) { return array<float, 1>(f(x)); };
}
auto in_pair(float weight) {
  return [pair = std::make_pair(
              1, fuse([&](auto x) { return weight * x; }))](  // expect: `weight` ends with its function
             const array<float, 1>& x) { return array<float, 1>(pair.second(x)); };
}
array<float, 1> kept_here(const array<float, 1>& x, float by) {
  std::vector<function_of_floats> layers;
  layers.push_back(fuse([&](auto y) { return y + by; }));
  layer made;
  made.apply = fuse([&](auto y) { return y * by; });
  return made.apply(layers[0](x));
}
array<float, 1> used_here(const array<float, 1>& x, float by) {
  auto f = fuse([&](auto y) { return y + by; });
  return f(x);
}

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  expect(scaled(2)(x), {2, 4});
  expect(shifted_by_name(2)(x), {3, 4});
  layer made;
  made.set(3);
  expect(made.apply(x), {3, 6});
  expect(used_here(x, 1), {2, 3});
  network many;
  many.add(2);
  many.name("last", 1);
  many.share(3);
  expect(many.apply(x), {2, 0});
  std::vector<function_of_floats> layers;
  add_to(layers, 2);
  expect(layers[0](x), {2, 4});
  expect(in_lambda(2)(x), {2, 4});
  expect(in_pair(3)(x), {3, 6});
  expect(kept_here(x, 2), {6, 8});
}
