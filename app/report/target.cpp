#include "app/report/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

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

/// A report's own list of the files beside its page, one a line, so that a later one knows what to remove.
constexpr const char* list_name = ".plimsoll-report";

/// Whether a report gives files such a name: a list that was changed removes no others.
bool is_own_name(std::string_view name) {
    for (const std::string_view kind : {"models", "compare", "training", "plan", "campaign"}) {
        if (!name.starts_with(kind) || !name.ends_with(".json")) continue;
        std::string_view number = name.substr(kind.size(), name.size() - kind.size() - 5);
        if (number.empty()) return true;
        if (!number.starts_with('-') || number.size() == 1) continue;
        number.remove_prefix(1);
        if (number.find_first_not_of("0123456789") == std::string_view::npos) return true;
    }
    return false;
}

}  // namespace

ReportTarget::ReportTarget(const std::string& output) : page_(output) {
    std::error_code ignored;
    if (output == "-" || !(output.ends_with('/') || std::filesystem::is_directory(output, ignored))) return;
    folder_ = output;
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    page_ = (std::filesystem::path(folder_) / "index.html").string();
    std::ifstream list(in_folder(list_name));
    for (std::string name; std::getline(list, name);) {
        if (is_own_name(name)) earlier_.push_back(name);
    }
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
    names.insert(names.end(), earlier_.begin(), earlier_.end());
    for (const std::string& name : names) refuse_output_over_input(in_folder(name), inputs);
}

void ReportTarget::write_beside(const ReportData* experiment,
                                const std::vector<ShownDocument>& documents) const {
    if (folder_.empty()) return;
    std::vector<std::string> names = names_of(documents);
    const bool is_compared = experiment != nullptr && !experiment->comparison.empty();
    if (experiment != nullptr) names.emplace_back("models.json");
    if (is_compared) names.emplace_back("compare.json");
    std::vector<std::string> stale;
    for (const std::string& name : earlier_) {
        if (std::find(names.begin(), names.end(), name) == names.end()) stale.push_back(name);
    }
    const auto list = [&](const std::vector<std::string>& more) {
        std::string text;
        for (const std::string& name : names) text += name + "\n";
        for (const std::string& name : more) text += name + "\n";
        write_whole(in_folder(list_name), text);
    };
    list(stale);  // first, so that no file is forgotten where the disk is full amid them
    if (experiment != nullptr) write_whole(in_folder("models.json"), model::to_json(*experiment->document));
    if (is_compared) write_whole(in_folder("compare.json"), experiment->comparison);
    for (std::size_t i = 0; i < documents.size(); ++i) write_whole(in_folder(names[i]), documents[i].json);
    for (const std::string& name : stale) {
        std::error_code ignored;  // it may be gone
        std::filesystem::remove(in_folder(name), ignored);
    }
    if (!stale.empty()) list({});
}

}  // namespace plimsoll::app
