/* Rematerialization: the values live across a suspend that are rematerialized, and those that are spilled.
   Requires: the whole library. */
#include "stages.h"

/* Each has code before and after the suspend, and the expected spilled and rematerialized values. */
static const struct {
  const char *what, *before, *after, *spilled, *rematerialized;
} cases[] = {
    {"from values that are spilled anyway",
     "  %a = call i32 @get()\n"
     "  %b = add i32 %a, 1\n",
     "  call void @use(i32 %a)\n"
     "  call void @use(i32 %b)\n",
     " a", " b"},
    {"not from values that would be spilled only for it",
     "  %a = call i32 @get()\n"
     "  %b = add i32 %a, 1\n",
     "  call void @use(i32 %b)\n", " b", ""},
    {"a chain, with what lies between",
     "  %a = call i32 @get()\n"
     "  %b = add i32 %a, 1\n"
     "  %c = mul i32 %b, 3\n"
     "  %d = xor i32 %c, 7\n"
     "  %e = sub i32 %d, %a\n",
     "  call void @use(i32 %a)\n"
     "  call void @use(i32 %e)\n",
     " a", " b c d e"},
    {"a chain that is too long",
     "  %a = call i32 @get()\n"
     "  %b = add i32 %a, 1\n"
     "  %c = mul i32 %b, 3\n"
     "  %d = xor i32 %c, 7\n"
     "  %e = sub i32 %d, %a\n"
     "  %g = add i32 %e, 5\n",
     "  call void @use(i32 %a)\n"
     "  call void @use(i32 %g)\n",
     " a g", ""},
    {"a chain that ends at a spilled value",
     "  %a = call i32 @get()\n"
     "  %b = call i32 @get()\n"
     "  %c = add i32 %a, %b\n",
     "  call void @use(i32 %a)\n"
     "  call void @use(i32 %c)\n",
     " a c", ""},
    {"what costs much, or may be another by then",
     "  %a = call i32 @get()\n"
     "  %b = udiv i32 7, %a\n"
     "  %c = load i32, ptr %p\n",
     "  call void @use(i32 %a)\n"
     "  call void @use(i32 %b)\n"
     "  call void @use(i32 %c)\n"
     "  store i32 0, ptr %p\n",
     " p a b c", ""},
    {"a division by a constant, which is none",
     "  %a = call i32 @get()\n"
     "  %b = sdiv i32 %a, 3\n",
     "  call void @use(i32 %a)\n"
     "  call void @use(i32 %b)\n",
     " a", " b"},
    {"from a value spilled in their place",
     "  %a = call i32 @get()\n"
     "  %b = add i32 %a, 1\n"
     "  %c = mul i32 %a, 3\n",
     "  call void @use(i32 %b)\n"
     "  call void @use(i32 %c)\n",
     " a", " b c"},
    {"out of what is narrower",
     "  %a = call i32 @get()\n"
     "  %b = zext i32 %a to i64\n",
     "  %c = trunc i64 %b to i32\n"
     "  call void @use(i32 %c)\n",
     " a", " b"},
    {"not out of what is wider than each",
     "  %a = ptrtoint ptr %p to i64\n"
     "  %b = trunc i64 %a to i32\n"
     "  %c = lshr i64 %a, 32\n"
     "  %d = trunc i64 %c to i32\n"
     "  %e = xor i32 %d, 1\n",
     "  call void @use(i32 %b)\n"
     "  call void @use(i32 %d)\n"
     "  call void @use(i32 %e)\n",
     " b d", " e"},
    {"not out of two of which one would not do",
     "  %a = call i32 @get()\n"
     "  %b = call i32 @get()\n"
     "  %c = add i32 %a, %b\n"
     "  %d = mul i32 %a, %b\n",
     "  call void @use(i32 %c)\n"
     "  call void @use(i32 %d)\n",
     " c d", ""},
    {"not by a chain from there that is too long",
     "  %a = call i32 @get()\n"
     "  %b = add i32 %a, 1\n"
     "  %c = mul i32 %b, 3\n"
     "  %d = xor i32 %c, 7\n"
     "  %e = sub i32 %d, 2\n"
     "  %g = add i32 %e, 5\n"
     "  %h = or i32 %g, 9\n",
     "  call void @use(i32 %b)\n"
     "  call void @use(i32 %h)\n",
     " b h", ""},
    {"out of the frame's address, which is everywhere", "  %b = getelementptr i8, ptr %frame, i64 4\n",
     "  call void @keep(ptr %b)\n", "", " b"},
};

int main(void)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct stages s;
    char text[2048];
    snprintf(text, sizeof text,
             "define ptr @f(ptr %%p) presplitcoroutine {\nentry:\n%s%s%sresume:\n%s  br label %%cleanup\n%s",
             STAGES_BEGIN, cases[i].before, STAGES_SUSPEND(0, "resume"), cases[i].after, STAGES_END);
    stages_begin(&s, STAGE_remat, false, text);
    CHECK(!strcmp(stages_names(&s, &s.low.remat.spilled), cases[i].spilled), "%s: spills%s", cases[i].what,
          stages_names(&s, &s.low.remat.spilled));
    CHECK(!strcmp(stages_names(&s, &s.low.remat.rematerialized), cases[i].rematerialized), "%s: rematerializes%s",
          cases[i].what, stages_names(&s, &s.low.remat.rematerialized));
    stages_end(&s);
  }
  return check_done("test_remat");
}
