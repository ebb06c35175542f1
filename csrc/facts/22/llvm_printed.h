/* Parts of printed IR that this library searches for. Messages of the verifier are in llvm_messages.def.
   Requires: nothing. Guarantees: constants only. */
#ifndef LLVM_PRINTED_H
#define LLVM_PRINTED_H

#define LLVM_PRINTED_DEFINE "define " /* starts the line of a function, and of nothing else */
#define LLVM_PRINTED_BODY "{\n" /* ends that line */
#define LLVM_PRINTED_EQUALS " = " /* after the name of a value or a metadata node */
#define LLVM_PRINTED_LOCATION "!DILocation("
#define LLVM_PRINTED_LINKAGE_NAME "linkageName: " /* operands of !DISubprogram(...) */
#define LLVM_PRINTED_SCOPE_LINE "scopeLine: "
#define LLVM_PRINTED_ARGUMENT "DW_OP_LLVM_arg" /* in !DIExpression(...) of several values */

#endif
