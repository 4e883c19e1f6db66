#include "plimsoll/mpi/detail/call.hpp"

#include <atomic>

#include "plimsoll/mpi/detail/host.hpp"

/// Where programs with regions find us.
extern "C" {
__attribute__((visibility("default"))) plimsoll_region_meeting plimsoll_region_host = {
    .layout = plimsoll_region_layout,
    .writes = 0,
    .library = &plimsoll_region_shared,
    .program = nullptr,
    .this_thread = nullptr,
};
}

namespace plimsoll::mpi {

namespace {

std::atomic<bool> is_measuring = false;
std::atomic<unsigned> types_freed = 0;

/// Open MPI keeps the bytes in the status; to ask for them takes longer than all else that a call is charged
/// with.
template <class Status>
std::uint64_t bytes_received(const Status& status) {
    if constexpr (requires { status._ucount; }) {
        return status._ucount;
    } else {
        MPI_Count bytes = 0;
        if (PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0) return 0;
        return static_cast<std::uint64_t>(bytes);
    }
}

}  // namespace

void set_measuring(bool on) { is_measuring.store(on, std::memory_order_relaxed); }

plimsoll_region_thread* this_thread() {
    if (!is_measuring.load(std::memory_order_relaxed)) return nullptr;
    const auto of_program = __atomic_load_n(&plimsoll_region_host.this_thread, __ATOMIC_ACQUIRE);
    if (of_program == nullptr) return plimsoll_region_this_thread();
    // Asked for once a thread: a call through a pointer to another library takes a nanosecond or two.
    thread_local plimsoll_region_thread* known = nullptr;
    if (known == nullptr) known = of_program();
    return known;
}

std::uint64_t size_of(MPI_Datatype type) {
    struct Known {
        MPI_Datatype type;
        std::uint64_t size;
        unsigned freed;  ///< types when the size was asked for; a handle means another type after that
    };
    thread_local Known known{.type = MPI_DATATYPE_NULL, .size = 0, .freed = 0};
    const unsigned freed = types_freed.load(std::memory_order_relaxed);
    if (known.type != type || known.freed != freed) {
        MPI_Count size = 0;
        if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
        known = {.type = type, .size = static_cast<std::uint64_t>(size), .freed = freed};
    }
    return known.size;
}

void forget_sizes() { types_freed.fetch_add(1, std::memory_order_relaxed); }

void Call::receives(const MPI_Status& status) {
    if (counts()) receives(bytes_received(status));
}

}  // namespace plimsoll::mpi
