/* Tests whether memory outside of the program's objects is mapped, with process_vm_readv and process_vm_writev,
   which fail instead of trapping. */
#ifdef __linux__
#define _GNU_SOURCE /* process_vm_readv */
#include <sys/uio.h>
#include <unistd.h>
#endif

#include "interp/page_probe.h"

#define MAX_SIZE (UINT64_C(256) << 20)

#ifdef __linux__
static bool try_to_access_byte(uint64_t address, bool write)
{
  unsigned char byte;
  struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1)
    return false;
  return !write || process_vm_writev(getpid(), &here, 1, &there, 1, 0) == 1;
}

static bool can_probe_pages(void)
{
  unsigned char byte = 0;
  return try_to_access_byte((uintptr_t)&byte, true); /* if a sandbox forbids the call, all memory counts as mapped */
}
#else
static bool try_to_access_byte(uint64_t address, bool write)
{
  (void)address, (void)write;
  return true;
}

static bool can_probe_pages(void)
{
  return true;
}
#endif

static bool is_page_mapped_or_unknown(struct probe *probe, uint64_t page, bool write)
{
  uint64_t *known = (write ? probe->writable : probe->readable) + page % 256;
  if (*known == page)
    return true;
  if (!try_to_access_byte(page << 12, write) && can_probe_pages())
    return false;
  *known = page;
  return true;
}

bool probe_is_range_mapped(struct probe *probe, uint64_t address, uint64_t size, bool write)
{
  const uint64_t end = UINT64_C(1) << 47;
  if (size > MAX_SIZE || address < 4096 || address >= end || size > end - address)
    return false;
  for (uint64_t page = address >> 12; page <= (address + size - 1) >> 12; page++)
    if (!is_page_mapped_or_unknown(probe, page, write))
      return false;
  return true;
}
