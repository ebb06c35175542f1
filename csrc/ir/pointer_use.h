/* Tells what an instruction does with an address (reads, writes, derives another address, captures it), in one place
   for all analyses of pointers but those of csrc/check, which must be independent.
   Requires: intrin.
   Guarantees: the IR does not change. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"

enum pointer_use {
  POINTER_USE_OTHER,      /* may capture the address */
  POINTER_USE_LOAD,       /* reads the memory */
  POINTER_USE_COMPARE,    /* compares the address */
  POINTER_USE_STORE,      /* writes the memory */
  POINTER_USE_UPDATE,     /* reads and writes the memory atomically */
  POINTER_USE_AS_CONTENT, /* stores the address */
  POINTER_USE_ADDRESS,    /* getelementptr, or a cast to another pointer type */
  POINTER_USE_FREEZE,
  POINTER_USE_MERGE,      /* phi or select */
  POINTER_USE_TO_INTEGER,
  POINTER_USE_COMPUTE,    /* arithmetic with the address as an integer, or a conversion of that integer */
  POINTER_USE_INSERT,     /* inserts the address into an aggregate */
  POINTER_USE_EXTRACT,    /* extracts from an aggregate that contains the address */
  POINTER_USE_SHUFFLE,    /* shuffles a vector that contains the address */
  POINTER_USE_RETURN,
  POINTER_USE_HINT,       /* a call that only informs the optimizer or reports an error, and captures nothing */
  POINTER_USE_CALL        /* any other call or invoke */
};

enum pointer_use pointer_use_of(LLVMValueRef user, LLVMValueRef address);

/* The arguments of a call that are the pointer whose use the call is. */
struct pointer_arguments {
  unsigned first, count;
  bool others; /* it is the callee or an operand of a bundle as well */
};
struct pointer_arguments pointer_arguments_of(LLVMValueRef call, LLVMValueRef address);
/* Whether the result is the address plus a constant, so it can be rematerialized anywhere. */
bool pointer_is_constant_alias(LLVMValueRef inst);
