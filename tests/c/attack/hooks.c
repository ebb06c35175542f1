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
                             "  %real = phi float [ 1.0, %entry ], [ %half, %loop ]\n"
                             "  %half = fmul float %real, 0.5\n"
                             "  store float %half, ptr %header\n"
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

static const char of_allocation[] = "define ptr @abi.alloc(i64 %size, i64 %align) {\n"
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

/* Custom clones with a result, for which the hooks store the index. */
static const char of_own_clones[] = "@abi.header = global { i32, ptr } { i32 5, ptr null }\n"
                                    "declare void @noted(ptr, i32)\n"
                                    "declare i64 @abi.clone.go(ptr, i64, ptr)\n"
                                    "define void @abi.save(ptr %frame, i32 %index, ptr %clone, ptr %header) {\n"
                                    "  %slot = getelementptr { i32, ptr }, ptr %header, i32 0, i32 1\n"
                                    "  store i32 %index, ptr %header\n"
                                    "  store ptr %clone, ptr %slot\n"
                                    "  ret void\n"
                                    "}\n"
                                    "define i32 @abi.dispatch(ptr %frame, ptr %header) {\n"
                                    "  %index = load i32, ptr %header\n"
                                    "  ret i32 %index\n"
                                    "}\n"
                                    "define i64 @abi.suspend(ptr %frame, i32 %index) {\n"
                                    "  %number = zext i32 %index to i64\n"
                                    "  ret i64 %number\n"
                                    "}\n"
                                    "define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed, ptr %header, "
                                    "i64 %first, ptr %second) {\n"
                                    "  call void @noted(ptr %second, i32 %index)\n"
                                    "  ret void\n"
                                    "}\n"
                                    "define i64 @abi.end(ptr %frame, i32 %kind) {\n"
                                    "  call void @noted(ptr %frame, i32 %kind)\n"
                                    "  ret i64 7\n"
                                    "}\n"
                                    "define void @abi.resume(ptr %frame, ptr %header, ptr %clone) {\n"
                                    "  %slot = getelementptr { i32, ptr }, ptr %header, i32 0, i32 1\n"
                                    "  %own = load ptr, ptr %slot\n"
                                    "  %result = call i64 %own(ptr %frame, i64 3, ptr null)\n"
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

static void add_abis(coro_options *options, coro_custom_abi *abis, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    abis[i].select = select_all;
    abis[i].header = set_header;
    abis[i].hook_module_size = strlen(abis[i].hook_module);
  }
  options->abis = abis;
  options->abi_count = count;
}

void attack_with_hooks(coro_options *options)
{
  static char texts[3][sizeof of_all + sizeof of_end + sizeof of_allocation];
  static coro_custom_abi abis[] = {{.base = CORO_ABI_SWITCH, .hook_module = texts[0]},
                                   {.base = CORO_ABI_RETCON, .hook_module = texts[1]},
                                   {.base = CORO_ABI_ASYNC, .hook_module = texts[2]}};
  snprintf(texts[0], sizeof texts[0], "%s%s%s", of_all, of_end, of_allocation);
  snprintf(texts[1], sizeof texts[1], "%s%s%s", of_all, of_end, of_allocation);
  snprintf(texts[2], sizeof texts[2], "%s%s", of_all, of_end);
  add_abis(options, abis, sizeof abis / sizeof *abis);
}

void attack_with_own_clones(coro_options *options, bool each)
{
  static coro_custom_abi abis[] = {{.base = CORO_ABI_SWITCH, .hook_module = of_own_clones}};
  abis[0].clone_per_suspend = each;
  add_abis(options, abis, sizeof abis / sizeof *abis);
}
