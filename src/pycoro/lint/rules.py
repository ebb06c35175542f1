"""Table of rules, in the order of the reference."""

from __future__ import annotations

from pycoro.lint.async_pointer import constant_async_pointer
from pycoro.lint.ends import code_after_end, end_before_return, lost_block, shared_suspend, suspend_result
from pycoro.lint.frame import escape_before_begin, frame_after_suspend
from pycoro.lint.handles import resume_after_final, use_after_destroy
from pycoro.lint.memory import free_without_coro_free, promise_align, unguarded_allocation, unused_free
from pycoro.lint.promises import elide_safe_escapes, noalias
from pycoro.lint.rule import Rule
from pycoro.lint.suspends import ignored_suspend, resume_unreachable

__all__ = ["REJECTED", "RULES"]

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        shared_suspend,
        end_before_return,
        lost_block,
        code_after_end,
        suspend_result,
        ignored_suspend,
        resume_unreachable,
        frame_after_suspend,
        escape_before_begin,
        unguarded_allocation,
        free_without_coro_free,
        unused_free,
        promise_align,
        constant_async_pointer,
        use_after_destroy,
        resume_after_final,
        elide_safe_escapes,
        noalias,
    )
}
"""Rules by name.

>>> [name for name, rule in pycoro.lint.RULES.items() if rule.severity == "warning"]
['lost-block', 'resume-unreachable', 'unguarded-allocation', 'unused-free']
"""

REJECTED = "rejected"
"""Name for all rejections by the engine in ``select`` and ``ignore``; their findings have the name of the engine's rule.

>>> ir = pycoro.examples.COUNTER.replace("token none, i1 false", "token none, i1 true")
>>> [finding.rule for finding in pycoro.Module(ir).lint(select=[pycoro.lint.REJECTED])]
['one-final-suspend']
"""
