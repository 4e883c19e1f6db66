#include "plimsoll/core/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::sqlite {

namespace {

/// A file's path as a URI, which says that nobody else writes to it.
std::string unchanging(const std::string& path) {
    std::string uri = path.starts_with('/') ? "file://" : "file:";  // else what follows "//" is a host
    for (const char c : path) {
        if (c == '%' || c == '?' || c == '#') {
            uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        } else {
            uri += c;
        }
    }
    return uri + "?immutable=1";
}

}  // namespace

void Database::Close::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Database::Database(std::string path, Access access, std::string hint)
    : path_(std::move(path)), hint_(std::move(hint)), is_foreign_(access == Access::read_only) {
    if (access == Access::create) {
        open(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    } else {
        open(unchanging(path_), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    }
}

Database::Database(std::string name, std::string_view content, std::string hint)
    : path_(std::move(name)), hint_(std::move(hint)), is_foreign_(true) {
    open(":memory:", SQLITE_OPEN_READWRITE);
    // Read alone, as the flag says, so that nothing is written to it.
    auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(content.data()));
    const auto size = static_cast<sqlite3_int64>(content.size());
    const int code = sqlite3_deserialize(handle(), "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY);
    if (code != SQLITE_OK) fail(code);
}

void Database::open(const std::string& name, int flags) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened);
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(opened, 1);
    constexpr int longest = 1 << 28;  // bytes of a row: a file must not make us allocate what it states
    if (is_foreign_) sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longest);
}

void Database::execute(const char* sql) const {
    const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

void Database::roll_back() const noexcept { sqlite3_exec(handle(), "rollback", nullptr, nullptr, nullptr); }

std::int64_t Database::number(const char* sql) {
    Statement statement(*this, sql);
    return statement.next() ? statement.integer(0) : 0;
}

std::string Database::text(const char* sql) {
    Statement statement(*this, sql);
    return statement.next() ? statement.text(0) : std::string();
}

void Database::fail(int code) const {
    const Place place{.file = path_};
    const std::string message = database_ ? sqlite3_errmsg(handle()) : sqlite3_errstr(code);
    switch (code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: throw Error(ErrorKind::input, place, message, hint_);
        case SQLITE_FULL: throw Error(ErrorKind::environment, place, message, "free some space on that disk");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw Error(ErrorKind::environment, place, message,
                        "close the other program that has the file open");
        case SQLITE_IOERR:
        case SQLITE_PERM:
        case SQLITE_AUTH:
        case SQLITE_CANTOPEN: break;
        case SQLITE_NOMEM:
            // What SQLite says of some damaged schemas too.
            if (is_foreign_)
                throw Error(ErrorKind::input, place, "asks SQLite for more memory than there is", hint_);
            break;
        default:
            if (is_foreign_) throw Error(ErrorKind::input, place, message, hint_);
    }
    throw Error(ErrorKind::environment, place, message, "check the folder's permissions and its disk");
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

void Statement::leave() { sqlite3_reset(statement_.get()); }

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Statement::view(int column) const {
    const void* const bytes = sqlite3_column_blob(statement_.get(), column);
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return bytes == nullptr
               ? std::string_view()
               : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

void Statement::bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_.get(), place, value); }
void Statement::bind(int place, double value) { sqlite3_bind_double(statement_.get(), place, value); }

void Statement::bind(int place, std::string_view value) {
    if (value.empty()) {
        sqlite3_bind_null(statement_.get(), place);
    } else {
        sqlite3_bind_text64(statement_.get(), place, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8);
    }
}

}  // namespace plimsoll::sqlite
