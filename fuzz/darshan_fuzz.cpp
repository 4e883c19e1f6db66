#include "fuzz/profile_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return plimsoll::fuzz::read_profile("darshan", data, size);
}
