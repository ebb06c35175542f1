"""The passes that lower a unit."""

from __future__ import annotations

__all__ = ["passes_before_clang_passes"]

_SIMPLIFY = "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>"


def passes_before_clang_passes(level: str, *, as_written: bool = False) -> str:
    """Return the lowering passes that precede clang's pipeline of a level. With ``as_written``, they do not inline or
    simplify, so that instrumentation counts the original functions.
    """
    if level == "O0" or as_written:
        option = "reuse-storage-unless-debug" if level == "O0" else "reuse-storage"
        return f"always-inline,coro-early,cgscc(coro-split<{option}>),coro-cleanup"
    return (
        f"inferattrs,coro-early,cgscc(inline,function({_SIMPLIFY},coro-elide),function-attrs,coro-split<reuse-storage>,"
        f"coro-annotation-elide),"
        f"cgscc(inline),function({_SIMPLIFY},coro-elide),coro-cleanup"
    )
