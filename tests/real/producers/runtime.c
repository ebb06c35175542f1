/* The runtime of the producers' modules, for this machine and for WebAssembly: an allocator that counts frames, and the
   tasks and queue of TinyGo's scheduler.
   Requires: the host's `report`. Guarantees: no library function is called. */
#include <stdint.h>

static _Alignas(16) char memory[1 << 16];
static uint32_t used, live;

void *take(uint64_t size)
{
  char *found = memory + used;
  used += ((uint32_t)size + 15) & ~UINT32_C(15);
  live++;
  return used <= sizeof memory ? found : 0;
}

void *take_word(uint64_t size)
{
  return take(size);
}

void give(void *frame)
{
  live -= frame != 0;
}

int32_t frames(void)
{
  return (int32_t)live;
}

struct task {
  void *state, *result;
};

static struct task tasks[8], *queue[64];
static uint32_t task_count, first, last;

struct task *task_create(void)
{
  return &tasks[task_count++];
}

void *task_set_state(struct task *task, void *state)
{
  void *old = task->state;
  task->state = state;
  return old;
}

void *task_return_pointer(struct task *task)
{
  return task->result;
}

void task_set_return_pointer(struct task *task, void *result)
{
  task->result = result;
}

void task_enqueue(struct task *task)
{
  queue[last++ % 64] = task;
}

void *task_next(void)
{
  return first == last ? 0 : queue[first++ % 64]->state;
}
