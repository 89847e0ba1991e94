# The targets, for the build tree and for an installed package alike.
function(posthouse_targets lib full soname static includes system_libraries)
    add_library(posthouse_c SHARED IMPORTED GLOBAL)
    set_target_properties(posthouse_c PROPERTIES
        IMPORTED_LOCATION "${lib}/${full}"
        IMPORTED_SONAME "${soname}"
        INTERFACE_INCLUDE_DIRECTORIES "${includes}")
    add_library(posthouse_c_static STATIC IMPORTED GLOBAL)
    set_target_properties(posthouse_c_static PROPERTIES
        IMPORTED_LOCATION "${lib}/${static}"
        INTERFACE_INCLUDE_DIRECTORIES "${includes}"
        INTERFACE_LINK_LIBRARIES "${system_libraries}")
    foreach(kind "" "_static")
        add_library(posthouse_cpp${kind} INTERFACE IMPORTED GLOBAL)
        target_link_libraries(posthouse_cpp${kind} INTERFACE posthouse_c${kind})
        target_compile_features(posthouse_cpp${kind} INTERFACE cxx_std_20)
        add_library(Posthouse::c${kind} ALIAS posthouse_c${kind})
        add_library(Posthouse::cpp${kind} ALIAS posthouse_cpp${kind})
    endforeach()
endfunction()
