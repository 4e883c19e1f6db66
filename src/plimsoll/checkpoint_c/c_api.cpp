#include <fmt/format.h>

#include <climits>
#include <exception>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "plimsoll/checkpoint.h"
#include "plimsoll/checkpoint_c/families.hpp"
#include "plimsoll/core/error.hpp"

namespace {

using plimsoll::Error;
using plimsoll::ErrorKind;
using plimsoll::checkpoint::ElementType;
using plimsoll::checkpoint::Families;
using plimsoll::checkpoint::Region;
using plimsoll::checkpoint::SessionOptions;

/// What lies between begin and end.
struct Phase {
    std::string name;
    std::uint64_t version = 0;
    std::set<int> ids;
};

/// The C API has no handles: a program checkpoints in one way.
struct Program {
    std::optional<Families> families;
    std::optional<Phase> saving;
    std::optional<Phase> restoring;
    std::string message;
};
Program& program() {
    static Program the_program;
    return the_program;
}

int code_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage: return PLIMSOLL_USAGE;
        case ErrorKind::input: return PLIMSOLL_DAMAGED;
        case ErrorKind::environment: return PLIMSOLL_FAILURE;
        case ErrorKind::internal: break;
    }
    return PLIMSOLL_INTERNAL;
}

/// Calls, and turns what it throws into a code and a message.
template <class Call>
auto guarded(Call call) noexcept -> decltype(call()) {
    std::string& message = program().message;
    message.clear();
    try {
        return call();
    } catch (const Error& error) {
        message = error.hint().empty() ? error.what() : fmt::format("{}; {}", error.what(), error.hint());
        return code_of(error.kind());
    } catch (const std::bad_alloc&) {
        message = "out of memory";
        return PLIMSOLL_FAILURE;
    } catch (const std::exception& error) {
        message = error.what();
        return PLIMSOLL_INTERNAL;
    }
}

Families& families() {
    if (!program().families)
        throw Error(ErrorKind::usage, "checkpoints have not begun", "call plimsoll_checkpoint_init first");
    return *program().families;
}

Phase& phase(std::optional<Phase>& open, const char* begin) {
    if (!open)
        throw Error(ErrorKind::usage, "nothing has begun that this belongs to",
                    fmt::format("call {} first", begin));
    return *open;
}
Phase& saving() { return phase(program().saving, "plimsoll_checkpoint_begin"); }
Phase& restoring() { return phase(program().restoring, "plimsoll_restart_begin"); }

std::string name_of(const char* name) {
    if (name == nullptr) throw Error(ErrorKind::usage, "the name is a null pointer", "name the checkpoint");
    return name;
}

std::uint64_t version_of(int version) {
    if (version < 0)
        throw Error(ErrorKind::usage, fmt::format("version {} is below zero", version), "count from 0");
    return static_cast<std::uint64_t>(version);
}

int as_int(std::uint64_t version) {
    if (version > INT_MAX)
        throw Error(ErrorKind::input, fmt::format("version {} does not fit an int", version),
                    "use the C++ interface");
    return static_cast<int>(version);
}

/// The numbers that a mode and a list mean, of those protected.
std::set<int> chosen(int mode, const int* ids, int count) {
    const std::vector<int> all = families().all();
    std::set<int> result(all.begin(), all.end());
    if (mode == PLIMSOLL_ALL) return result;
    if ((mode != PLIMSOLL_SOME && mode != PLIMSOLL_REST) || count < 0 || (ids == nullptr && count > 0))
        throw Error(ErrorKind::usage, fmt::format("mode {} with {} numbers means nothing", mode, count),
                    "use PLIMSOLL_ALL, PLIMSOLL_SOME or PLIMSOLL_REST");
    std::set<int> listed(ids, ids + count);
    if (mode == PLIMSOLL_SOME) return listed;
    for (const int id : listed) result.erase(id);
    return result;
}

void protect(int id, Region region, const void* address) {
    if (address == nullptr && !region.bytes.empty())
        throw Error(ErrorKind::usage, fmt::format("the memory of number {} is a null pointer", id),
                    "allocate it first");
    families().protect(id, std::move(region));
}

std::span<std::byte> memory(void* address, std::size_t count, std::size_t element_bytes) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, element_bytes, &bytes) || bytes > PTRDIFF_MAX)
        throw Error(ErrorKind::usage,
                    fmt::format("{} elements of {} bytes fit no memory", count, element_bytes),
                    "give the number of elements first");
    return {static_cast<std::byte*>(address), bytes};
}

}  // namespace

int plimsoll::checkpoint::begin_families(const SessionOptions& options, MakeRanks make_ranks) noexcept {
    return guarded([&] {
        if (program().families)
            throw Error(ErrorKind::usage, "checkpoints have begun already", "end them first");
        if (options.folder.empty()) throw Error(ErrorKind::usage, "no folder is given", "name one");
        program().families.emplace(options, std::move(make_ranks));
        return int{PLIMSOLL_SUCCESS};
    });
}

SessionOptions plimsoll::checkpoint::session_options(const plimsoll_checkpoint_options* options) {
    SessionOptions result;
    if (options == nullptr) return result;
    result.folder = options->folder != nullptr ? options->folder : "";
    result.keep = options->keep;
    if (options->memory > 0) result.memory = options->memory;
    if (options->captures_lazily != 0) result.capture = Capture::lazy;
    return result;
}

