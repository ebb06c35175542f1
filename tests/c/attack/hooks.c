/* Custom ABIs with hooks, so that the code of hooks is mutated, too: inlined bodies of one and several blocks, with an
   alloca and a phi, a hook that stays a call, and a header with initial content.
   Requires: an attack. */
#include <string.h>

#include "attack/attack.h"
#include "check.h"

static const char of_all[] = "@abi.header = global { i32, ptr, i64 } { i32 5, ptr null, i64 0 }\n"
                             "declare void @noted(ptr, i32)\n"
                             "define void @abi.begin(ptr %frame, ptr %header, ptr %name) {\n"
                             "  call void @noted(ptr %name, i32 1)\n"
                             "  store ptr %frame, ptr %header\n"
                             "  ret void\n"
                             "}\n"
                             "define void @abi.save(ptr %frame, i32 %index, ptr %part, ptr %header) {\n"
                             "entry:\n"
                             "  %first = icmp eq i32 %index, 0\n"
                             "  br i1 %first, label %out, label %loop\n"
                             "loop:\n"
                             "  %i = phi i32 [ %index, %entry ], [ %less, %loop ]\n"
                             "  call void @noted(ptr %part, i32 %i)\n"
                             "  %less = sub i32 %i, 1\n"
                             "  %more = icmp ne i32 %less, 0\n"
                             "  br i1 %more, label %loop, label %again\n"
                             "again:\n"
                             "  store i32 2, ptr %header\n"
                             "  ret void\n"
                             "out:\n"
                             "  ret void\n"
                             "}\n"
                             "define void @abi.suspend(ptr %frame, i32 %index, i1 %final, ptr %header) {\n"
                             "  br i1 %final, label %out, label %again\n"
                             "again:\n"
                             "  call void @abi.suspend(ptr %frame, i32 %index, i1 true, ptr %header)\n"
                             "  ret void\n"
                             "out:\n"
                             "  call void @noted(ptr %header, i32 %index)\n"
                             "  ret void\n"
                             "}\n"
                             "define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed, ptr %header) {\n"
                             "  %room = alloca i32\n"
                             "  %which = zext i1 %destroyed to i32\n"
                             "  store i32 %which, ptr %room\n"
                             "  call void @noted(ptr %room, i32 %index)\n"
                             "  ret void\n"
                             "}\n";

static const char of_switched[] = "define ptr @abi.alloc(i64 %size, i64 %align) {\n"
                                  "  %small = icmp ult i64 %size, 64\n"
                                  "  br i1 %small, label %few, label %many\n"
                                  "few:\n"
                                  "  %one = call ptr @given(i64 %size, i64 %align)\n"
                                  "  ret ptr %one\n"
                                  "many:\n"
                                  "  %two = call ptr @given(i64 %align, i64 %size)\n"
                                  "  ret ptr %two\n"
                                  "}\n"
                                  "define void @abi.free(ptr %memory, i64 %size, i64 %align, ptr %header) {\n"
                                  "  call void @noted(ptr %memory, i32 3)\n"
                                  "  ret void\n"
                                  "}\n"
                                  "declare ptr @given(i64, i64)\n";

static const char of_end[] = "define void @abi.end(ptr %frame, i32 %part) {\n"
                             "  call void @noted(ptr %frame, i32 %part)\n"
                             "  ret void\n"
                             "}\n";

static int select_all(void *user, const coro_candidate_info *coroutine, bool *selected)
{
  (void)user;
  (void)coroutine;
  *selected = true;
  return 0;
}

static int set_header(void *user, const coro_candidate_info *coroutine, coro_header *header)
{
  (void)user;
  (void)coroutine;
  coro_header_set_number(header, 0, 17);
  coro_header_set_text(header, 1, "named");
  return 0;
}

void attack_with_hooks(coro_options *options)
{
  static char texts[2][sizeof of_all + sizeof of_end + sizeof of_switched];
  static coro_custom_abi abis[] = {{.base = CORO_ABI_SWITCH, .hooks = texts[0]},
                                   {.base = CORO_ABI_RETCON, .hooks = texts[1]},
                                   {.base = CORO_ABI_ASYNC, .hooks = texts[1]}};
  snprintf(texts[0], sizeof texts[0], "%s%s%s", of_all, of_end, of_switched);
  snprintf(texts[1], sizeof texts[1], "%s%s", of_all, of_end);
  for (size_t i = 0; i < sizeof abis / sizeof *abis; i++) {
    abis[i].select = select_all;
    abis[i].header = set_header;
    abis[i].hook_module_size = strlen(abis[i].hooks);
  }
  options->abis = abis;
  options->abi_count = sizeof abis / sizeof *abis;
}
