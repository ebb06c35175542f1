/* Operands of instructions by name, where LLVM-C has no call for them. Those of coroutine intrinsics are in intrin.def.
   Needs: nothing. Leaves: numbers, for LLVMGetOperand and ir_operand. */
#ifndef CORO_IR_OPERAND_H
#define CORO_IR_OPERAND_H

enum { ALLOCA_COUNT };
enum { LOAD_ADDRESS };
enum { STORE_VALUE, STORE_ADDRESS };
enum { UPDATE_ADDRESS }; /* of atomicrmw and cmpxchg */
enum { MEMORY_TO, MEMORY_FROM, MEMORY_LENGTH }; /* of llvm.memcpy and llvm.memmove; llvm.memset fills by the second */
enum { ADDRESS_BASE, FIRST_INDEX }; /* of a cast and of getelementptr: what the address is made of */
enum { COMPARE_LEFT, COMPARE_RIGHT };
enum { DIVIDEND, DIVISOR };
enum { SELECT_CONDITION, SELECT_TRUE, SELECT_FALSE };
enum { RET_VALUE };
enum { FROZEN }; /* of freeze */
enum { AGGREGATE }; /* of extractvalue and insertvalue */
enum { PHI_FIRST };
enum { LEFT_PAD }; /* of catchret and cleanupret; of catchswitch the pad that it is in */
enum { LIFETIME_OF }; /* of llvm.lifetime.start and .end */
enum { FREED_MEMORY }; /* of what gives memory back to an allocator */
enum { STACK_MARK }; /* of llvm.stackrestore */

#endif
