#pragma once

/// Marks a function whose loops are worth compiling for wide vector registers as well: the loader takes the
/// version that the processor has. Results are the same on all: sums keep their written order, and products
/// are not fused with them. Sanitizers and other compilers take one version.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define PLIMSOLL_VECTORISED [[gnu::target_clones("avx2", "default")]]
#else
#define PLIMSOLL_VECTORISED
#endif
