#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// SQLite databases: the errors and the lifetimes of the C library.
namespace plimsoll::sqlite {

/// What is done with a file.
enum class Access {
    create,    ///< read and written, and created where it is absent
    read_only  ///< of a file that nobody changes meanwhile; nothing is written beside it
};

/// One open database. Errors name it: a damaged file is an input error, the rest is the machine's.
class Database {
  public:
    /// The hint is for a file that is damaged.
    Database(std::string path, Access access, std::string hint);

    /// Reads the bytes of a file, which the caller keeps alive.
    Database(std::string name, std::string_view content, std::string hint);

    void execute(const char* sql) const;
    /// Undoes the open transaction. A full disk has undone it already; then there is nothing to undo.
    void roll_back() const noexcept;
    [[nodiscard]] std::int64_t number(const char* sql);
    [[nodiscard]] std::string text(const char* sql);
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    friend class Statement;
    struct Close {
        void operator()(sqlite3* database) const noexcept;
    };
    void open(const std::string& name, int flags);
    [[nodiscard]] sqlite3* handle() const { return database_.get(); }
    [[noreturn]] void fail(int code) const;

    std::string path_;
    std::string hint_;
    bool is_foreign_ = false;  ///< whatever is wrong with it is the file's fault, but for the machine's
    std::unique_ptr<sqlite3, Close> database_;
};

/// A statement that is prepared once: bind in order, run or step, read columns in order.
class Statement {
  public:
    Statement(Database& database, const char* sql);

    /// Begins anew with these values for `?1`, `?2`, …
    template <class... Values>
    Statement& with(const Values&... values) {
        leave();
        int place = 0;
        (bind(++place, values), ...);
        return *this;
    }

    /// Runs it to the end.
    void run();
    /// Whether there is one more row.
    [[nodiscard]] bool next();

    /// No more rows are wanted: while some are left, the journal cannot be written back.
    void leave();

    [[nodiscard]] bool is_null(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const { return std::string(view(column)); }
    /// Of a text or a blob; lives until the next step.
    [[nodiscard]] std::string_view view(int column) const;

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    void bind(int place, std::int64_t value);
    void bind(int place, int value) { bind(place, std::int64_t{value}); }
    void bind(int place, std::uint32_t value) { bind(place, std::int64_t{value}); }
    void bind(int place, double value);
    void bind(int place, const std::string& value) { bind(place, std::string_view(value)); }
    /// An empty text is stored as null.
    void bind(int place, std::string_view value);

    Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace plimsoll::sqlite
