#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::campaign::sqlite {

struct Close {
    void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};
struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};

/// One open file. Errors name it: a damaged file is an input error, the rest is the machine's.
class Database {
  public:
    explicit Database(std::string path);

    void execute(const char* sql) const;
    [[nodiscard]] std::int64_t number(const char* sql);
    [[nodiscard]] std::string text(const char* sql);
    [[nodiscard]] sqlite3* handle() const { return database_.get(); }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[noreturn]] void fail(int code) const;

  private:
    std::string path_;
    std::unique_ptr<sqlite3, Close> database_;
};

/// A statement that is prepared once: bind in order, run or step, read columns in order.
class Statement {
  public:
    Statement(Database& database, const char* sql);

    /// Begins anew with these values for `?1`, `?2`, …
    template <class... Values>
    Statement& with(const Values&... values) {
        sqlite3_reset(statement_.get());
        int place = 0;
        (bind(++place, values), ...);
        return *this;
    }

    /// Runs it to the end.
    void run();
    /// Whether there is one more row.
    [[nodiscard]] bool next();

    /// No more rows are wanted: while some are left, the journal cannot be written back.
    void leave() { sqlite3_reset(statement_.get()); }

    [[nodiscard]] std::int64_t integer(int column) const {
        return sqlite3_column_int64(statement_.get(), column);
    }
    [[nodiscard]] double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
    [[nodiscard]] std::string text(int column) const { return std::string(view(column)); }
    /// Of a text or a blob; lives until the next step.
    [[nodiscard]] std::string_view view(int column) const;

  private:
    void bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_.get(), place, value); }
    void bind(int place, int value) { sqlite3_bind_int64(statement_.get(), place, value); }
    void bind(int place, std::uint32_t value) { sqlite3_bind_int64(statement_.get(), place, value); }
    void bind(int place, double value) { sqlite3_bind_double(statement_.get(), place, value); }
    void bind(int place, const std::string& value) { bind(place, std::string_view(value)); }
    /// An empty text is stored as null.
    void bind(int place, std::string_view value);

    Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace plimsoll::campaign::sqlite
