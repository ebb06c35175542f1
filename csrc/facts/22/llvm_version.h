/* The LLVM version that this directory describes; the build rejects others. No other file of csrc mentions a version.
   Requires: nothing. Guarantees: constants only. */
#ifndef LLVM_VERSION_H
#define LLVM_VERSION_H

#define LLVM_MAJOR 22

#define LLVM_SPELL(number) #number
#define LLVM_SPELLED(number) LLVM_SPELL(number)
#define LLVM_MAJOR_TEXT LLVM_SPELLED(LLVM_MAJOR)
#define LLVM_NAME "LLVM " LLVM_MAJOR_TEXT /* in messages */
#define LLVM_PROGRAM(name) name "-" LLVM_MAJOR_TEXT /* as installed: opt-22 */

#endif
