/* The hooks that a custom ABI can define: functions in IR such as abi.alloc, which are inlined into the clones.
   hooks.def lists them. Used to insert hooks (csrc/abi) and to check them (csrc/check).
   Requires: nothing.
   Guarantees: one number for each hook. */
#pragma once

enum hook {
#define CORO_HOOK(name, ...) HOOK_##name,
#include "lowering/hooks.def"
  HOOK_COUNT
};

enum hook_argument {
  ARG_NONE,
  ARG_FRAME,
  ARG_HEADER,    /* the ABI's header in the frame; null if it has none */
  ARG_NAME,      /* of the coroutine, NUL-terminated */
  ARG_MEMORY,    /* result of abi.alloc */
  ARG_SIZE,      /* of the frame, in bytes */
  ARG_ALIGN,     /* of the frame, in bytes */
  ARG_INDEX,     /* of a suspend, SuspendPoint.index */
  ARG_FINAL,     /* whether it is the final suspend */
  ARG_CLONE,     /* the clone that continues the coroutine after this suspend */
  ARG_DESTROYED, /* whether the coroutine is being destroyed */
  ARG_CLONE_KIND, /* kind of the current function: 0 ramp, 1 resume, 2 destroy, 3 cleanup */
};

enum { HOOK_MAX_ARGUMENTS = 4 }; /* fixed arguments of a hook */

static inline unsigned hook_bit(enum hook hook) /* in a set of hooks */
{
  return 1u << hook;
}
/* The number of arguments that hooks.def defines for the hook. Others may follow, which depend on the coroutine: its
   parameters, or those of the clone. */
unsigned hook_defined_argument_count(enum hook hook);
/* Which value argument `index` in hooks.def is. */
enum hook_argument hook_argument_kind(enum hook hook, unsigned index);
const char *hook_name_without_abi_prefix(enum hook hook);
