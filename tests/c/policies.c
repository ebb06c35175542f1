/* ABIs of a C client, by the public header alone: their arguments, decisions, and errors.
   Requires: the whole library. */
#include <string.h>

#include "check.h"
#include "pycoro.h"

static const char coroutine[] =
    "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare i64 @llvm.coro.size.i64()\n"
    "declare ptr @llvm.coro.begin(token, ptr)\ndeclare i8 @llvm.coro.suspend(token, i1)\n"
    "declare ptr @llvm.coro.free(token, ptr)\ndeclare void @llvm.coro.end(ptr, i1, token)\n"
    "declare ptr @malloc(i64)\ndeclare void @free(ptr)\ndeclare void @print(i32)\ndeclare i32 @get()\n"
    "define ptr @f(i32 %n) noinline \"own\"=\"yes\" presplitcoroutine {\nentry:\n  %x = alloca i32\n"
    "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
    "  %size = call i64 @llvm.coro.size.i64()\n  %memory = call ptr @malloc(i64 %size)\n"
    "  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)\n"
    "  %got = call i32 @get()\n  store i32 %got, ptr %x\n  %twice = mul i32 %got, 2\n"
    "  %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
    "  switch i8 %s, label %suspend [\n    i8 0, label %resume\n    i8 1, label %cleanup\n  ]\n"
    "resume:\n  %sum = add i32 %twice, %n\n  call void @print(i32 %sum)\n  call void @print(i32 %got)\n"
    "  br label %cleanup\n"
    "cleanup:\n  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)\n  call void @free(ptr %freed)\n"
    "  br label %suspend\n"
    "suspend:\n  call void @llvm.coro.end(ptr %frame, i1 false, token none)\n  ret ptr %frame\n}\n";

static const char passes[] = "coro-early,cgscc(coro-split),coro-cleanup";

struct told { /* the arguments of the ABI's callbacks, and the results to return */
  unsigned candidates, checks, values, keepables, layouts, frames;
  const char *refusal; /* error text of the check callback; NULL: none */
  uint64_t most; /* maximum size of a frame in bytes */
  uint64_t gap; /* bytes between fields */
  coro_spill_choice x, got;
  bool fail;
};

static int selects(void *user, const coro_candidate_info *info, bool *selected)
{
  struct told *told = user;
  bool own = false;
  for (size_t i = 0; i < info->attribute_count; i++)
    own = own || (!strcmp(info->attributes[i].name, "own") && !strcmp(info->attributes[i].value, "yes"));
  CHECK(!*selected && own && info->index == CORO_NONE, "%s", info->function);
  CHECK(info->parameter_count == 1 && !strcmp(info->parameters[0].name, "n"), "%zu", info->parameter_count);
  CHECK(info->suspend_count == 1 && !strcmp(info->suspends[0].block, "%entry"), "%zu", info->suspend_count);
  told->candidates++;
  *selected = true;
  return told->fail;
}

static int checks(void *user, const coro_candidate_info *info, coro_rejection *refusal)
{
  struct told *told = user;
  CHECK(!strcmp(info->type, "ptr (i32)") && !*info->promise, "%s", info->type);
  told->checks++;
  if (told->refusal)
    coro_reject_coroutine(refusal, told->refusal, NULL);
  return 0;
}

static int rematerializes(void *user, const coro_remat_candidate_info *value, bool *again)
{
  struct told *told = user;
  told->values++;
  CHECK(*again == !strcmp(value->name, "twice"), "%s", value->name);
  return 0;
}

static int keeps(void *user, const coro_spill_candidate_info *about, coro_spill_choice *wanted)
{
  struct told *told = user;
  told->keepables++;
  CHECK(*wanted == CORO_SPILL_DEFAULT && *about->why && about->size == 4, "%s", about->name);
  if (!strcmp(about->name, "x")) {
    CHECK(about->is_variable && !about->is_in_frame && !*about->obstacle, "%s", about->obstacle);
    *wanted = told->x;
  } else if (!strcmp(about->name, "got")) {
    CHECK(!about->is_variable && about->is_in_frame && *about->obstacle, "%s", about->why);
    *wanted = told->got;
  }
  return 0;
}

