# Links LLVM statically, with the code generators of PYCORO_LLVM_TARGETS only.
# Requires: PYCORO_LLVM_BINDIR, with LLVM's archives and an llvm-config that lists them (Debian: llvm-22-dev).
# Guarantees: the imported target PycoroLLVM with the archives to link, and headers that name only these targets.
set(PYCORO_LLVM_TARGETS AArch64 ARM RISCV WebAssembly X86
    CACHE STRING "Targets of code generation if LLVM is linked statically; must include this machine's")

set(_components core analysis irreader asmparser bitreader bitwriter linker passes orcjit object remarks)
foreach(_target IN LISTS PYCORO_LLVM_TARGETS)
  string(TOLOWER "${_target}" _component)
  list(APPEND _components ${_component})
endforeach()
execute_process(COMMAND "${PYCORO_LLVM_BINDIR}/llvm-config" --link-static --libfiles ${_components} RESULT_VARIABLE _failed
                OUTPUT_VARIABLE _archives ERROR_VARIABLE _why OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
if(_failed)
  message(FATAL_ERROR "PYCORO_LLVM_STATIC needs LLVM's archives, and ${PYCORO_LLVM_BINDIR}/llvm-config says: ${_why}")
endif()
separate_arguments(_archives)

# llvm-c/Target.h includes these files, which list the targets.
set(_headers "${PROJECT_BINARY_DIR}/llvm-targets")
foreach(_pair "Targets LLVM_TARGET" "AsmPrinters LLVM_ASM_PRINTER" "AsmParsers LLVM_ASM_PARSER"
              "Disassemblers LLVM_DISASSEMBLER")
  separate_arguments(_pair)
  list(GET _pair 0 _file)
  list(GET _pair 1 _macro)
  set(_lines "")
  foreach(_target IN LISTS PYCORO_LLVM_TARGETS)
    string(APPEND _lines "${_macro}(${_target})\n")
  endforeach()
  file(CONFIGURE OUTPUT "${_headers}/llvm/Config/${_file}.def" CONTENT "${_lines}#undef ${_macro}\n")
endforeach()

target_include_directories(PycoroLLVM BEFORE INTERFACE "$<BUILD_INTERFACE:${_headers}>")
target_link_libraries(PycoroLLVM INTERFACE ${_archives} z zstd stdc++ m)
target_link_options(PycoroLLVM INTERFACE LINKER:--gc-sections)

# Distributing LLVM requires distributing its license.
find_file(PYCORO_LLVM_LICENSE NAMES LICENSE.TXT copyright HINTS "${PYCORO_LLVM_ROOT}" "/usr/share/doc/llvm-22-dev" NO_DEFAULT_PATH)
if(NOT PYCORO_LLVM_LICENSE)
  message(FATAL_ERROR "LLVM's license must be distributed with its code: pass its location with -DPYCORO_LLVM_LICENSE=FILE.")
endif()
# Installs the license of a library that the extension contains, where wheels have theirs (PEP 639).
function(pycoro_install_license name file)
  if(SKBUILD)
    install(FILES "${file}" DESTINATION "${SKBUILD_METADATA_DIR}/licenses" RENAME "${name}.txt")
  endif()
endfunction()
pycoro_install_license(LLVM "${PYCORO_LLVM_LICENSE}")
