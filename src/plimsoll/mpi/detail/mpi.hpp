#pragma once

// All but MPI's own names stays inside the library; some MPIs do not say that theirs are to be seen.
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <cstddef>
#include <cstdint>
