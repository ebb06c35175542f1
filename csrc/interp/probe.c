/* Whether memory that is not the program's can be touched: asked of the system, which tells instead of trapping.
   Needs: a host that trusts the program. Leaves: nothing. */
#ifdef __linux__
#define _GNU_SOURCE /* process_vm_readv */
#include <sys/uio.h>
#include <unistd.h>
#endif

#include "interp/probe.h"

#define MOST_SIZE (UINT64_C(256) << 20)

#ifdef __linux__
static bool touch(uint64_t address, bool write)
{
  unsigned char byte;
  struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1)
    return false;
  return !write || process_vm_writev(getpid(), &here, 1, &there, 1, 0) == 1;
}

static bool can_probe(void)
{
  unsigned char byte = 0;
  return touch((uintptr_t)&byte, true); /* sandboxes may forbid it; then nothing can be told */
}
#else
static bool touch(uint64_t address, bool write)
{
  (void)address, (void)write;
  return true;
}

static bool can_probe(void)
{
  return true;
}
#endif

static bool page_there(struct probe *probe, uint64_t page, bool write)
{
  uint64_t *known = (write ? probe->writable : probe->readable) + page % 256;
  if (*known == page)
    return true;
  if (!touch(page << 12, write) && can_probe())
    return false;
  *known = page;
  return true;
}

bool probe_range(struct probe *probe, uint64_t address, uint64_t size, bool write)
{
  const uint64_t end = UINT64_C(1) << 47;
  if (size > MOST_SIZE || address < 4096 || address >= end || size > end - address)
    return false;
  for (uint64_t page = address >> 12; page <= (address + size - 1) >> 12; page++)
    if (!page_there(probe, page, write))
      return false;
  return true;
}
