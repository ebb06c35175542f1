/* Names for operand indices that LLVM-C has no accessor for. Operands of coroutine intrinsics are in
   llvm_coroutine_intrinsics.def.
   Requires: nothing. Guarantees: indices for LLVMGetOperand and ir_operand. */
#pragma once

enum { ALLOCA_COUNT };
enum { LOAD_ADDRESS };
enum { STORE_VALUE, STORE_ADDRESS };
enum { UPDATE_ADDRESS }; /* atomicrmw and cmpxchg */
/* llvm.memcpy and llvm.memmove; llvm.memset has the byte second */
enum { MEMORY_TO, MEMORY_FROM, MEMORY_LENGTH, MEMORY_VOLATILE };
enum { ADDRESS_BASE, FIRST_INDEX }; /* base address of a cast or getelementptr */
enum { CAST_SOURCE };
enum { ADD_LEFT, ADD_RIGHT };
enum { FIRST_OPERAND, SECOND_OPERAND }; /* operands of integer operations with any opcode, and of resume */
enum { MASKED_ADDRESS, ADDRESS_MASK }; /* llvm.ptrmask */
enum { COMPARE_LEFT, COMPARE_RIGHT };
enum { DIVIDEND, DIVISOR };
enum { SELECT_CONDITION, SELECT_TRUE, SELECT_FALSE };
enum { RET_VALUE };
enum { FROZEN }; /* freeze */
enum { AGGREGATE, INSERTED }; /* extractvalue and insertvalue */
enum { PHI_FIRST };
enum { LEFT_PAD }; /* the pad of catchret and cleanupret; the parent pad of catchswitch */
enum { LIFETIME_OF }; /* llvm.lifetime.start and .end */
enum { ALLOCATED_BYTES }; /* argument of an allocation call */
enum { FREED_MEMORY, FREED_BYTES }; /* arguments of a deallocation call */
enum { STACK_MARK }; /* llvm.stackrestore */
