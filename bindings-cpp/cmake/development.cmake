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
