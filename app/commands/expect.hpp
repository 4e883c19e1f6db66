#pragma once

#include <string>
#include <vector>

#include "app/commands/models.hpp"
#include "plimsoll/model/expectation.hpp"

namespace plimsoll::app {

struct ExpectRequest {
    ModelsRequest models;
    std::string rules;    ///< file, or `-`
    bool strict = false;  ///< what is undecided counts as broken
};

/// The document `plimsoll.expect/1`.
struct ExpectReport {
    std::vector<std::string> parameters;
    model::Rules rules;
    std::vector<model::Check> checks;  ///< in the order of the rules
    double coverage = 0.9;
    bool strict = false;
    std::vector<std::string> notes;

    [[nodiscard]] std::size_t count(model::Verdict verdict) const;
    /// Whether a check fails: it is broken, or undecided where that counts.
    [[nodiscard]] bool fails(const model::Check& check) const;
    [[nodiscard]] bool any_fails() const;
};

/// Compares models, or models of measurements, with the rules of a file.
[[nodiscard]] ExpectReport expect(ExpectRequest request, Progress& progress);

}  // namespace plimsoll::app
