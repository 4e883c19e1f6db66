#include "plimsoll/experiment/detail/formats.hpp"
#include "plimsoll/experiment/detail/json_lines.hpp"
#include "plimsoll/experiment/detail/json_sketch.hpp"

namespace plimsoll::experiment::detail {

bool is_talpas(const Probe& probe) {
    const JsonSketch sketch = sketch_json(probe.head);
    return sketch.opening == '{' && sketch.has_semicolons;
}

void read_talpas(Input& input, ExperimentBuilder& builder, const ReadOptions& /*options*/) {
    expect_opening(input, "{", "Talpas lines");
    JsonLinesReader(builder, LineDialect::talpas).read(input);
}

}  // namespace plimsoll::experiment::detail
