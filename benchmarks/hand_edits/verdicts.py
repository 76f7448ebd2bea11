"""What the generated tests make of the edits, and the page that tells it."""

import ast
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.proofs import PRELUDE
from benchmarks.mutants import EXAMPLES, ROOT, Found, failures, judged, replaced

PAGE = ROOT / "docs" / "hand_edits.md"
HEAD = """\
# Edits by hand

`python -m benchmarks.hand_edits` makes the edits of `benchmarks/hand_edits/` in the generated examples, each in a copy of its own,
and runs the generated tests of the example. They are what a hurried author could do to a class in a year. They were written, with
their tags, before anything was run on them, and by somebody who had not read the laws; so the share that is noticed says more of
an edit to come than [mutants.md](mutants.md) does, whose mistakes the laws were written against. That holds of the first run; from
then on the laws know them.

A second list, of 114 edits of 13 classes that were written for it, was made in the same way, by somebody who knew neither the laws
nor this list. At its first run, with records, 91 were noticed: 61 of the 72 that the declaration gives away, 30 of the 42 that need
the numbers. What went unnoticed lay behind an array that the call may be given and the example left out, in methods beside the call
(their numbers, dtype, keys, flags and state), and at bounds that random numbers never meet. The laws were widened for these, and
notice 111 now; an edit to come is better judged by the first run.

A third list, of 25 edits of four classes, came when the laws had seen both: at its first run 19 were noticed, 12 of the 17 that the
declaration gives away and 7 of the 8 that need the numbers. Three lay in what the laws did not do as they said: a record told the
state before a call for NNX modules in other configurations, a value just inside an open bound was not tried, and a held key did not
count as used. These are noticed now, and so are a value added to the list of a check, whose neighbours are refused in the tests, and a
tuple that is sorted where the default is. One is not: a branch for another listed value, in a call whose results the example clips to
zeros, by a bound that an array of integers holds.

A fourth list, again of 25 edits of four classes that were written for it, after that: at its first run 13 of 17 and 6 of 8 were noticed;
one of the 17 turned out to change nothing. A bound on one side, far from the example and behind a flag, is noticed since. Four are not:
`<` in the place of `<=` in a condition of `eqx.error_if`, two arguments that change places in a constructor that the tests call by
name, a dtype that is left out where a state is updated, which Flax casts back, and `>=` in the place of `>` where the call compares
a size with a static number that the example does not meet.

A fifth list, of 40 edits and 15 legitimate changes, aims at methods, branches and helper modules, in six classes written for it and in
generated examples: `python -m benchmarks.hand_edits.study` runs it as a user does, with pytest. At its first run 13 of 32 and 1 of 8
were noticed without a record, 18 and 4 with the record of the right class; one of the 32 turned out to change nothing. Each of the other
17 that went unnoticed has a proof in `benchmarks/hand_edits/study/proofs.py`. Of the legitimate changes 8 pass, and 7 fail, three of
them in the record alone because a dim that nobody shards would now need an `out_sharding`; all pass once declared or approved.

The laws were then widened: several steps, options at their default, refusals of checks and shapes, dtypes, zeros, and what lies beside a
class. Each of the 17 is noticed with the record now, 11 without it, and 11 of the 15 legitimate changes pass. Ten further edits of these
kinds, in other classes, are in `benchmarks/hand_edits/study/further.py` (`--further`); who wrote them knew the new laws. At their first run
4 of the 6 that the declaration gives away were noticed, and the 4 others by the record. Two are not: a mask for weight decay that leaves
complex arrays out, and a root of what is zero for the identity alone.

A sixth list has the same form, with six other classes, by somebody who did not know the laws and had seen of the earlier lists what this page tells:
`python -m benchmarks.hand_edits.study --list 2`. Of its 40 edits 26 lie in methods beside the call and 5 in helper modules, and
`benchmarks/hand_edits/study2/proofs.py` shows that each changes something. At its first run 19 of 32 and 0 of 8 were noticed without a
record, 24 and 8 with the record of the right class. These 8 were not: a count, and complex numbers, of another width in methods where
jax has 64 bits; a static value that a method sets to its default; a gradient that ends at the argument of a method; gradients in
half precision that a method widens; a function of another module that a file takes for its own; the dtype of an optimiser's state; a
key that two layers share behind a flag. Of the 15 legitimate changes 10 pass. 5 fail with a line that says what to do, one of
them without a record, and pass then: a spread to declare, another activation to approve, and new numbers of a method, an argument and an
option that were added. The laws were widened for what these edits are examples of, and notice 30 of the 32 without a record now, and 39 of
the 40 with it; the dtype of gradients that a method widens is not noticed.

A seventh list of this form is `python -m benchmarks.hand_edits.study --list 3`, again by somebody who did not know the laws, and no edit of
the earlier lists. Of its 40 edits 25 lie in methods beside the call and 5 in helper modules; `python -m
benchmarks.hand_edits.study3.proofs` shows that each changes something. At its first run 25 of 32 and 0 of 8 were noticed without a
record, 26 and 7 with the record of the right class. These 7 were not: the dtype of a method in half precision behind a flag, and of random
numbers in a method of a class that declares no further dtypes; a file that is written in its place; an average in 32 bits of weights in 64;
a key that scanned layers share; a gradient by a Python number that may be an array; and another interpolation behind a flag, since the
record has a table of hashed entries with 0 for the primes of the hash there. Of the 15 legitimate changes 12 pass. 3 fail with a line that
says what to do, two of them without a record, and pass then: a spread to declare, numbers of a new argument to approve, and three
parameters that a shortcut leaves unused, which are named in one run each.

Methods were then held in bfloat16 at their flags, in other configurations and where they give the next instance, records were given the
integers of the example, and the three parameters a shortcut leaves unused are named at once. The two edits of half precision are noticed
without a record now, 27 of 32, and the interpolation with it. The other four, and the default of a flag of a method, are noticed without a
record since the laws hold a save to the file that is there, an average to the bits of its weights, each layer of a configuration to a draw of
its own, and a number to the `stop_gradient` of its spec: an edit to come is better judged by the first run.

An eighth list of this form is `python -m benchmarks.hand_edits.study --list 4`, again by somebody who did not know the laws, who wrote it down before any run. Of its
40 edits 22 lie in methods, branches and helper modules; `benchmarks/hand_edits/study4/first_run.txt` has every line of its first run. 18 of 32 and
0 of 8 were noticed without a record, 25 and 6 with it. One of the 9 others is right code: flax casts a value to the dtype of its Variable. The rest are the
dtype of random numbers in a class that declares no further dtypes; counters of methods, which are always those of a new instance, twice; `remat`
of a spec; the dtype of a method behind an option; a file of nearly the same settings, and one of NNX that says nothing of its floats; and a warning of
a class without former versions. Of the 15 legitimate changes 13 pass, one fails with a line that says what to do and passes then, and one, a weight that begins at
zero, takes two declarations of which no message names one. That run says how well the laws know what nobody had shown them.

The laws were then widened for the causes behind it: what a method is given matters, what it hands on is held, a flag leaves out what the spec says, an
input counts layers, scans compute again, a file tells each setting, and a record has methods after several uses. Ten of the 14 that went unnoticed without
a record are noticed without it now, and both of the counters with it: each was run alone, the list was not run again. A mask that goes unread
behind a flag and a codebook that a method changes behind one are noticed by the record alone; a warning of a class without former
versions is not noticed.

A ninth list of this form is `python -m benchmarks.hand_edits.study --list 5`, by somebody else, written down before any run, after the mends that the eighth has led to.
24 of 32 and 0 of 8 were noticed without a record, 26 and 8 with it; `benchmarks/hand_edits/study5/first_run.txt` has every line. Of the 15 legitimate changes 9
pass, and 6 fail with a line that says what to do and pass then; one of these six is an equivalent formula, whose rounding a record does not allow. Not noticed at all
are a gradient of a method at another flag, a branch that only negative integers take, a method that returns nothing, one key that a method gives twice, a file of NNX that says
nothing of the types of Variables, and a leaf whose checksum is missing in a file.

The laws were then widened for the causes behind these, and the six that went unnoticed are noticed, each run alone since the list was not run again: five of them
without a record (a gradient that ends behind a flag of a method, the keys that a method gives, a method that returns nothing, the types of Variables, a missing
checksum), and the branch of negative integers with it. The equivalent formula passes, since a record allows for how far its numbers move where its inputs are
rounded otherwise. What a mask leaves out behind a static value, and a rotation that begins as any matrix of its spread, are noticed by the record alone.

A tenth list of this form is `python -m benchmarks.hand_edits.study --list 6`, again written blind and before any run. 22 of 32 and 0 of 8 were noticed without a
record, 26 and 8 with it; of the 15 legitimate changes 11 pass, and 4 fail with a line that says what to do and pass then. The laws were widened for a save that fails
and says nothing, a load that names the first difference alone, a buffer that has a gradient behind a flag of a method, a state that moves at inference, and NaN of a
method for the state of a new instance; these are noticed since. Not noticed are a flag that detaches one of two paths, and a mask that the example never meets.

An eleventh list of this form is `python -m benchmarks.hand_edits.study --list 7`, by somebody who did not know the laws, and had seen of earlier lists their form, this page,
and some thirty lines of a first run. 23 of 32 and 0 of 8 were noticed without a record, 29 and 8 with it: 37 of 40. `benchmarks/hand_edits/study7/first_run.txt` has every
line. Not noticed at all were a kernel that is left alone where it is not frozen, in a method without arguments; integers that are stored in the dtype in which they come;
and a damaged file that is loaded by the changes of a class. Of the 15 legitimate changes 9 pass, 4 fail with a line that says what to do and pass then, and 2 had
no such line: a new method of a class without a call ended the law of numbers, and nothing declared a shared array that the call does not read. The integers,
the damaged file and both of the legitimate changes were mended after it, each with a test of its own; the kernel is not noticed. By the record alone are noticed noise that
rows of a method share, counters that begin at zero, a mask that the example never meets, a gain of 1 that is rounded, and states behind another static value.

A twelfth list of this form is `python -m benchmarks.hand_edits.study --list 8`, again by somebody who did not know the laws, who had read this page. 19 of 32 and 0 of 8 were
noticed without a record, 27 and 8 with it: 35 of 40. `benchmarks/hand_edits/study8/first_run.txt` has every line. Not noticed at all were a counter that is made in jax's own
integers, a `stop_gradient` in a loop that the example runs through once, a state of an optimiser that is not copied, 64 bits that a file loses where jax has 32, and a
`KeyError` for a file of another program. Of the 15 legitimate changes 12 pass, and 3 fail with a line that says what to do and pass then. The counter, the file of another program
and a method that raises where a flag has another value, which no law had tried, are noticed since, without a record; each was run alone. By the record alone are noticed
a counter that a method does not raise, layers in another order, a state that moves at inference where the spec leaves that law out, what a method resets to, a gradient by a
state that is handed on as well, a key in the place of that of the step, and a result with an axis more where an annotation allows two shapes.

A thirteenth list of this form is `python -m benchmarks.hand_edits.study --list 9`, by somebody who did not know the laws, and had read much of the twelfth. 21 of 32 and 0 of 8
were noticed without a record, 30 and 8 with it: 38 of 40. `benchmarks/hand_edits/study9/first_run.txt` has every line. Not noticed at all were an optional argument of the
call that is left out in bfloat16, which then raises, and a warning that is left out where nothing is dropped. Of the 15 legitimate changes 13 pass, and 2 fail with lines that
say what to do and pass then. Six of the eleven that a record alone had noticed, or nothing, are noticed since without one, each run alone: an option of a method that does
nothing, which went by the order of its arguments; the same where it makes a mask that nothing reads; the optional argument in bfloat16; one key for two draws behind a flag; and
methods of a train state that go by the last weights, or by one key for all steps. By the record alone are noticed a mask that a method with a new instance does not read, a loop
over stacked layers in a method, a state that moves though a flag says that it does not, and a buffer that matters behind a flag.

`declared` says that the declaration gives an edit away: shapes, dtypes, roles, initialisers, flags, defaults, and what the spec
says of groups, ties, states, keys and copies. `numbers` says that only the arithmetic tells, which the tests know where a spec has
a `reference`, a property that `holds`, or a sentence that a law can compute. `--write` makes this page anew.
"""


