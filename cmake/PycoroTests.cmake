# C tests: each tests/c/test_*.c is a program that exits 0 when it passed and becomes a ctest of its name; the other
# files of tests/c are linked into all of them.
# Needs: pycoro_engine, pycoro_flags. Leaves: the tests, for ctest.
file(GLOB TEST_SOURCES CONFIGURE_DEPENDS tests/c/test_*.c)
file(GLOB TEST_HELPERS CONFIGURE_DEPENDS tests/c/*.c)
if(TEST_SOURCES)
  list(REMOVE_ITEM TEST_HELPERS ${TEST_SOURCES})
endif()
foreach(source IN LISTS TEST_SOURCES)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}" ${TEST_HELPERS})
  target_include_directories(${name} PRIVATE csrc tests/c)
  target_link_libraries(${name} PRIVATE pycoro_engine pycoro_flags)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endforeach()
