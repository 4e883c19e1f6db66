# The one way to add a module, a test or a benchmark.

# Warnings of our own code; as errors in the presets.
function(plimsoll_warnings target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast
        -Wno-missing-field-initializers  # designated initialisers leave out what has a default
        # False alarms of g++ 12: on std::string (bug 105651), and within <regex> and std::optional under the sanitizers
        # and at -O3. clang-tidy looks for what is not initialised.
        $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    if(PLIMSOLL_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()

# plimsoll_test(NAME SOURCES ... LIBRARIES ... LABELS ...): a GoogleTest program, which is one ctest.
function(plimsoll_test name)
    cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
    if(NOT PLIMSOLL_BUILD_TESTS)
        return()
    endif()
    add_executable(${name}_test ${arg_SOURCES})
    target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${name}_test PRIVATE PLIMSOLL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name}_test PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
    plimsoll_warnings(${name}_test)
    add_test(NAME ${name} COMMAND ${name}_test)
    # gtest's exit code says nothing of skipped tests. A program that ran none ends with the list of those it skipped.
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${arg_LABELS}"
        SKIP_REGULAR_EXPRESSION "PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n)+$"
        ENVIRONMENT "PLIMSOLL_KERNELS=${CMAKE_BINARY_DIR}/bin/kernels")
endfunction()

# plimsoll_module(NAME SOURCES ... DEPS modules... LINK libraries... PRIVATE_LINK libraries...
#                 TESTS names... BENCHMARKS names...)
#
# Makes plimsoll::NAME from the sources listed, test/NAME/<test>_test.cpp and bench/NAME/<benchmark>_bench.cpp.
# A module without SOURCES is its headers. DEPS is the layer rule that tools/check-layers enforces.
function(plimsoll_module name)
    cmake_parse_arguments(arg "" "" "SOURCES;DEPS;LINK;PRIVATE_LINK;TESTS;BENCHMARKS" ${ARGN})
    set(target plimsoll_${name})
    list(TRANSFORM arg_DEPS PREPEND plimsoll::)
    if(arg_SOURCES)
        set(scope PUBLIC)
        add_library(${target} STATIC ${arg_SOURCES})
        target_compile_features(${target} PUBLIC cxx_std_20)
        target_link_libraries(${target} PUBLIC ${arg_DEPS} ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
        plimsoll_warnings(${target})
    else()
        set(scope INTERFACE)
        add_library(${target} INTERFACE)
        target_link_libraries(${target} INTERFACE ${arg_DEPS} ${arg_LINK})
    endif()
    add_library(plimsoll::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(${target} ${scope}
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

    install(TARGETS ${target} EXPORT plimsollTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plimsoll/${name}
        FILES_MATCHING PATTERN "*.hpp" PATTERN detail EXCLUDE)

    if(PLIMSOLL_BUILD_TESTS)
        foreach(test IN LISTS arg_TESTS)
            plimsoll_test(${name}_${test}
                SOURCES ${PROJECT_SOURCE_DIR}/test/${name}/${test}_test.cpp
                LIBRARIES plimsoll::${name} plimsoll_test_support)
        endforeach()
    endif()
    if(PLIMSOLL_BUILD_BENCHMARKS AND benchmark_FOUND)
        foreach(bench IN LISTS arg_BENCHMARKS)
            add_executable(${name}_${bench}_bench ${PROJECT_SOURCE_DIR}/bench/${name}/${bench}_bench.cpp)
            target_include_directories(${name}_${bench}_bench PRIVATE ${PROJECT_SOURCE_DIR})
            target_link_libraries(${name}_${bench}_bench PRIVATE plimsoll::${name} benchmark::benchmark_main)
            plimsoll_warnings(${name}_${bench}_bench)
            set_target_properties(${name}_${bench}_bench PROPERTIES
                RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
        endforeach()
    endif()
endfunction()

# plimsoll_preload(NAME SOURCES ... DEPS modules... PRIVATE_LINK libraries...)
#
# Makes libplimsoll-NAME.so, which is loaded into other people's programs by LD_PRELOAD. It brings its part of the C++
# library along, since the program may be made for another one, and shows only what exports.map lists.
function(plimsoll_preload name)
    cmake_parse_arguments(arg "" "" "SOURCES;DEPS;PRIVATE_LINK" ${ARGN})
    set(target plimsoll_${name})
    add_library(${target} SHARED ${arg_SOURCES})
    list(TRANSFORM arg_DEPS PREPEND plimsoll::)
    target_link_libraries(${target} PRIVATE ${arg_DEPS} ${arg_PRIVATE_LINK})
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_compile_options(${target} PRIVATE -ftls-model=initial-exec)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc
        LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/exports.map)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/exports.map)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME plimsoll-${name} CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
    plimsoll_warnings(${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
