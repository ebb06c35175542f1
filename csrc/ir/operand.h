/* Names for operand indices that LLVM-C has no accessor for. Operands of coroutine intrinsics are in intrin.def.
   Requires: nothing. Guarantees: indices for LLVMGetOperand and ir_operand. */
#ifndef CORO_IR_OPERAND_H
#define CORO_IR_OPERAND_H

enum { ALLOCA_COUNT };
enum { LOAD_ADDRESS };
enum { STORE_VALUE, STORE_ADDRESS };
enum { UPDATE_ADDRESS }; /* atomicrmw and cmpxchg */
enum { MEMORY_TO, MEMORY_FROM, MEMORY_LENGTH }; /* llvm.memcpy and llvm.memmove; llvm.memset has the byte second */
enum { ADDRESS_BASE, FIRST_INDEX }; /* base address of a cast or getelementptr */
enum { COMPARE_LEFT, COMPARE_RIGHT };
enum { DIVIDEND, DIVISOR };
enum { SELECT_CONDITION, SELECT_TRUE, SELECT_FALSE };
enum { RET_VALUE };
enum { FROZEN }; /* freeze */
enum { AGGREGATE }; /* extractvalue and insertvalue */
enum { PHI_FIRST };
enum { LEFT_PAD }; /* the pad of catchret and cleanupret; the parent pad of catchswitch */
enum { LIFETIME_OF }; /* llvm.lifetime.start and .end */
enum { FREED_MEMORY }; /* pointer argument of a deallocation call */
enum { STACK_MARK }; /* llvm.stackrestore */

#endif
