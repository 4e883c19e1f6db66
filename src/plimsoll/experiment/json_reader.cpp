#include <filesystem>
#include <nlohmann/json.hpp>

#include "plimsoll/experiment/detail/formats.hpp"
#include "plimsoll/experiment/detail/json_document.hpp"
#include "plimsoll/experiment/detail/json_sketch.hpp"
#include "plimsoll/experiment/detail/json_source.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::size_t longest_first_line = 4096;  // in which a semicolon is looked for

}  // namespace

bool is_json(const Probe& probe) {
    const char opening = sketch_json(probe.head).opening;
    // Settings files begin with '[' as well; a JSON array is said to be one by its name.
    return opening == '{' || (opening == '[' && std::filesystem::path(probe.path).extension() == ".json");
}

void read_json(Input& input, ExperimentBuilder& builder, const ReadOptions& /*options*/) {
    expect_opening(input, "{[", "a JSON document");
    expect_commas(input.peek(longest_first_line), Place{.file = input.name(), .line = 1});
    JsonSource source(input);
    JsonDocumentHandler handler(builder, input.name(), source);
    nlohmann::json::sax_parse(JsonSource::Iterator(source), JsonSource::Iterator(), &handler);
}

}  // namespace plimsoll::experiment::detail
