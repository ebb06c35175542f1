/* Masking of the name of the module flag "Debug Info Version" in IR that has not been parsed yet.
   Needs: nothing. Leaves: the data of the same size, with the name's last letter changed wherever it is a name. */
#ifndef CORO_IR_MASK_H
#define CORO_IR_MASK_H

#include <stdbool.h>
#include <stddef.h>

bool ir_mask_text(char *data, size_t size); /* true: the name was there */
/* Only the form that LLVM has written since 3.9, where the bytes of the name stand side by side. */
bool ir_mask_bitcode(char *data, size_t size);

#endif
