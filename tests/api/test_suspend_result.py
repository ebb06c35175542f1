"""Computations from the result of a suspend that decide a branch are folded for each result."""

from __future__ import annotations

import pytest

import pycoro

# Each computation reads the result %s, -1, 0 or 1, and ends with %c, true if the coroutine is resumed (0).
COMPUTATIONS = {
    "trunc": "%t = trunc i8 %s to i2\n%c = icmp eq i2 %t, 0",
    "zext": "%t = zext i8 %s to i64\n%c = icmp eq i64 %t, 0",
    "sext": "%t = sext i8 %s to i64\n%c = icmp eq i64 %t, 0",
    "sitofp": "%t = sitofp i8 %s to double\n%c = fcmp oeq double %t, 0.0",
    "uitofp": "%t = uitofp i8 %s to half\n%c = fcmp ult half %t, 0xH3800",
    "fptosi": "%t = sitofp i8 %s to fp128\n%u = fptosi fp128 %t to i32\n%c = icmp eq i32 %u, 0",
    "fptoui": "%t = uitofp i8 %s to float\n%u = fptoui float %t to i32\n%c = icmp eq i32 %u, 0",
    "fptrunc": "%t = sitofp i8 %s to double\n%u = fptrunc double %t to bfloat\n%c = fcmp oeq bfloat %u, 0xR0000",
    "fpext": "%t = sitofp i8 %s to float\n%u = fpext float %t to x86_fp80\n%c = fcmp oeq x86_fp80 %u, 0xK00000000000000000000",
    "inttoptr": "%t = inttoptr i8 %s to ptr\n%c = icmp eq ptr %t, null",
    "ptrtoint": "%t = inttoptr i8 %s to ptr\n%u = ptrtoint ptr %t to i16\n%c = icmp eq i16 %u, 0",
    "ptrtoaddr": "%t = inttoptr i8 %s to ptr\n%u = ptrtoaddr ptr %t to i64\n%c = icmp eq i64 %u, 0",
    "bitcast to float": "%w = sext i8 %s to i32\n%t = bitcast i32 %w to float\n%c = fcmp oeq float %t, 0.0",
    "bitcast to integer": "%t = sitofp i8 %s to float\n%u = bitcast float %t to i32\n%c = icmp eq i32 %u, 0",
    "bitcast of pointer": "%t = inttoptr i8 %s to ptr\n%u = bitcast ptr %t to ptr\n%c = icmp eq ptr %u, null",
    "freeze": "%t = freeze i8 %s\n%c = icmp eq i8 %t, 0",
    "freeze of float": "%t = sitofp i8 %s to float\n%u = freeze float %t\n%c = fcmp oeq float %u, 0.0",
    "freeze of pointer": "%t = inttoptr i8 %s to ptr\n%u = freeze ptr %t\n%c = icmp eq ptr %u, null",
    "fneg": "%t = sitofp i8 %s to float\n%u = fneg float %t\n%c = fcmp oeq float %u, 0.0",
    "fadd": "%t = sitofp i8 %s to double\n%u = fadd double %t, 2.0\n%c = fcmp oeq double %u, 2.0",
    "fsub": "%t = sitofp i8 %s to double\n%u = fsub double 2.0, %t\n%c = fcmp oeq double %u, 2.0",
    "fmul": "%t = sitofp i8 %s to double\n%u = fmul nnan double %t, %t\n%c = fcmp olt double %u, 0.5",
    "fdiv": "%t = sitofp i8 %s to double\n%u = fdiv double %t, 4.0\n%c = fcmp oeq double %u, 0.0",
    "frem": "%t = sitofp i8 %s to double\n%u = frem double %t, 4.0\n%c = fcmp oeq double %u, 0.0",
    "sum of vectors": "%t = insertelement <2 x i8> <i8 1, i8 2>, i8 %s, i32 0\n%u = add <2 x i8> %t, <i8 1, i8 2>\n"
    "%e = extractelement <2 x i8> %u, i32 0\n%c = icmp eq i8 %e, 1",
    "bitcast of vector": "%t = insertelement <2 x i32> zeroinitializer, i32 0, i32 0\n%w = sext i8 %s to i32\n"
    "%u = insertelement <2 x i32> %t, i32 %w, i32 1\n%f = bitcast <2 x i32> %u to <2 x float>\n"
    "%e = extractelement <2 x float> %f, i32 1\n%c = fcmp oeq float %e, 0.0",
    "insertelement": "%t = insertelement <2 x i8> poison, i8 %s, i32 1\n"
    "%e = extractelement <2 x i8> %t, i32 1\n%c = icmp eq i8 %e, 0",
    "vector of floats": "%t = insertelement <2 x i8> zeroinitializer, i8 %s, i32 1\n%f = sitofp <2 x i8> %t to <2 x float>\n"
    "%e = extractelement <2 x float> %f, i32 1\n%c = fcmp oeq float %e, 0.0",
    "select of integers": "%z = icmp eq i8 %s, 0\n%t = select i1 %z, i32 7, i32 9\n%c = icmp eq i32 %t, 7",
    "select of floats": "%z = icmp eq i8 %s, 0\n%t = select i1 %z, float 7.0, float 9.0\n%c = fcmp oeq float %t, 7.0",
    "select of pointers": "%p = inttoptr i8 %s to ptr\n%z = icmp eq i8 %s, 0\n"
    "%t = select i1 %z, ptr null, ptr %p\n%c = icmp eq ptr %t, null",
    "comparison of pointers": "%t = inttoptr i8 %s to ptr\n%w = zext i8 %s to i64\n%u = inttoptr i64 %w to ptr\n"
    "%e = icmp ne ptr %t, %u\n%z = icmp eq i8 %s, 0\n%c = select i1 %e, i1 false, i1 %z",
}

