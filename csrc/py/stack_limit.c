/* Computes the stack limit of compiled code in the current thread.
   Requires: channel.h.
   Guarantees: the stack bounds are cached per thread. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include <pthread.h>

#include "channel.h"

struct bounds {
  uintptr_t low, high;
};

static struct bounds query_thread_stack_bounds(void)
{
  pthread_attr_t attributes;
  void *low;
  size_t size;
  struct bounds found = {0, 0};
  if (pthread_getattr_np(pthread_self(), &attributes))
    return found;
  if (!pthread_attr_getstack(&attributes, &low, &size))
    found = (struct bounds){(uintptr_t)low, (uintptr_t)low + size};
  pthread_attr_destroy(&attributes);
  return found;
}

uintptr_t native_stack_limit(void)
{
  static _Thread_local struct bounds bounds; /* queried once, because for the main thread it reads a file */
  const uintptr_t most = (uintptr_t)256 << 10, here = (uintptr_t)__builtin_frame_address(0);
  if (!bounds.high)
    bounds = query_thread_stack_bounds();
  if (here <= bounds.low || here >= bounds.high) /* running on a custom stack of unknown bounds */
    return 0;
  uintptr_t room = (bounds.high - bounds.low) / 8, end = bounds.low + (room < most ? room : most);
  return here < end ? here : here - (here - end) / 2;
}

bool native_stack_has_space(uintptr_t bytes)
{
  uintptr_t limit = native_stack_limit(), here = (uintptr_t)__builtin_frame_address(0);
  uintptr_t room = here > limit ? here - limit : 0;
  /* with a tolerance, so that it can resume where it was suspended at the limit */
  return !limit || room + room / 4 >= bytes;
}
