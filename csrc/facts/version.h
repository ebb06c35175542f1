/* The LLVM that all of pycoro is written for and measured with: any other is refused.
   Needs: nothing. Leaves: a number. */
#ifndef CORO_FACTS_VERSION_H
#define CORO_FACTS_VERSION_H

#define LLVM_MAJOR 22

#endif
