# Fuzz targets: each tests/fuzz/*.c is a libFuzzer program, with the engine under ASan and UBSan.
# LLVM is not instrumented.
# Requires: Clang as the compiler, with its runtimes (Debian: libclang-rt-22-dev); pycoro_flags.
# Guarantees: a target for each program.
if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "PYCORO_FUZZ needs Clang: configure with -DCMAKE_C_COMPILER=clang-22")
endif()
target_compile_options(pycoro_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
target_link_options(pycoro_flags INTERFACE -fsanitize=address,undefined)
file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS tests/fuzz/*.c)
foreach(source IN LISTS FUZZ_SOURCES)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}")
  target_link_libraries(${name} PRIVATE pycoro_engine pycoro_flags)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
