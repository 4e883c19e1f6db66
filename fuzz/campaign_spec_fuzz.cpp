#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/campaign/job_spec.hpp"
#include "plimsoll/campaign/selection.hpp"
#include "plimsoll/core/error.hpp"

/// Arbitrary bytes are refused, or are a job that is the same when it is written and read again, whose
/// placeholders are known or refused. The same bytes as a selection of jobs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plimsoll;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const campaign::JobSpec spec = campaign::spec_from_json(text);
        const std::string written = campaign::to_json(spec);
        PLIMSOLL_EXPECT(campaign::to_json(campaign::spec_from_json(written)) == written);
        campaign::check_placeholders(spec);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
    }
    try {
        for (const campaign::Selected& selected : campaign::parse_selection(text, 100)) {
            PLIMSOLL_EXPECT(selected.first_job >= 1 && selected.first_job <= selected.last_job);
            PLIMSOLL_EXPECT(selected.last_job <= 100);
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;
    }
    return 0;
}
