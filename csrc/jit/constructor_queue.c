/* Queue of module constructors, which run before the engine's code is first called.
   Requires: an engine. Guarantees: each runs once, in the order of addition. */
#include "jit/jit_internal.h"

void jit_queue_constructors(struct jit *jit, struct jit_unit *unit)
{
  pthread_mutex_lock(&jit->lock);
  *(jit->waiting ? &jit->latest->next : &jit->waiting) = unit;
  jit->latest = unit;
  pthread_mutex_unlock(&jit->lock);
}

/* Removes the first unit from the queue and returns its constructor function; NULL: empty. */
static jit_hook *pop_first_constructor_hook(struct jit *jit)
{
  pthread_mutex_lock(&jit->lock);
  struct jit_unit *unit = jit->waiting;
  jit_hook *init = unit ? unit->init : NULL;
  if (unit) {
    jit->waiting = unit->next;
    unit->started = true;
  }
  pthread_mutex_unlock(&jit->lock);
  return init;
}

void jit_run_constructors(struct jit *jit)
{
  for (jit_hook *init; (init = pop_first_constructor_hook(jit));) /* a constructor may reenter this function */
    init();
}