TEXT = """
target datalayout = "e-m:e-p:64:64-i64:64-n8:16:32:64-S128"
define ptr @f() presplitcoroutine {{
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
{computation}
  %x = select i1 %c, i8 0, i8 %s
  switch i8 %x, label %suspended [i8 0, label %resumed i8 1, label %destroyed]
resumed:
  call void @resumed()
  br label %suspended
destroyed:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %suspended
suspended:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}}
declare void @resumed()
declare ptr @malloc(i64)
declare void @free(ptr)
"""
DECLARATIONS = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
"""


def lowered(computation: str, attributes: str = "") -> pycoro.Module:
    text = TEXT.format(computation=computation).replace("presplitcoroutine", f"presplitcoroutine {attributes}")
    module = pycoro.Module(text + DECLARATIONS)
    module.run("coro-early,cgscc(coro-split),coro-cleanup")
    return module


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_each_clone_takes_the_edge_of_its_result(name: str) -> None:
    module = lowered(COMPUTATIONS[name])
    called = {function: "@resumed" in str(module.functions[function]) for function in ("f", "f.resume", "f.destroy")}
    assert called == {"f": False, "f.resume": True, "f.destroy": False}
    assert "phi" not in str(module)


@pytest.mark.parametrize(
    "computation",
    [
        "%t = inttoptr i8 %s to ptr addrspace(1)\n%c = icmp eq ptr addrspace(1) %t, null",  # an address is not all of its bits
        "%t = insertelement <2 x i1> poison, i1 true, i32 0\n%z = icmp eq i8 %s, 0\n%u = insertelement <2 x i1> %t, i1 %z, i32 1\n"
        "%v = freeze <2 x i1> %u\n%c = extractelement <2 x i1> %v, i32 1",  # an element may be poison
        "%t = bitcast i8 %s to <8 x i1>\n%c = extractelement <8 x i1> %t, i32 0",  # the order of the elements is the target's
    ],
)
def test_a_value_that_depends_on_more_than_its_operands_is_not_folded(computation: str) -> None:
    assert "@resumed" in str(lowered(computation).functions["f"])


def test_subnormal_numbers_of_functions_that_flush_them_are_not_folded() -> None:
    computation = "%t = sitofp i8 %s to double\n%u = fmul double %t, 4.9e-324\n%c = fcmp oeq double %u, 0.0"
    assert "@resumed" not in str(lowered(computation).functions["f"])
    assert "@resumed" in str(lowered(computation, '"denormal-fp-math"="preserve-sign,preserve-sign"').functions["f"])
