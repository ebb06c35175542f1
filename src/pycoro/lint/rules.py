"""Table of rules, in the order of the reference."""

from __future__ import annotations

from pycoro.lint.async_pointer import constant_async_pointer
from pycoro.lint.ends import (
    code_after_end,
    return_without_end,
    suspend_with_own_default,
    unfolded_suspend_result,
    unreachable_coroutine_code,
)
from pycoro.lint.frame import escape_before_begin, frame_access_after_suspend
from pycoro.lint.handles import resume_after_final, use_after_destroy
from pycoro.lint.memory import (
    destroy_without_free,
    free_without_coro_free,
    too_small_memory,
    unguarded_allocation,
    unused_coro_free,
    wrong_promise_alignment,
)
from pycoro.lint.promises import escaping_elide_safe_handle, shared_noalias_pointer
from pycoro.lint.rule import Rule
from pycoro.lint.suspends import ignored_suspend_result, impossible_suspend_result, undefined_resume

__all__ = ["REJECTED", "RULES"]

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        suspend_with_own_default,
        return_without_end,
        unreachable_coroutine_code,
        code_after_end,
        unfolded_suspend_result,
        ignored_suspend_result,
        impossible_suspend_result,
        undefined_resume,
        frame_access_after_suspend,
        escape_before_begin,
        unguarded_allocation,
        free_without_coro_free,
        unused_coro_free,
        destroy_without_free,
        too_small_memory,
        wrong_promise_alignment,
        constant_async_pointer,
        use_after_destroy,
        resume_after_final,
        escaping_elide_safe_handle,
        shared_noalias_pointer,
    )
}
"""Rules by name.

>>> [name for name, rule in pycoro.lint.RULES.items() if rule.severity == "warning"]
['lost-block', 'resume-unreachable', 'unguarded-allocation', 'unused-free', 'destroy-leaks']
"""

REJECTED = "rejected"
"""Name for all rejections by the engine in ``select`` and ``ignore``; their findings have the name of the engine's rule.

>>> ir = pycoro.examples.COUNTER.replace("token none, i1 false", "token none, i1 true")
>>> [finding.rule for finding in pycoro.Module(ir).lint(select=[pycoro.lint.REJECTED])]
['one-final-suspend']
"""
