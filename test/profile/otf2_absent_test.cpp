// What is said where the library of OTF2 is not there.

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "plimsoll/core/error.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

TEST(Otf2, SaysHowToGetTheReader) {
    const test::TemporaryFolder folder;
    const std::string anchor = folder.write("run/traces.otf2", std::string("\3BOTF2\0\3\2\2\3", 11));
    for (const std::string& path : {folder.path().string(), folder / "run", anchor}) {
        try {
            (void)test::read_profiles(std::array{path});
            ADD_FAILURE() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::environment);
            EXPECT_EQ(std::string(error.what()),
                      anchor + ": is a trace in OTF2, which this plimsoll was built without");
            EXPECT_EQ(error.hint(), "install libopen-trace-format2-dev and build plimsoll again");
        }
    }
}

}  // namespace
}  // namespace plimsoll::profile