extern "C" {

plimsoll_checkpoint_options plimsoll_checkpoint_defaults(const char* folder) {
    return {.folder = folder, .keep = 2, .memory = 0, .captures_lazily = 0};
}

int plimsoll_checkpoint_init(const char* folder) {
    const plimsoll_checkpoint_options options = plimsoll_checkpoint_defaults(folder);
    return plimsoll_checkpoint_init_with(&options);
}

int plimsoll_checkpoint_init_with(const plimsoll_checkpoint_options* options) {
    return begin_families(plimsoll::checkpoint::session_options(options), plimsoll::checkpoint::one_process);
}

int plimsoll_checkpoint_finalize(int tells) {
    return guarded([&] {
        const bool is_well = families().wait();
        const std::string failure = families().failure();
        program().families.reset();
        program().saving.reset();
        program().restoring.reset();
        if (!is_well && tells != 0) throw Error(ErrorKind::environment, failure);
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_mem_protect(int id, void* address, size_t count, size_t element_bytes) {
    return guarded([&] {
        Region region{.name = fmt::format("{}", id), .bytes = memory(address, count, element_bytes)};
        region.shape = {count, element_bytes};
        protect(id, std::move(region), address);
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_mem_protect_as(int id, const char* name, void* address, size_t count, int type) {
    return guarded([&] {
        if (type < PLIMSOLL_BOOL || type > PLIMSOLL_FLOAT64)
            throw Error(ErrorKind::usage, fmt::format("{} is no type", type),
                        "use PLIMSOLL_FLOAT64 or another");
        const auto element = static_cast<ElementType>(type);
        Region region{.name = name_of(name),
                      .type = element,
                      .shape = {count},
                      .bytes = memory(address, count, size_of(element))};
        protect(id, std::move(region), address);
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_mem_unprotect(int id) {
    return guarded([&] {
        families().unprotect(id);
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_checkpoint(const char* name, int version) {
    return guarded([&] {
        families().save(name_of(name), version_of(version), families().all());
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_checkpoint_begin(const char* name, int version) {
    return guarded([&] {
        static_cast<void>(families());
        program().saving = Phase{.name = name_of(name), .version = version_of(version), .ids = {}};
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_checkpoint_mem(void) { return plimsoll_checkpoint_selective(PLIMSOLL_ALL, nullptr, 0); }

int plimsoll_checkpoint_selective(int mode, const int* ids, int count) {
    return guarded([&] {
        saving().ids.merge(chosen(mode, ids, count));
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_checkpoint_end(int success) {
    return guarded([&] {
        const Phase done = saving();
        program().saving.reset();
        if (!families().agree(success != 0))
            throw Error(ErrorKind::environment, "a rank says that it has failed", "nothing was saved");
        families().save(done.name, done.version, {done.ids.begin(), done.ids.end()});
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_checkpoint_wait(void) {
    return guarded([&] {
        if (!families().wait()) throw Error(ErrorKind::environment, families().failure());
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_checkpoint_ready(void) {
    return guarded([&] { return families().is_ready() ? 1 : 0; });
}

int plimsoll_checkpoint_fence(void) {
    return guarded([&] {
        families().fence();
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_restart_test(const char* name, int below) {
    return guarded([&] {
        const auto bound = below == 0 ? std::nullopt : std::optional(version_of(below));
        const auto found = families().newest(name_of(name), bound);
        return found ? as_int(*found) : int{PLIMSOLL_NOT_FOUND};
    });
}

int plimsoll_restart(const char* name, int version) {
    return guarded([&] {
        if (!families().has(name_of(name), version_of(version))) return int{PLIMSOLL_NOT_FOUND};
        families().restore(name, version_of(version), families().all());
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_restart_newest(const char* name) {
    return guarded([&] {
        const auto found = families().restore_newest(name_of(name));
        return found ? as_int(*found) : int{PLIMSOLL_NOT_FOUND};
    });
}

int plimsoll_restart_begin(const char* name, int version) {
    return guarded([&] {
        if (!families().has(name_of(name), version_of(version))) return int{PLIMSOLL_NOT_FOUND};
        program().restoring = Phase{.name = name, .version = version_of(version), .ids = {}};
        return int{PLIMSOLL_SUCCESS};
    });
}

int plimsoll_recover_mem(void) { return plimsoll_recover_selective(PLIMSOLL_ALL, nullptr, 0); }

int plimsoll_recover_selective(int mode, const int* ids, int count) {
    return guarded([&] {
        const Phase& open = restoring();
        const std::set<int> wanted = chosen(mode, ids, count);
        families().restore(open.name, open.version, {wanted.begin(), wanted.end()});
        return int{PLIMSOLL_SUCCESS};
    });
}

long long plimsoll_recover_size(int id) {
    return guarded([&]() -> long long {
        const auto bytes = families().saved_bytes(restoring().name, restoring().version, id);
        if (!bytes) return PLIMSOLL_NOT_FOUND;
        return static_cast<long long>(*bytes);
    });
}

int plimsoll_restart_end(int success) {
    return guarded([&] {
        static_cast<void>(restoring());
        program().restoring.reset();
        if (!families().agree(success != 0))
            throw Error(ErrorKind::environment, "a rank says that it has failed",
                        "restart from an older version");
        return int{PLIMSOLL_SUCCESS};
    });
}

const char* plimsoll_checkpoint_message(void) { return program().message.c_str(); }

}  // extern "C"
