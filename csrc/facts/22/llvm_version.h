/* The only LLVM version that pycoro supports; the build rejects others.
   Requires: nothing. Guarantees: a constant only. */
#ifndef CORO_FACTS_VERSION_H
#define CORO_FACTS_VERSION_H

#define LLVM_MAJOR 22

#endif
