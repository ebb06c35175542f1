"""Differential fuzzing campaigns: draw random coroutines, lower them two ways, run and compare them, and store and reduce
differences.

The command is ``pycoro fuzz``. A shard of a campaign can be pickled and run anywhere, by any executor of
`concurrent.futures`.
"""

from __future__ import annotations

from pycoro.fuzz.abis import ByDrawnABI
from pycoro.fuzz.campaign import Budget, Campaign, Results, Settings
from pycoro.fuzz.database import Database
from pycoro.fuzz.executors import Serial, dask, processes
from pycoro.fuzz.minimize import minimize_lines
from pycoro.fuzz.one_input import DifferenceError, fuzz_one_input
from pycoro.fuzz.profiles import PIPELINES, PROFILES, TURNS, Drawn, draw, from_choices
from pycoro.fuzz.progress import Progress
from pycoro.fuzz.proof import Proof, prove, prove_shard, reduce_refuted
from pycoro.fuzz.reduce import reduce
from pycoro.fuzz.report import CampaignReport
from pycoro.fuzz.shard import Failure, Shard, ShardResult, run_shard
from pycoro.fuzz.variants import Variants

__all__ = [
    "PIPELINES",
    "PROFILES",
    "TURNS",
    "Budget",
    "ByDrawnABI",
    "Campaign",
    "CampaignReport",
    "Database",
    "DifferenceError",
    "Drawn",
    "Failure",
    "Progress",
    "Proof",
    "Results",
    "Serial",
    "Settings",
    "Shard",
    "ShardResult",
    "Variants",
    "dask",
    "draw",
    "from_choices",
    "fuzz_one_input",
    "minimize_lines",
    "processes",
    "prove",
    "prove_shard",
    "reduce",
    "reduce_refuted",
    "run_shard",
]
