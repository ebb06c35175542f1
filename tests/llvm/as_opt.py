"""`pycoro opt` for the command lines of LLVM's tests: translates options of `opt`, and names an option without a
translation. LLVM's whole pipelines contain coroutine passes; they run before pycoro's. Used by the lit configuration in
this directory."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile

# Alias analysis and alignment options of LLVM's passes: pycoro uses the defaults.
IDLE = re.compile(r"-(aa-pipeline|preserve-alignment-assumptions-during-inlining)=")
SIMPLIFY = "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>)"
FIRST = {
    True: f"coro-early,cgscc(inline,{SIMPLIFY},coro-split<reuse-storage>,coro-annotation-elide),"
    f"cgscc(inline,{SIMPLIFY}),function(coro-elide),coro-cleanup,",
    False: "always-inline,coro-early,cgscc(coro-split),coro-cleanup,",
}
WHOLE = re.compile(r"default<O([0123sz])>")
KNOWN = re.compile(r"--?(passes(=|$)|S$|o$|disable-output$|verify-each$|print-after|pass-remarks)")
LEVEL = re.compile(r"-O([0123sz])$")
TRIPLE = re.compile(r"(?m)^target triple = .*$")


def with_triple(text: str, triple: str) -> str:
    line = f'target triple = "{triple}"'
    return TRIPLE.sub(line, text) if TRIPLE.search(text) else f"{line}\n{text}"


def passes(text: str) -> str:
    return WHOLE.sub(lambda found: FIRST[found[1] != "0"] + found[0], text)


def main() -> int:
    arguments, triple, path = [], "", ""
    rest = iter(sys.argv[1:])
    for word in rest:
        if found := LEVEL.match(word):
            arguments.append(f"-passes={passes(f'default<O{found[1]}>')}")
        elif word.lstrip("-").startswith("mtriple="):
            triple = word.partition("=")[2]
        elif word == "-o":
            arguments += [word, next(rest)]
        elif IDLE.match(word):
            continue
        elif not word.startswith("-"):
            path = word
        elif KNOWN.match(word):
            arguments.append(passes(word))
        else:
            print(f"as_opt: pycoro has nothing for {word.partition('=')[0]}", file=sys.stderr)
            return 2
    if triple:
        with open(path or 0) as stream:
            text = with_triple(stream.read(), triple)
        with tempfile.NamedTemporaryFile("w", suffix=".ll") as changed:
            changed.write(text)
            changed.flush()
            return subprocess.call([sys.executable, "-m", "pycoro", "opt", changed.name, *arguments])
    return subprocess.call([sys.executable, "-m", "pycoro", "opt", *([path] if path else []), *arguments])


if __name__ == "__main__":
    sys.exit(main())
