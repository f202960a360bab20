#pragma once
// Words that a misspelt word may stand for, for messages.
//
// Threads: any thread may call these at any time.
// Throws: nothing but std::bad_alloc.
// After a failure: nothing has changed.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

/// Letters to change, add, remove, or swap with their neighbours, until one word is the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// A word of the caller's in quotes, for a message: without what a terminal would obey, and cut if it is
/// long.
std::string quoted_word(std::string_view word);

/// The candidate most similar to a word, whose case does not count. In this order, it differs in one letter,
/// begins with the word, or differs in one letter and one more for each three of the word; empty if none
/// does. Dashes at the beginning are no letters of the word. Refers to the candidate.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace sinter::inline v0
