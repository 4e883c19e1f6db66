#include <array>
#include <string>

#include "fuzz/profile_fuzz.hpp"
#include "plimsoll/profile/detail/hpctoolkit.hpp"

// experiment.xml, and behind a line that says so, a file of values.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plimsoll;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    constexpr std::string_view divider = "\n#values\n";
    const std::size_t divide = all.find(divider);
    try {
        experiment::ExperimentBuilder builder;
        std::vector<profile::Part> parts;
        profile::detail::Sink sink{.builder = builder, .parts = parts};
        Input document("experiment.xml", all.substr(0, divide));
        profile::detail::HpctoolkitReader reader(document, sink);
        if (divide != std::string_view::npos) {
            Input values("values", all.substr(divide + divider.size()));
            reader.read_values(values, {});
        }
        reader.finish();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
    }
    return 0;
}
