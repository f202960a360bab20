#include <sinter/codegen/error.hpp>

#include <utility>

namespace sinter {

// The destructors are here so that each class' type information exists once, in the library.
error::error(const std::string& message) : std::runtime_error(message) {}
error::~error() = default;
shape_error::~shape_error() = default;
type_error::~type_error() = default;
device_error::~device_error() = default;

out_of_memory::out_of_memory(const std::string& message, std::size_t requested_bytes, std::size_t free_bytes)
    : error(message), requested_bytes_(requested_bytes), free_bytes_(free_bytes) {}
out_of_memory::~out_of_memory() = default;

compile_error::compile_error(const std::string& message, std::string source, std::string log)
    : error(message), details_(std::make_shared<const details>(details{std::move(source), std::move(log)})) {}
compile_error::~compile_error() = default;

execution_error::execution_error(const std::string& message, std::string kernel)
    : error(message), kernel_(std::make_shared<const std::string>(std::move(kernel))) {}
execution_error::~execution_error() = default;

}  // namespace sinter
