#include "plimsoll/core/sqlite.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::sqlite {
namespace {

constexpr const char* hint = "write it again";

std::string written(const test::TemporaryFolder& folder, const std::string& name) {
    const std::string path = (folder.path() / name).string();
    Database database(path, Access::create, hint);
    database.execute("create table point (x real, name text)");
    Statement insert(database, "insert into point values (?1, ?2)");
    insert.with(0.5, std::string("half")).run();
    insert.with(2.0, std::string()).run();
    return path;
}

TEST(Sqlite, ReadsAFileWhateverItsName) {
    const test::TemporaryFolder folder;
    for (const char* const name : {"plain.sqlite", "50% of #2?.sqlite"}) {
        SCOPED_TRACE(name);
        const std::string path = "/" + written(folder, name);  // with two at its begin
        Database database(path, Access::read_only, hint);
        Statement select(database, "select x, name from point where x > ?1 order by x");
        select.with(0.1);
        ASSERT_TRUE(select.next());
        EXPECT_EQ(select.real(0), 0.5);
        EXPECT_EQ(select.text(1), "half");
        ASSERT_TRUE(select.next());
        EXPECT_EQ(select.integer(0), 2);
        EXPECT_TRUE(select.is_null(1));
        EXPECT_FALSE(select.next());
        EXPECT_THROW(database.execute("insert into point values (1, 'one')"), Error);
    }
}

TEST(Sqlite, ReadsTheBytesOfAFile) {
    const test::TemporaryFolder folder;
    const std::string bytes = read_file(written(folder, "a.sqlite"));
    Database database("bytes", bytes, hint);
    EXPECT_EQ(database.number("select count(*) from point"), 2);
    EXPECT_EQ(database.text("select name from point order by x"), "half");
    EXPECT_THROW(database.execute("delete from point"), Error);
}

TEST(Sqlite, SaysWhoseTurnItIs) {
    const test::TemporaryFolder folder;
    std::string bytes = read_file(written(folder, "a.sqlite"));
    bytes.replace(100, 200, 200, '\x7f');
    const auto error_of = [](auto&& act) {
        try {
            act();
        } catch (const Error& error) {
            return error;
        }
        return Error(ErrorKind::internal, "nothing is wrong", "");
    };
    const Error damaged =
        error_of([&] { (void)Database("bytes", bytes, hint).number("select 1 from point"); });
    EXPECT_EQ(damaged.kind(), ErrorKind::input);
    EXPECT_EQ(damaged.place().file, "bytes");
    EXPECT_EQ(damaged.hint(), hint);
    const std::string absent = (folder.path() / "absent").string();
    const Error error = error_of([&] { (void)Database(absent, Access::read_only, hint); });
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_FALSE(std::filesystem::exists(absent));
}

}  // namespace
}  // namespace plimsoll::sqlite
