# plimsoll::lapack: the reference LAPACK and BLAS, linked statically.
#
# Not find_package(LAPACK): what it finds depends on the machine's alternatives. An optimised BLAS starts threads
# when a program is loaded (tens of milliseconds, where all of ours may take ten) and rounds differently on each
# processor, while results here have to be the same everywhere. See docs/decisions/0003-lapack.md.
set(reference_triplet ${CMAKE_LIBRARY_ARCHITECTURE})
find_library(REFERENCE_LAPACK liblapack.a PATHS /usr/lib/${reference_triplet}/lapack /usr/lib64 /usr/lib
    NO_DEFAULT_PATH)
find_library(REFERENCE_BLAS libblas.a PATHS /usr/lib/${reference_triplet}/blas /usr/lib64 /usr/lib NO_DEFAULT_PATH)
# Elsewhere, and in a prefix of one's own, they stand where libraries usually do.
find_library(REFERENCE_LAPACK liblapack.a)
find_library(REFERENCE_BLAS libblas.a)
find_library(REFERENCE_FORTRAN NAMES libgfortran.so.5 gfortran)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ReferenceLapack
    REQUIRED_VARS REFERENCE_LAPACK REFERENCE_BLAS REFERENCE_FORTRAN
    REASON_FAILURE_MESSAGE "install liblapack-dev and libblas-dev")
if(ReferenceLapack_FOUND AND NOT TARGET plimsoll::lapack)
    add_library(plimsoll::lapack INTERFACE IMPORTED)
    # numeric/least_squares.cpp has what Debian's needs of Fortran's own library; other builds may need more of it.
    set_target_properties(plimsoll::lapack PROPERTIES INTERFACE_LINK_LIBRARIES
        "${REFERENCE_LAPACK};${REFERENCE_BLAS};-Wl,--push-state,--as-needed;${REFERENCE_FORTRAN};-Wl,--pop-state")
endif()
