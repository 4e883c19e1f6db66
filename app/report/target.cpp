#include "app/report/target.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/model/document.hpp"

namespace plimsoll::app {

namespace {

void write_whole(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

/// Names of the documents' files.
std::vector<std::string> names_of(const std::vector<ShownDocument>& documents) {
    std::map<DocumentKind, int> numbers;
    std::vector<std::string> names;
    for (const ShownDocument& document : documents) {
        const int number = ++numbers[document.kind];
        names.push_back(number == 1 ? fmt::format("{}.json", enum_name(document.kind))
                                    : fmt::format("{}-{}.json", enum_name(document.kind), number));
    }
    return names;
}

}  // namespace

ReportTarget::ReportTarget(const std::string& output) : page_(output) {
    std::error_code ignored;
    if (output == "-" || !(output.ends_with('/') || std::filesystem::is_directory(output, ignored))) return;
    folder_ = output;
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    page_ = (std::filesystem::path(folder_) / "index.html").string();
}

void ReportTarget::make() const {
    if (folder_.empty()) return;
    std::error_code failure;
    std::filesystem::create_directories(folder_, failure);
    if (failure)
        throw Error(ErrorKind::environment,
                    fmt::format("{}: cannot make the folder: {}", folder_, failure.message()),
                    "choose a folder that you may write to");
}

std::string ReportTarget::in_folder(const std::string& name) const {
    return (std::filesystem::path(folder_) / name).string();
}

void ReportTarget::refuse_over(const std::vector<std::string>& inputs,
                               const std::vector<ShownDocument>& documents) const {
    refuse_output_over_input(page_, inputs);
    if (folder_.empty()) return;
    std::vector<std::string> names = names_of(documents);
    names.insert(names.end(), {"models.json", "compare.json"});
    for (const std::string& name : names) refuse_output_over_input(in_folder(name), inputs);
}

void ReportTarget::write_beside(const ReportData* experiment,
                                const std::vector<ShownDocument>& documents) const {
    if (folder_.empty()) return;
    if (experiment != nullptr) {
        write_whole(in_folder("models.json"), model::to_json(*experiment->document));
        if (!experiment->comparison.empty()) write_whole(in_folder("compare.json"), experiment->comparison);
    }
    const std::vector<std::string> names = names_of(documents);
    for (std::size_t i = 0; i < documents.size(); ++i) write_whole(in_folder(names[i]), documents[i].json);
}

}  // namespace plimsoll::app
