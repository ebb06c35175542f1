#!/usr/bin/env bash
# Builds the static libraries of LLVM that a wheel contains, into PREFIX: cmake/build-llvm.sh PREFIX
# For images without LLVM 22, such as manylinux_2_28. Takes one to two hours on 4 cores.
set -euo pipefail
prefix=${1:?usage: cmake/build-llvm.sh PREFIX}
# The image lacks headers of zstd; the wheel links it and zlib.
! command -v dnf >/dev/null || dnf install -q -y libzstd-devel xz zlib-devel
version=22.1.8 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curl -fsSL "https://github.com/llvm/llvm-project/releases/download/llvmorg-$version/llvm-project-$version.src.tar.xz" |
  tar -xJ -C "$work" --strip-components=1
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install -qq "cmake>=3.24" "ninja>=1.11"
PATH=$work/tools/bin:$PATH
cmake -S "$work/llvm" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
  -DLLVM_TARGETS_TO_BUILD="AArch64;ARM;RISCV;WebAssembly;X86" -DLLVM_ENABLE_ASSERTIONS=OFF -DLLVM_ENABLE_PIC=ON \
  -DLLVM_ENABLE_ZLIB=FORCE_ON -DLLVM_ENABLE_ZSTD=FORCE_ON -DLLVM_ENABLE_TERMINFO=OFF -DLLVM_ENABLE_LIBXML2=OFF \
  -DLLVM_INCLUDE_TESTS=OFF -DLLVM_INCLUDE_BENCHMARKS=OFF -DLLVM_INCLUDE_EXAMPLES=OFF
cmake --build "$work/build" --target install
cp "$work/llvm/LICENSE.TXT" "$prefix/"
