#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "answer.hpp"
#include "cell.hpp"
#include "truth.hpp"

namespace plimsoll::model::accuracy {

/// The columns that name a row, as text: the same cell, seed and search is not judged twice.
std::string key_of(const Cell& cell, std::string_view search);

/// Names of all columns.
std::string header();

/// The columns behind the key: what share of the answers is right.
std::string judged(const Cell& cell, const std::vector<Truth>& truths, const std::vector<Answer>& answers);

/// The keys of the rows that a file has; none where it is not there.
std::set<std::string> keys_in(const std::string& path);

}  // namespace plimsoll::model::accuracy
