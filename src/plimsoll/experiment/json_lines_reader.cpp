#include "plimsoll/experiment/detail/formats.hpp"
#include "plimsoll/experiment/detail/json_lines.hpp"
#include "plimsoll/experiment/detail/json_sketch.hpp"

namespace plimsoll::experiment::detail {

bool is_json_lines(const Probe& probe) {
    const JsonSketch sketch = sketch_json(probe.head);
    if (sketch.opening != '{' || sketch.goes_on) return false;
    if (sketch.has_key("params") || sketch.schema.starts_with("plimsoll.experiment")) return true;
    // A measurement with a mistyped key is told so by this reader, not by that of whole documents.
    return !sketch.has_semicolons && !sketch.has_key("measurements") &&
           (sketch.has_key("value") || sketch.has_key("values") || sketch.has_key("summary"));
}

void read_json_lines(Input& input, ExperimentBuilder& builder, const ReadOptions& /*options*/) {
    expect_opening(input, "{", "JSON lines");
    JsonLinesReader(builder, LineDialect::json_lines).read(input);
}

}  // namespace plimsoll::experiment::detail
