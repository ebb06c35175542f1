# C tests: each tests/c/*.c is a program that exits 0 if it passes, and a test of ctest with that name.
# Requires: pycoro_engine, pycoro_flags. Guarantees: the tests, for ctest.
find_package(Threads REQUIRED)
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=gold PYCORO_HAS_GOLD) # links a test in half the processor time of ld.bfd
file(GLOB TEST_SOURCES CONFIGURE_DEPENDS tests/c/*.c)
foreach(source IN LISTS TEST_SOURCES)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}")
  target_include_directories(${name} PRIVATE csrc tests/c "${PYCORO_LLVM_FACTS}")
  target_compile_definitions(${name} PRIVATE "TESTS=\"${PROJECT_SOURCE_DIR}/tests\"")
  target_link_libraries(${name} PRIVATE pycoro_engine pycoro_flags Threads::Threads)
  target_link_options(${name} PRIVATE $<$<BOOL:${PYCORO_HAS_GOLD}>:-fuse-ld=gold>)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1500) # against deadlocks; the longest takes a minute of processor time
  if(PYCORO_SANITIZE) # ASan would spend a quarter of the time on stacks; run a failing program by hand for whole ones
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "ASAN_OPTIONS=malloc_context_size=2")
  endif()
endforeach()

# It wraps the engine's allocator; LLVM is a separate library, and its allocator is not wrapped.
target_link_options(out_of_memory PRIVATE LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc)

# They replace the engine's call of the checker of lowerings.
target_link_options(test_suspended PRIVATE LINKER:--wrap=check_lowering)
file(GLOB ATTACK_SOURCES CONFIGURE_DEPENDS tests/c/attack/*.c)
target_sources(check_mutants PRIVATE ${ATTACK_SOURCES})
target_link_options(check_mutants PRIVATE LINKER:--wrap=check_lowering)

# It counts visited instructions and cases.
target_link_options(linear_search PRIVATE LINKER:--wrap=LLVMGetNextInstruction,--wrap=LLVMGetSwitchCaseValue)