static int lays_out(void *user, const coro_field_info *fields, size_t count, uint64_t start, uint64_t *offsets)
{
  struct told *told = user;
  told->layouts++;
  for (size_t i = 0; i < count; i++) {
    CHECK(offsets[i] == fields[i].offset && offsets[i] >= start, "field %zu", i);
    offsets[i] = start + i * told->gap;
  }
  return 0;
}

static int checks_frame(void *user, const coro_coroutine_info *info, coro_rejection *refusal)
{
  struct told *told = user;
  told->frames++;
  CHECK(info->frame_size >= info->lower_bound && info->suspends[0].live_count, "%d bytes", (int)info->frame_size);
  if (told->most && info->frame_size > told->most)
    coro_reject_coroutine(refusal, "the frame is too large", "keep less");
  return 0;
}

/* Runs the coroutine by these ABIs: the status, and the text of the first diagnostic. A rejected module is
   unchanged. */
static coro_status run(const coro_custom_abi *abis, size_t count, const char *says)
{
  coro_module *module;
  coro_diags *diags;
  char *before, *after;
  coro_options options = CORO_OPTIONS_INIT;
  options.abis = abis;
  options.abi_count = count;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  CHECK(coro_module_parse(&module, coroutine, strlen(coroutine), "f.ll", diags) == CORO_OK, "parse");
  CHECK(coro_module_print(module, &before) == CORO_OK, "print");
  coro_status status = coro_run(module, passes, &options, NULL, diags);
  CHECK(coro_module_print(module, &after) == CORO_OK, "print");
  CHECK((status == CORO_OK) == (strcmp(before, after) != 0), "status %d", status);
  const coro_diag *diag = coro_diags_get(diags, 0);
  CHECK(status ? diag && strstr(diag->message, says) : !diag, "%s", diag ? diag->message : "nothing is said");
  coro_string_free(before);
  coro_string_free(after);
  coro_module_free(module);
  coro_diags_free(diags);
  return status;
}

int main(void)
{
  struct told told = {.gap = 8};
  coro_custom_abi abi = {.base = CORO_ABI_SWITCH,
                         .name = "mine",
                         .select = selects,
                         .check = checks,
                         .rematerialize = rematerializes,
                         .keep_in_frame = keeps,
                         .layout = lays_out,
                         .check_frame = checks_frame,
                         .user = &told};
  CHECK(run(&abi, 1, "") == CORO_OK, "lowered");
  CHECK(told.candidates == 1 && told.checks == 1 && told.layouts == 1 && told.frames == 1,
        "each policy is called once");
  CHECK(told.values == 2 && told.keepables == 4, "%u values, %u candidates for the frame", told.values, told.keepables);
  told.x = CORO_SPILL_ALWAYS;
  CHECK(run(&abi, 1, "") == CORO_OK, "a variable in the frame");
  told.got = CORO_SPILL_NEVER;
  CHECK(run(&abi, 1, "ABI 0 (mine) requires %got outside of the frame, but it must be in the frame because") ==
            CORO_EREJECTED,
        "out");
  told.got = CORO_SPILL_DEFAULT;
  told.gap = 2;
  CHECK(run(&abi, 1, "which is not aligned") == CORO_EREJECTED, "alignment");
  told.gap = 0;
  CHECK(run(&abi, 1, "both are live at the same time") == CORO_EREJECTED, "overlap");
  told.gap = 8;
  told.most = 16;
  CHECK(run(&abi, 1, "ABI 0 (mine) rejects the coroutine: the frame is too large") == CORO_EREJECTED, "its frame");
  told.most = 0;
  told.refusal = "not this one";
  CHECK(run(&abi, 1, "ABI 0 (mine) rejects the coroutine: not this one") == CORO_EREJECTED, "the coroutine");
  told.refusal = NULL;
  coro_custom_abi two[] = {abi, abi};
  two[1].name = NULL;
  CHECK(run(two, 2, "two ABIs select this coroutine: ABI 0 (mine) and ABI 1") == CORO_EREJECTED, "two want it");
  told.fail = true;
  CHECK(run(&abi, 1, "of ABI 0 (mine) failed") == CORO_ECALLBACK, "it fails");
  return check_done("policies");
}
