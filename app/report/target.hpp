#pragma once

#include <string>
#include <vector>

#include "app/report/documents.hpp"
#include "app/report/report_data.hpp"

namespace plimsoll::app {

/// Where a report goes: a file, or a folder with the page and, beside it, the documents that it shows.
class ReportTarget {
  public:
    /// A folder is one that is there, or a name that ends with a slash; `-` is standard output.
    explicit ReportTarget(const std::string& output);

    /// The page's own file.
    [[nodiscard]] const std::string& page() const { return page_; }

    /// Throws a usage error where a file that may be written or removed is an input.
    void refuse_over(const std::vector<std::string>& inputs,
                     const std::vector<ShownDocument>& documents) const;

    /// Makes the folder, if it is one. Throws an environment error where that cannot be.
    void make() const;

    /// Writes models.json, compare.json, training.json, plan.json, campaign.json into the folder, those that
    /// are; further ones of a kind are numbered: plan-2.json. Those that an earlier report wrote there and
    /// this one does not are removed. The page is written afterwards: it is never newer than they are.
    void write_beside(const ReportData* experiment, const std::vector<ShownDocument>& documents) const;

  private:
    [[nodiscard]] std::string in_folder(const std::string& name) const;

    std::string folder_;  ///< empty where the report is a file
    std::string page_;
    std::vector<std::string> earlier_;  ///< files in the folder that an earlier report wrote
};

}  // namespace plimsoll::app
