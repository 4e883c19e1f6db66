#pragma once

#include <string>
#include <vector>

#include "app/commands/models.hpp"
#include "plimsoll/model/comparison.hpp"

namespace plimsoll::app {

struct CompareRequest {
    ModelsRequest models;  ///< how both are read and modelled; the paths do not count
    std::string before;    ///< measurements, or one file with models
    std::string after;
    model::CompareOptions compare;
};

/// The document `plimsoll.compare/1`.
struct CompareReport {
    std::string before;
    std::string after;
    std::vector<std::string> parameters;
    bool predicted = false;  ///< by the models at points; else by what was measured in both
    model::CompareOptions options;
    model::Comparison comparison;
    std::vector<std::string> notes;

    [[nodiscard]] std::size_t count(model::Change verdict) const;
    /// Whether a change is one that makes the answer no.
    [[nodiscard]] bool fails() const;
};

/// Compares two versions of a program, at the points measured in both or, where points are given, by the
/// models. Throws a usage error where models come from a file and no point is given.
[[nodiscard]] CompareReport compare(const CompareRequest& request, Progress& progress);

}  // namespace plimsoll::app
