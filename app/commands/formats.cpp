#include "app/commands/formats.hpp"

#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/profile/format.hpp"

namespace plimsoll::app {

FormatsReport list_formats() {
    FormatsReport report;
    const auto list = [&](const auto& formats) {
        for (const auto& format : formats) {
            report.formats.push_back({.name = std::string(format.name),
                                      .description = std::string(format.description),
                                      .example = std::string(format.example)});
        }
    };
    list(experiment::formats());
    list(profile::formats());
    return report;
}

}  // namespace plimsoll::app
