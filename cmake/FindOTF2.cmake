# OTF2, which brings no CMake package: defines OTF2::OTF2. Debian calls the library open-trace-format2.
find_path(OTF2_INCLUDE_DIR otf2/otf2.h)
find_library(OTF2_LIBRARY NAMES open-trace-format2 otf2)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2 REQUIRED_VARS OTF2_LIBRARY OTF2_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install libopen-trace-format2-dev")
if(OTF2_FOUND AND NOT TARGET OTF2::OTF2)
    add_library(OTF2::OTF2 UNKNOWN IMPORTED)
    set_target_properties(OTF2::OTF2 PROPERTIES IMPORTED_LOCATION "${OTF2_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${OTF2_INCLUDE_DIR}")
endif()
mark_as_advanced(OTF2_INCLUDE_DIR OTF2_LIBRARY)
