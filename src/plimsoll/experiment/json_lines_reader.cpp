#include "plimsoll/experiment/detail/formats.hpp"
#include "plimsoll/experiment/detail/json_lines.hpp"
#include "plimsoll/experiment/detail/json_sketch.hpp"

namespace plimsoll::experiment::detail {

bool is_json_lines(const Probe& probe) {
    const JsonSketch sketch = sketch_json(probe.head);
    return sketch.opening == '{' && !sketch.goes_on &&
           (sketch.has_key("params") || sketch.schema.starts_with("plimsoll.experiment"));
}

void read_json_lines(Input& input, ExperimentBuilder& builder, const ReadOptions& /*options*/) {
    expect_opening(input, "{", "JSON lines");
    JsonLinesReader(builder, LineDialect::json_lines).read(input);
}

}  // namespace plimsoll::experiment::detail