def name_of(edit: Edit) -> str:
    return f"{edit.example}: {edit.done}"


def judge(edit: Edit) -> Found:
    """Runs the generated tests of an example against an edit of it, or of a module that it imports."""
    name = edit.file or edit.example
    source = edit.applied((EXAMPLES / edit.place).read_text(encoding="utf-8"))
    return Found(name_of(edit), edit.tag, edit.example, failures(edit.example, {name: source}), None)


def verdicts(edits: Sequence[Edit], jobs: int) -> list[Found]:
    return judged(edits, jobs, judge)


def page(found: Sequence[Found]) -> str:
    """Counts by tag, what was not noticed, and what was, with the law that noticed it first."""
    missed = [one for one in found if not one.killed_by]
    noticed = [one for one in found if one.killed_by]
    return "\n".join(
        [
            HEAD,
            *counts(found),
            "",
            "## Not noticed",
            "",
            *(f"- `{one.mistake}` {one.name}" for one in missed),
            "",
            "## Noticed, and by which law first",
            "",
            *(f"- {next(iter(one.killed_by))}: `{one.mistake}` {one.name}" for one in noticed),
            "",
        ]
    )


def counts(found: Sequence[Found]) -> list[str]:
    """A table of how many edits of each tag were noticed."""
    rows = ["| tag | edits | noticed | not noticed |", "| --- | --- | --- | --- |"]
    for tag in ("declared", "numbers", "all"):
        of_tag = [one for one in found if tag in (one.mistake, "all")]
        noticed = sum(bool(one.killed_by) for one in of_tag)
        rows.append(f"| {tag} | {len(of_tag)} | {noticed} | {len(of_tag) - noticed} |")
    return rows


def changed(edit: Edit, proof: str, folder: Path = EXAMPLES) -> bool:
    """Whether the last line of `proof` has another value, or raises another error, where the edit is made in `folder`."""
    name = edit.file or edit.example
    source = (folder / edit.place).read_text(encoding="utf-8")
    with replaced(edit.example, {name: source}) as module:
        before = value_of(proof, module)
    with replaced(edit.example, {name: edit.applied(source)}) as module:
        return value_of(proof, module) != before


def value_of(proof: str, module: Any) -> Any:
    """The leaves of what the last line gives, as lists, or the error."""
    import jax
    import numpy as np

    *body, last = ast.parse(PRELUDE + proof).body
    assert isinstance(last, ast.Expr)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        names = {"M": module, "folder": folder}
        exec(compile(ast.Module(body, []), "proof", "exec"), names)
        try:
            value = eval(compile(ast.Expression(last.value), "proof", "eval"), names)
        except Exception as error:
            return f"{type(error).__name__}: {str(error).replace(folder, '')}"
    return [leaf if isinstance(leaf, str) else np.asarray(leaf).tolist() for leaf in jax.tree.leaves(value)]
