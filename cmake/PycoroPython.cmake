# The extension pycoro._core, on the limited API of CPython 3.11; on the full API for a free-threaded CPython, which has
# no limited one (scikit-build-core then sets no SKBUILD_SABI_VERSION).
# Also the plugin of clang that pycoro-c++ loads.
# Requires: pycoro_engine, pycoro_objects, csrc/py. Guarantees: target _core, which exports only PyInit__core; target
# clang_plugin, which exports only llvmGetPassPluginInfo.
file(GLOB PY_SOURCES CONFIGURE_DEPENDS csrc/py/*.c)
if(PY_SOURCES)
  if(SKBUILD AND NOT SKBUILD_SABI_VERSION)
    find_package(Python 3.13 REQUIRED COMPONENTS Interpreter Development.Module)
    python_add_library(_core MODULE WITH_SOABI ${PY_SOURCES})
  else()
    find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.SABIModule)
    python_add_library(_core MODULE WITH_SOABI USE_SABI 3.11 ${PY_SOURCES})
  endif()
  target_include_directories(_core PRIVATE csrc csrc/py "${PYCORO_LLVM_FACTS}")
  target_link_libraries(_core PRIVATE pycoro_engine pycoro_flags)
  # The engine's API is hidden, so that it does not collide with another libpycoro in the process.
  target_link_options(_core PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/core.map LINKER:--no-undefined-version)
  set_target_properties(_core PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/core.map")
  install(TARGETS _core DESTINATION pycoro)
  # clang's process has LLVM; linking another copy would register its options twice.
  add_library(clang_plugin MODULE csrc/plugin/clang_plugin.c $<TARGET_OBJECTS:pycoro_objects>)
  target_include_directories(clang_plugin PRIVATE csrc/include)
  target_include_directories(clang_plugin SYSTEM PRIVATE ${PYCORO_LLVM_INCLUDE})
  target_link_libraries(clang_plugin PRIVATE pycoro_flags m)
  target_link_options(clang_plugin PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/plugin.map)
  set_target_properties(clang_plugin PROPERTIES PREFIX "" LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/plugin.map")
  install(TARGETS clang_plugin DESTINATION pycoro_driver)
  if(PYCORO_OLD_GLIBC)
    include(PycoroOldGlibc)
  endif()
else()
  message(STATUS "csrc/py is empty: no extension is built")
endif()
