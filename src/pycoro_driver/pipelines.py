"""The passes that lower a unit."""

from __future__ import annotations

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pycoro_driver.options import Options

__all__ = ["passes_before_clang_passes", "with_passes_of_own_options"]

_TLS_MODEL = "-ftls-model="
_SIMPLIFY = "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>"


def passes_before_clang_passes(level: str, *, without_inlining: bool = False) -> str:
    """Return the lowering passes that precede clang's pipeline of a level. With ``without_inlining``, they do not inline or
    simplify, so that instrumentation counts the original functions.
    """
    if level == "O0" or without_inlining:
        option = "reuse-storage-unless-debug" if level == "O0" else "reuse-storage"
        return f"always-inline,coro-early,cgscc(coro-split<{option}>),coro-cleanup"
    return (
        f"inferattrs,coro-early,cgscc(inline,function({_SIMPLIFY},coro-elide),function-attrs,coro-split<reuse-storage>,"
        f"coro-annotation-elide),"
        f"cgscc(inline),function({_SIMPLIFY},coro-elide),coro-cleanup"
    )


def with_passes_of_own_options(passes: str, own: Options, options: Sequence[str]) -> str:
    """Return a pass string with the passes that an option of pycoro adds. ``options`` are those of clang."""
    if own.infer_captures:
        passes = f"coro-infer-captures,{passes}"
    if not own.cache_frames:
        return passes
    model = next((a.removeprefix(_TLS_MODEL) for a in reversed(options) if a.startswith(_TLS_MODEL)), "global-dynamic")
    return f"coro-cache-frames{'' if model == 'global-dynamic' else f'<{model}>'},{passes}"
