/* Liveness of an alloca's content across a suspend: it is live if a load may read an earlier store.
   Requires: the whole library. */
#include "stages.h"

/* Each body has the alloca %v, an i32, and the blocks %resume and %cleanup. */
static const struct {
  const char *what, *body;
  bool in_frame, whole;
  const char *use; /* the access that stored it */
} variables[] = {
    {"stored again before it is loaded",
     "  store i32 1, ptr %v\n"
     "  %before = load i32, ptr %v\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                                  "  store i32 2, ptr %v\n"
                                                                  "  %after = load i32, ptr %v\n"
                                                                  "  br label %cleanup\n",
     false, true, NULL},
    {"loaded before it is stored again",
     "  store i32 1, ptr %v\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                           "  %after = load i32, ptr %v\n"
                                                           "  store i32 2, ptr %v\n"
                                                           "  br label %cleanup\n",
     true, true, "after"},
    {"stored on one of two paths",
     "  store i32 1, ptr %v\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                           "  br i1 %way, label %left, label %right\n"
                                                           "left:\n"
                                                           "  store i32 2, ptr %v\n"
                                                           "  br label %right\n"
                                                           "right:\n"
                                                           "  %after = load i32, ptr %v\n"
                                                           "  br label %cleanup\n",
     true, true, "after"},
    {"stored on both paths",
     "  store i32 1, ptr %v\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                           "  br i1 %way, label %left, label %right\n"
                                                           "left:\n"
                                                           "  store i32 2, ptr %v\n"
                                                           "  br label %join\n"
                                                           "right:\n"
                                                           "  store i32 3, ptr %v\n"
                                                           "  br label %join\n"
                                                           "join:\n"
                                                           "  %after = load i32, ptr %v\n"
                                                           "  br label %cleanup\n",
     false, true, NULL},
    {"carried round a loop through the suspend",
     "  store i32 1, ptr %v\n"
     "  br label %loop\n"
     "loop:\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                           "  %after = load i32, ptr %v\n"
                                           "  %next = add i32 %after, 1\n"
                                           "  store i32 %next, ptr %v\n"
                                           "  br label %loop\n",
     true, true, "after"},
    {"carried round a loop without a suspend",
     "  store i32 1, ptr %v\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                           "  store i32 2, ptr %v\n"
                                                           "  br label %loop\n"
                                                           "loop:\n"
                                                           "  %after = load i32, ptr %v\n"
                                                           "  %next = add i32 %after, 1\n"
                                                           "  store i32 %next, ptr %v\n"
                                                           "  br i1 %way, label %loop, label %cleanup\n",
     false, true, NULL},
    {"partially stored",
     "  store i32 1, ptr %v\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                           "  store i8 2, ptr %v\n"
                                                           "  %after = load i32, ptr %v\n"
                                                           "  br label %cleanup\n",
     true, false, NULL},
    {"known outside",
     "  store i32 1, ptr %v\n"
     "  call void @keep(ptr %v)\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                               "  store i32 2, ptr %v\n"
                                                               "  %after = load i32, ptr %v\n"
                                                               "  br label %cleanup\n",
     true, false, NULL},
    {"used on one side alone",
     "  store i32 1, ptr %v\n"
     "  %before = load i32, ptr %v\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                                  "  br label %cleanup\n",
     false, false, NULL},
};

int main(void)
{
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    struct stages s;
    char text[2048];
    snprintf(text, sizeof text, "define ptr @f(i1 %%way) presplitcoroutine {\nentry:\n  %%v = alloca i32\n%s%s%s",
             STAGES_BEGIN, variables[i].body, STAGES_END);
    stages_begin(&s, STAGE_frame_allocas, false, text);
    const struct coro_alloca *v = &s.low.allocas.items[s.low.allocas.of_value[stages_value(&s, "v")]];
    CHECK(v->in_frame == variables[i].in_frame, "%s: in the frame: %d", variables[i].what, v->in_frame);
    CHECK(v->accessed_as_whole == variables[i].whole, "%s: only the content counts: %d", variables[i].what,
          v->accessed_as_whole);
    if (variables[i].use)
      CHECK(v->use == stages_inst(&s, variables[i].use), "%s: by instruction %u", variables[i].what, (unsigned)v->use);
    stages_end(&s);
  }
  return check_done("test_content");
}
