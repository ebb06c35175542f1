# The extension pycoro._core, on the limited API of CPython 3.11.
# Requires: pycoro_engine, csrc/py. Guarantees: target _core, which exports only PyInit__core.
file(GLOB PY_SOURCES CONFIGURE_DEPENDS csrc/py/*.c)
if(PY_SOURCES)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.SABIModule)
  python_add_library(_core MODULE WITH_SOABI USE_SABI 3.11 ${PY_SOURCES})
  target_include_directories(_core PRIVATE csrc csrc/py)
  target_link_libraries(_core PRIVATE pycoro_engine pycoro_flags)
  # The engine's API is hidden, so that it does not collide with another libpycoro in the process.
  target_link_options(_core PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/core.map LINKER:--no-undefined-version)
  set_target_properties(_core PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/core.map")
  install(TARGETS _core DESTINATION pycoro)
else()
  message(STATUS "csrc/py is empty: no extension is built")
endif()
