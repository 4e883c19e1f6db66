#include "plimsoll/campaign/detail/sqlite.hpp"

#include <fmt/format.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign::sqlite {

Database::Database(std::string path) : path_(std::move(path)) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(
        path_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened);
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(opened, 1);
}

void Database::execute(const char* sql) const {
    const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const char* sql) {
    Statement statement(*this, sql);
    return statement.next() ? statement.integer(0) : 0;
}

std::string Database::text(const char* sql) {
    Statement statement(*this, sql);
    return statement.next() ? statement.text(0) : std::string();
}

void Database::fail(int code) const {
    const std::string message =
        fmt::format("{}: {}", path_, database_ ? sqlite3_errmsg(handle()) : sqlite3_errstr(code));
    switch (code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            throw Error(
                ErrorKind::input, message,
                "run 'plimsoll campaign doctor'; what is whole can be saved with 'sqlite3 FILE .recover'");
        case SQLITE_FULL: throw Error(ErrorKind::environment, message, "free some space on that disk");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw Error(ErrorKind::environment, message, "close the other program that has the file open");
        default: throw Error(ErrorKind::environment, message, "check the folder's permissions and its disk");
    }
}

Statement::Statement(Database& database, const char* sql) : database_(&database) {
    sqlite3_stmt* prepared = nullptr;
    const int code =
        sqlite3_prepare_v3(database.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
    statement_.reset(prepared);
    if (code != SQLITE_OK) database.fail(code);
}

void Statement::run() {
    while (next()) {
    }
}

bool Statement::next() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    sqlite3_reset(statement_.get());
    if (code != SQLITE_DONE) database_->fail(code);
    return false;
}

std::string_view Statement::view(int column) const {
    const void* const bytes = sqlite3_column_blob(statement_.get(), column);
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return bytes == nullptr
               ? std::string_view()
               : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

void Statement::bind(int place, std::string_view value) {
    if (value.empty()) {
        sqlite3_bind_null(statement_.get(), place);
    } else {
        sqlite3_bind_text64(statement_.get(), place, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8);
    }
}

}  // namespace plimsoll::campaign::sqlite
