# The C library for programs: shared and static, header, pkg-config and CMake package files.
# Requires: pycoro_objects, PycoroLLVM.
# Guarantees: targets pycoro_shared and pycoro_static, exported as pycoro::pycoro and pycoro::pycoro_static; install rules.
include(CMakePackageConfigHelpers)

foreach(kind shared static)
  string(TOUPPER ${kind} KIND)
  add_library(pycoro_${kind} ${KIND} $<TARGET_OBJECTS:pycoro_objects>)
  set_target_properties(pycoro_${kind} PROPERTIES OUTPUT_NAME pycoro VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR})
  # The installed targets name LLVM's files, so that client programs do not need LLVM's CMake package.
  target_include_directories(pycoro_${kind} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/csrc/include>"
                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/pycoro>"
                             "$<INSTALL_INTERFACE:${PYCORO_LLVM_INCLUDE}>")
  target_link_libraries(pycoro_${kind} PRIVATE "$<BUILD_INTERFACE:PycoroLLVM>" m
                        INTERFACE "$<INSTALL_INTERFACE:${PYCORO_LLVM_LIBRARY}>" $<INSTALL_INTERFACE:m>)
endforeach()
set_target_properties(pycoro_shared PROPERTIES EXPORT_NAME pycoro)
target_link_options(pycoro_shared PRIVATE LINKER:--no-undefined)

install(FILES csrc/include/pycoro.h csrc/include/pycoro_custom.h csrc/include/status.def
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/pycoro")
install(TARGETS pycoro_shared pycoro_static EXPORT pycoroTargets)
install(EXPORT pycoroTargets NAMESPACE pycoro:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/pycoro")
file(WRITE "${CMAKE_BINARY_DIR}/pycoroConfig.cmake"
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/pycoroTargets.cmake\")\nset(pycoro_LLVM_VERSION ${PYCORO_LLVM_VERSION})\n")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/pycoroConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/pycoroConfig.cmake" "${CMAKE_BINARY_DIR}/pycoroConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/pycoro")
file(RELATIVE_PATH PYCORO_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/") # relocatable
configure_file(cmake/pycoro.pc.in "${CMAKE_BINARY_DIR}/pycoro.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/pycoro.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
