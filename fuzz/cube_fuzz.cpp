#include "fuzz/reader_fuzz.hpp"

namespace {

/// A profile lies in a folder that tells its configuration; an archive that is no profile may be anything.
int read_profile(std::string_view content) {
    try {
        plimsoll::experiment::ExperimentBuilder builder;
        plimsoll::Input input("app.p4n100.r1/profile.cubex", content);
        plimsoll::experiment::read(input, builder, {.format = "cube"});
        (void)builder.build();
    } catch (const plimsoll::Error& error) {
        if (error.kind() != plimsoll::ErrorKind::input) throw;
    }
    return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return read_profile({reinterpret_cast<const char*>(data), size});
}
