#pragma once

#include <string>
#include <vector>

#include "app/commands/models.hpp"
#include "app/report/documents.hpp"

namespace plimsoll::app {

struct ReportOptions {
    Percent efficiency{0.5};
};

template <class Visitor>
void describe(ReportOptions& o, Visitor&& option) {
    option("efficiency", o.efficiency,
           "Efficiency, relative to the fewest processes measured, below which the program no longer scales",
           Shares{0.01, 1.0});
}

struct ReportRequest {
    ModelsRequest models;
    std::string output;  ///< a file, `-`, or a folder: one that is there, or ends with a slash
    std::string before;  ///< measurements or models of an earlier version, to compare with; empty: none
    ReportOptions options;
    std::string version;  ///< of a page that a server renews; empty for one that stands alone
};

/// What was written.
struct ReportReport {
    std::string output;
    std::size_t bytes = 0;
    std::vector<std::string> parameters;
    std::size_t regions = 0;
    std::size_t models = 0;        ///< regions and metrics with a model
    std::size_t measurements = 0;  ///< of all of them; 0 where models came from a file alone
    std::vector<DocumentKind> documents;
    std::vector<std::string> notes;
};

/// Writes a report of models, or of measurements that are modelled first; with models from a file,
/// measurements may stand beside them, which are then shown. Documents of other commands among the inputs
/// have pages of their own, with or without models. In a folder, the documents shown lie beside the page.
/// Throws a usage error where several files hold models or no output is named.
[[nodiscard]] ReportReport build_report(const ReportRequest& request, Progress& progress);

}  // namespace plimsoll::app
