/* Keyed 64-bit digest of bytes: SipHash-2-4 (Aumasson and Bernstein, 2012). Inputs with equal digests can only be
   constructed with the key.
   Requires: nothing. Guarantees: no side effects. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct digest_key {
  uint64_t words[2];
};

uint64_t keyed_hash_of_bytes(const struct digest_key *key, const void *data, size_t size);
