/* Templates: modules that define the hooks of an ABI, and what the ABI has of its own in the frame and in its parts.
   Needs: ir. Leaves: in a module that is lowered the functions of the template, linked when the first coroutine needs
   them. */
#ifndef CORO_ABI_TEMPLATE_H
#define CORO_ABI_TEMPLATE_H

#include "base/arena.h"
#include "coro/lowering.h"

enum hook {
#define CORO_HOOK(name, ...) HOOK_##name,
#include "abi/hooks.def"
  HOOK_COUNT
};

enum hook_argument {
  ARG_NONE,
  ARG_FRAME,
  ARG_HEADER,    /* the ABI's own header in the frame; null where it has none */
  ARG_NAME,      /* of the coroutine, ending in a NUL */
  ARG_MEMORY,    /* what alloc gave */
  ARG_SIZE,      /* of the frame, in bytes */
  ARG_ALIGN,     /* of the frame, in bytes */
  ARG_INDEX,     /* of a suspend, as SuspendPoint.index */
  ARG_FINAL,     /* whether it is the final one */
  ARG_PART,      /* the function that goes on behind it */
  ARG_DESTROYED, /* whether the coroutine is being destroyed */
  ARG_WHICH,     /* the part that this is: 0 ramp, 1 resume, 2 destroy, 3 cleanup */
  HOOK_ARGUMENTS = 4 /* that a hook has at most */
};

struct template
{
  LLVMModuleRef source; /* as it was read, with names that no module has; it stays as it is */
  unsigned number;      /* a part of these names */
  LLVMValueRef hooks[HOOK_COUNT]; /* in `source`; NULL: not defined */
  LLVMTypeRef header;   /* of the ABI's own header; NULL: it has none */
  uint64_t header_align; /* that it asks for, 0: as its type */
  LLVMValueRef part;    /* prototype, in `source`, of the part that resumes; NULL: as the base's. Its types are those
                           of the module only once it is linked */
  const char *suffix;   /* that such parts are called by */
};

#define TEMPLATE_PREFIX "pycoro.abi." /* of hooks' names, once they were read */

struct template_text {
  const char *data;
  size_t size;
  unsigned number; /* that no name of the module has, see template_free_number */
  bool each;       /* a part resumes one suspend only */
  coro_abi_kind base; /* RETCON_ONCE as RETCON */
};

/* Reads textual IR or bitcode, and checks what it defines. The template is in the arena, its module is to be given
   back. EPARSE, EVERIFY, EUSAGE with a diagnostic of the rule "template"; ENOMEM. */
coro_status template_read(struct template **out, struct coro_arena *arena, LLVMContextRef context,
                          const struct template_text *text, coro_diags *diags);
void template_free(struct template *template); /* NULL is fine */
/* Whether the coroutine has what its ABI's hooks ask of it; EREJECTED with a diagnostic. */
coro_status template_fits(const struct coro_lowering *low);
/* Gives the coroutine's module what the template defines, once. EREJECTED with a diagnostic where that cannot be. */
coro_status template_link(const struct coro_lowering *low);
/* Behind what the frame's header has: what the ABI has of its own there. */
void template_add_header(const struct coro_lowering *low, struct coro_frame_header *header);
/* Whether that is aligned no further than the frame's memory is known to be; EREJECTED with a diagnostic. */
coro_status template_check_header(const struct coro_lowering *low, uint64_t given);
/* Whether low->header_values are values of the header's elements; EREJECTED with a diagnostic. */
coro_status template_check_values(const struct coro_lowering *low);
/* Once it is linked: the hook, the prototype of the parts (NULL: as the base's), what the header holds at first (NULL:
   nothing). */
LLVMValueRef template_hook(const struct coro_lowering *low, enum hook hook);
LLVMValueRef template_part(const struct coro_lowering *low);
LLVMValueRef template_header_value(const struct coro_lowering *low);
/* Whether an instruction of a coroutine asks, by a call of abi.passed.N, what its part was passed as parameter N, the
   frame being 0; which one that is. */
bool template_asks(LLVMValueRef inst, unsigned *parameter);
/* The arguments that a hook has by itself, and how many. */
unsigned template_own_arguments(enum hook hook);
enum hook_argument template_argument(enum hook hook, unsigned index);
/* The names of what is linked; NULL: memory ran out. */
const char *template_name(struct coro_arena *arena, const struct template *template, const char *role);
const char *template_hook_name(struct coro_arena *arena, const struct template *template, enum hook hook);
/* The least number that this and all above are in no name of the module. */
unsigned template_free_number(LLVMModuleRef module);
/* Takes out of the module what no call was left of. */
void template_unlink(const struct template *template, LLVMModuleRef module);

static inline bool template_has(const struct template *template, enum hook hook)
{
  return template && template->hooks[hook];
}

#endif
