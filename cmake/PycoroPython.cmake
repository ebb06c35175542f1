# The extension pycoro._core, on the limited API of CPython 3.11; on the full API for a free-threaded CPython, which has
# no limited one (scikit-build-core then sets no SKBUILD_SABI_VERSION).
# Requires: pycoro_engine, csrc/py. Guarantees: target _core, which exports only PyInit__core.
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
  if(PYCORO_OLD_GLIBC)
    include(PycoroOldGlibc)
  endif()
else()
  message(STATUS "csrc/py is empty: no extension is built")
endif()
