/* Constructors of modules, which wait until code of the engine is about to be called.
   Needs: an engine. Leaves: each run once, in the order in which their modules were added. */
#include "jit/inside.h"

void jit_let_wait(struct jit *jit, struct jit_unit *unit)
{
  pthread_mutex_lock(&jit->lock);
  *(jit->waiting ? &jit->latest->next : &jit->waiting) = unit;
  jit->latest = unit;
  pthread_mutex_unlock(&jit->lock);
}

/* The constructors of the module that has waited longest; NULL: none waits. */
static jit_hook *take_first(struct jit *jit)
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
  for (jit_hook *init; (init = take_first(jit));) /* one may call back, and get here again */
    init();
}
