/* Checks what the declaration of a clone promises to callers and optimizers: function attributes, attributes of the
   frame's parameter, calling convention.
   Requires: a numbered clone. */
#pragma once

#include "check/check_data.h"

/* Looks up the attributes' numbers in c->attribute_kinds. */
void clone_attributes_init(struct check *c);
/* Whether each promise of the clone is one of the presplit function, or follows from the size and alignment of the
   frame. */
bool clone_attributes_check(struct check *c, const struct check_clone *k);
/* Whether the attributes of a helper function promise nothing that a call of free in it may violate. */
bool clone_attributes_permit_free(const struct check *c, LLVMValueRef function);
