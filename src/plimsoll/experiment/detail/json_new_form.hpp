#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/experiment/detail/repetition_values.hpp"

namespace plimsoll::experiment::detail {

/// Measurements of a JSON document of the new form: entries below each region and metric.
///
/// Entries that come before the parameters are held until these are known.
class NewForm {
  public:
    struct Entry {
        SeriesId series{};
        std::vector<double> point;
        RepetitionValues values;
        bool has_null = false;
        std::uint64_t line = 0;
    };

    NewForm(ExperimentBuilder& builder, const std::string& file) : builder_(&builder), place_{.file = file} {}

    void set_parameters(const std::vector<std::string>& names, std::uint64_t line);
    void add(const Entry& entry);

    [[nodiscard]] bool has_parameters() const { return has_parameters_; }

  private:
    ExperimentBuilder* builder_;
    Place place_;
    bool has_parameters_ = false;
    std::vector<Entry> held_;
};

}  // namespace plimsoll::experiment::detail
