/* SipHash-2-4: two rounds for each word of the input, four at the end. */
#include "base/digest.h"

enum { WORD = 8, ROUNDS_AT_END = 4 };

struct state {
  uint64_t a, b, c, d;
};

static uint64_t rotate_left(uint64_t word, unsigned bits)
{
  return word << bits | word >> (64 - bits);
}

static void do_siphash_round(struct state *s)
{
  s->a += s->b;
  s->c += s->d;
  s->b = rotate_left(s->b, 13) ^ s->a;
  s->d = rotate_left(s->d, 16) ^ s->c;
  s->a = rotate_left(s->a, 32);
  s->c += s->b;
  s->a += s->d;
  s->b = rotate_left(s->b, 17) ^ s->c;
  s->d = rotate_left(s->d, 21) ^ s->a;
  s->c = rotate_left(s->c, 32);
}

static void mix_word_into_hash(struct state *s, uint64_t word)
{
  s->d ^= word;
  do_siphash_round(s);
  do_siphash_round(s);
  s->a ^= word;
}

static uint64_t load_little_endian(const unsigned char *bytes, size_t size)
{
  uint64_t word = 0;
  for (size_t i = 0; i < size; i++)
    word |= (uint64_t)bytes[i] << (8 * i);
  return word;
}

uint64_t keyed_hash_of_bytes(const struct digest_key *key, const void *data, size_t size)
{
  struct state s = {key->words[0] ^ 0x736f6d6570736575u, key->words[1] ^ 0x646f72616e646f6du,
                    key->words[0] ^ 0x6c7967656e657261u, key->words[1] ^ 0x7465646279746573u};
  const unsigned char *bytes = data;
  size_t rest = size % WORD;
  for (size_t i = 0; i + rest < size; i += WORD)
    mix_word_into_hash(&s, load_little_endian(bytes + i, WORD));
  mix_word_into_hash(&s, (uint64_t)size << 56 | (rest ? load_little_endian(bytes + (size - rest), rest) : 0));
  s.c ^= 0xff;
  for (int i = 0; i < ROUNDS_AT_END; i++)
    do_siphash_round(&s);
  return s.a ^ s.b ^ s.c ^ s.d;
}
