# Links the extension against the glibc of an older system, so that a wheel loads there although LLVM's archives were
# compiled against a newer one. cmake/old_glibc.c defines the symbols that the older glibc lacks.
# Requires: PYCORO_OLD_GLIBC, the root of a system with the development files of glibc, zlib and zstd (Debian:
# `debootstrap --include=libc6-dev,zlib1g-dev,libzstd-dev bullseye DIR`); the targets _core, clang_plugin, pycoro-c++ and pycoro-cc; GCC.
# Guarantees: the linker finds glibc only there, and links libstdc++, zlib and zstd statically.
set(_lib "${PYCORO_OLD_GLIBC}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
set(_dev "${PYCORO_OLD_GLIBC}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
file(GLOB _loader "${_lib}/ld-linux*.so.*")
execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=libstdc++.a OUTPUT_VARIABLE _stdcxx
                OUTPUT_STRIP_TRAILING_WHITESPACE)
foreach(_file "${_lib}/libc.so.6" "${_dev}/libc_nonshared.a" "${_dev}/libz.a" "${_dev}/libzstd.a" "${_loader}" "${_stdcxx}")
  if(NOT EXISTS "${_file}")
    message(FATAL_ERROR "PYCORO_OLD_GLIBC=${PYCORO_OLD_GLIBC} lacks ${_file}: create it with "
                        "`debootstrap --include=libc6-dev,zlib1g-dev,libzstd-dev bullseye DIR`.")
  endif()
endforeach()

# The linker searches this directory first. Absolute links and linker scripts in the older system lead to this one's files.
set(_links "${PROJECT_BINARY_DIR}/old-glibc")
file(MAKE_DIRECTORY "${_links}")
foreach(_pair "libm.so ${_lib}/libm.so.6" "libz.a ${_dev}/libz.a" "libzstd.a ${_dev}/libzstd.a" "libstdc++.a ${_stdcxx}")
  separate_arguments(_pair)
  list(GET _pair 0 _name)
  list(GET _pair 1 _file)
  file(CREATE_LINK "${_file}" "${_links}/${_name}" SYMBOLIC)
endforeach()
# glibc 2.34 made these libraries one.
file(WRITE "${_links}/libc.so" "GROUP ( ${_lib}/libc.so.6 ${_dev}/libc_nonshared.a "
                               "AS_NEEDED ( ${_lib}/libpthread.so.0 ${_lib}/libdl.so.2 ${_loader} ) )\n")
foreach(_target pycoro-c++ pycoro-cc)
  target_link_directories(${_target} BEFORE PRIVATE "${_links}")
endforeach()
foreach(_target _core clang_plugin)
  target_link_directories(${_target} BEFORE PRIVATE "${_links}")
  target_sources(${_target} PRIVATE cmake/old_glibc.c)
endforeach()

# The licenses of what the extension contains. libstdc++.a is in a directory that has GCC's version as its name.
set(_doc "${PYCORO_OLD_GLIBC}/usr/share/doc")
cmake_path(GET _stdcxx PARENT_PATH _gcc)
cmake_path(GET _gcc FILENAME _gcc)
foreach(_pair "glibc ${_doc}/libc6-dev" "zlib ${_doc}/zlib1g-dev" "zstd ${_doc}/libzstd-dev"
              "libstdc++ /usr/share/doc/libstdc++-${_gcc}-dev")
  separate_arguments(_pair)
  list(GET _pair 0 _name)
  list(GET _pair 1 _package)
  pycoro_install_license(${_name} "${_package}/copyright")
endforeach()
