# What this repository's own tests run: examples, the conformance agent, tests, benches.
find_package(nlohmann_json 3.11 REQUIRED)
set(root "${CMAKE_CURRENT_SOURCE_DIR}/..")
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor -Werror)
set(CMAKE_BUILD_RPATH "${lib}")

function(posthouse_program name source)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE Posthouse::cpp nlohmann_json::nlohmann_json)
    target_compile_options(${name} PRIVATE ${warnings})
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

file(GLOB examples CONFIGURE_DEPENDS "${root}/examples/*/cpp/main.cpp")
foreach(source ${examples})
    get_filename_component(topic "${source}/../.." ABSOLUTE)
    get_filename_component(topic "${topic}" NAME)
    posthouse_program(example-${topic} "${source}")
    set_target_properties(example-${topic} PROPERTIES OUTPUT_NAME example-${topic})
endforeach()

file(GLOB agent CONFIGURE_DEPENDS "${root}/tests/conformance/agents/cpp/*.cpp")
posthouse_program(posthouse-agent-cpp "${agent}")

# The same tests three times: as they are, and with what finds faults of memory and of threads.
find_package(GTest REQUIRED)
file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/*_test.cpp")
function(posthouse_tests name)
    posthouse_program(${name} "${tests}")
    target_link_libraries(${name} PRIVATE GTest::gtest_main ${CMAKE_DL_LIBS})
    target_compile_options(${name} PRIVATE ${ARGN})
    target_link_options(${name} PRIVATE ${ARGN})
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
posthouse_tests(posthouse-tests)
# With sanitizers g++ 12 takes empty std::optionals for uninitialised.
posthouse_tests(posthouse-tests-asan -Wno-maybe-uninitialized -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all -O1)
posthouse_tests(posthouse-tests-tsan -Wno-maybe-uninitialized -fsanitize=thread -O1)

# How processes end.
posthouse_program(posthouse-ending "${root}/tests/lifecycle/cpp/ending.cpp")
target_link_libraries(posthouse-ending PRIVATE ${CMAKE_DL_LIBS})
add_library(posthouse-plugin MODULE "${root}/tests/lifecycle/cpp/plugin.cpp")
target_link_libraries(posthouse-plugin PRIVATE Posthouse::cpp)
set_target_properties(posthouse-ending posthouse-plugin PROPERTIES EXCLUDE_FROM_ALL ON)
