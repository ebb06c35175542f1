/* The run time part of coro-cache-frames, as textual IR: for each size of blocks, a list of the memory of destroyed
   frames, in a variable of each thread.
     take(size)        removes the first block of a list; null if it is empty
     give(block, size) puts a block into its list; false if the caller must free it, or if the block is null
     block_size(size)  the size to allocate and free: a multiple of 32; for frames above 1,024 bytes, which have no
                       list, the size itself
   A free block begins with the address of the next one. An element of the variable has the first block of a list, and
   the number of bytes that more blocks may have; the end of the variable tells whether the cache was ever open. The
   first block of a thread opens its cache, for 256 KiB in each list. When the thread ends, __cxa_thread_atexit closes
   it for good: it frees all blocks, and later ones are freed at once. So a block may be taken and given by different
   threads, in any order.
   Requires: nothing. Guarantees: valid IR in address space 0. */
#pragma once

#define FRAME_CACHE "pycoro.frame_cache"
#define FRAME_CACHE_PREFIX FRAME_CACHE "."
#define FRAME_CACHE_TYPE "{[33 x {ptr, i64}], i8}"

/* Defines a function that all units share. */
#define FRAME_CACHE_FUNCTION(result, name, parameters, attributes, ...)                                                \
  "$" FRAME_CACHE_PREFIX name " = comdat any\n"                                                                        \
  "define linkonce_odr hidden " result " @" FRAME_CACHE_PREFIX name "(" parameters ") nounwind " attributes            \
  " comdat {\n" __VA_ARGS__ "}\n"

/* Computes %list, the element of a size's list, and %room, the address of its number of bytes. */
#define FRAME_CACHE_LIST                                                                                               \
  "%cache = call ptr @llvm.threadlocal.address.p0(ptr @" FRAME_CACHE ")\n"                                             \
  "%number = lshr i64 %block.size, 5\n"                                                                                \
  "%list = getelementptr {ptr, i64}, ptr %cache, i64 %number\n"                                                        \
  "%room = getelementptr {ptr, i64}, ptr %list, i64 0, i32 1\n"

/* clang-format off */
static const char frame_cache_functions[] =
    "$" FRAME_CACHE " = comdat any\n"
    "@" FRAME_CACHE " = linkonce_odr hidden thread_local global " FRAME_CACHE_TYPE
    " zeroinitializer, comdat, align 16\n"
    "@__dso_handle = external hidden global i8\n"
    "declare i32 @__cxa_thread_atexit(ptr, ptr, ptr) nounwind\n"
    "declare void @_ZdlPv(ptr) nounwind\n"
    "declare ptr @llvm.threadlocal.address.p0(ptr)\n"

    FRAME_CACHE_FUNCTION("i64", "block_size", "i64 %size", "alwaysinline memory(none)",
    "%large = icmp ugt i64 %size, 1024\n"
    "%above = add i64 %size, 31\n"
    "%rounded = and i64 %above, -32\n"
    "%block = select i1 %large, i64 %size, i64 %rounded\n"
    "ret i64 %block\n")

    FRAME_CACHE_FUNCTION("ptr", "take", "i64 %size", "inlinehint",
    "%block.size = call i64 @" FRAME_CACHE_PREFIX "block_size(i64 %size)\n"
    "%large = icmp ugt i64 %block.size, 1024\n"
    "br i1 %large, label %none, label %search\n"
    "search:\n"
    FRAME_CACHE_LIST
    "%block = load ptr, ptr %list\n"
    "%empty = icmp eq ptr %block, null\n"
    "br i1 %empty, label %none, label %found\n"
    "found:\n"
    "%next = load ptr, ptr %block\n"
    "store ptr %next, ptr %list\n"
    "%bytes = load i64, ptr %room\n"
    "%more = add i64 %bytes, %block.size\n"
    "store i64 %more, ptr %room\n"
    "ret ptr %block\n"
    "none:\n"
    "ret ptr null\n")

    FRAME_CACHE_FUNCTION("i1", "give", "ptr %block, i64 %size", "inlinehint",
    "%block.size = call i64 @" FRAME_CACHE_PREFIX "block_size(i64 %size)\n"
    "%large = icmp ugt i64 %block.size, 1024\n"
    "%none = icmp eq ptr %block, null\n"
    "%is.unlisted = or i1 %large, %none\n"
    "br i1 %is.unlisted, label %free, label %measure\n"
    "measure:\n"
    FRAME_CACHE_LIST
    "%bytes = load i64, ptr %room\n"
    "%fits = icmp uge i64 %bytes, %block.size\n"
    "br i1 %fits, label %keep, label %full\n"
    "full:\n"
    "%opened = call i64 @" FRAME_CACHE_PREFIX "open(ptr %cache)\n"
    "%is.open = icmp ne i64 %opened, 0\n"
    "br i1 %is.open, label %keep, label %free\n"
    "keep:\n"
    "%available = phi i64 [%bytes, %measure], [%opened, %full]\n"
    "%less = sub i64 %available, %block.size\n"
    "store i64 %less, ptr %room\n"
    "%next = load ptr, ptr %list\n"
    "store ptr %next, ptr %block\n"
    "store ptr %block, ptr %list\n"
    "ret i1 true\n"
    "free:\n"
    "ret i1 false\n")

    /* Returns the number of bytes of each list; 0 if the cache was open before. */
    FRAME_CACHE_FUNCTION("i64", "open", "ptr %cache", "noinline cold",
    "%state = getelementptr " FRAME_CACHE_TYPE ", ptr %cache, i64 0, i32 1\n"
    "%was.open = load i8, ptr %state\n"
    "%is.new = icmp eq i8 %was.open, 0\n"
    "br i1 %is.new, label %register, label %none\n"
    "register:\n"
    "store i8 1, ptr %state\n"
    "%failed = call i32 @__cxa_thread_atexit(ptr @" FRAME_CACHE_PREFIX "close, ptr %cache, ptr @__dso_handle)\n"
    "%is.registered = icmp eq i32 %failed, 0\n"
    "br i1 %is.registered, label %each, label %none\n"
    "each:\n"
    "%number = phi i64 [0, %register], [%following, %each]\n"
    "%room = getelementptr {ptr, i64}, ptr %cache, i64 %number, i32 1\n"
    "store i64 262144, ptr %room\n"
    "%following = add i64 %number, 1\n"
    "%done = icmp eq i64 %following, 33\n"
    "br i1 %done, label %opened, label %each\n"
    "opened:\n"
    "ret i64 262144\n"
    "none:\n"
    "ret i64 0\n")

    /* Frees the blocks of all lists, and closes them. */
    FRAME_CACHE_FUNCTION("void", "close", "ptr %cache", "noinline cold",
    "br label %each\n"
    "each:\n"
    "%number = phi i64 [0, %0], [%number, %free], [%following, %next]\n"
    "%list = getelementptr {ptr, i64}, ptr %cache, i64 %number\n"
    "%block = load ptr, ptr %list\n"
    "%empty = icmp eq ptr %block, null\n"
    "br i1 %empty, label %next, label %free\n"
    "free:\n"
    "%rest = load ptr, ptr %block\n"
    "store ptr %rest, ptr %list\n"
    "call void @_ZdlPv(ptr %block)\n"
    "br label %each\n"
    "next:\n"
    "%room = getelementptr {ptr, i64}, ptr %list, i64 0, i32 1\n"
    "store i64 0, ptr %room\n"
    "%following = add i64 %number, 1\n"
    "%done = icmp eq i64 %following, 33\n"
    "br i1 %done, label %end, label %each\n"
    "end:\n"
    "ret void\n");
/* clang-format on */
