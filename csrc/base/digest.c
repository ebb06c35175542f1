/* SipHash-2-4: two rounds for each word of the input, four at the end.
   Guarantees: the digests of the reference implementation, on machines of either byte order. */
#include "base/digest.h"

enum { WORD = 8, ROUNDS_AT_END = 4 };

struct state {
  uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t word, unsigned bits)
{
  return word << bits | word >> (64 - bits);
}

static void mix_round(struct state *s)
{
  s->a += s->b;
  s->c += s->d;
  s->b = rotate(s->b, 13) ^ s->a;
  s->d = rotate(s->d, 16) ^ s->c;
  s->a = rotate(s->a, 32);
  s->c += s->b;
  s->a += s->d;
  s->b = rotate(s->b, 17) ^ s->c;
  s->d = rotate(s->d, 21) ^ s->a;
  s->c = rotate(s->c, 32);
}

static void mix_word(struct state *s, uint64_t word)
{
  s->d ^= word;
  mix_round(s);
  mix_round(s);
  s->a ^= word;
}

static uint64_t load_little_endian(const unsigned char *bytes, size_t size)
{
  uint64_t word = 0;
  for (size_t i = 0; i < size; i++)
    word |= (uint64_t)bytes[i] << (8 * i);
  return word;
}

uint64_t digest_of(const struct digest_key *key, const void *data, size_t size)
{
  struct state s = {key->words[0] ^ 0x736f6d6570736575u, key->words[1] ^ 0x646f72616e646f6du,
                    key->words[0] ^ 0x6c7967656e657261u, key->words[1] ^ 0x7465646279746573u};
  const unsigned char *bytes = data;
  size_t rest = size % WORD;
  for (size_t i = 0; i + rest < size; i += WORD)
    mix_word(&s, load_little_endian(bytes + i, WORD));
  mix_word(&s, (uint64_t)size << 56 | (rest ? load_little_endian(bytes + (size - rest), rest) : 0));
  s.c ^= 0xff;
  for (int i = 0; i < ROUNDS_AT_END; i++)
    mix_round(&s);
  return s.a ^ s.b ^ s.c ^ s.d;
}
