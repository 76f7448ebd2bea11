"""P8 for NNX modules: nothing is stale after an update."""

from ...engine.runner import guard
from ...report import Law, check
from ...values.closeness import close
from ...values.randomize import perturb_leaf
from ..subject.training import Training
from ..subject.variables import closes, copy_of, replace_values, value_of, values_of, variables_of

LAW = Law(
    number="P8",
    name="never stale",
    statement="After an update of any Variable, in place too, the compiled and the eager call see the new value; an update of a parameter changes the output; with Variables of another size it is as a fresh module of that size, or refuses.",
    mistake="A value derived from a Variable was stored at construction or is cached by the module, or a compiled function closes over the module.",
    fix="Derive in a property or in the call, and make the module an argument of the compiled function.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxNeverStale(Training):
    """P8 for NNX modules."""

    def test_p08_compiled_calls_see_every_update(self) -> None:
        instance, arguments = self.cached_example()
        compiled = self.by_nnx_jit()
        compiled(instance, *arguments)
        for path, value in values_of(instance).items():
            edited = replace_values(instance, path, perturb_leaf(value))
            got, eager = compiled(edited, *arguments), self.run(edited, *arguments)
            message = f"after an update the compiled call gives {got}, eager {eager}"
            check(closes(got, eager), path, message)

    def test_p08_updates_in_place_are_seen(self) -> None:
        instance, arguments = self.example()
        self.call(instance, *arguments)  # what it caches is cached now
        for path, variable in variables_of(instance).items():
            variable.set_value(perturb_leaf(value_of(variable)))
            fresh = copy_of(instance)
            wanted = self.call(fresh, *arguments), values_of(fresh)
            got = self.call(instance, *arguments), values_of(instance)
            message = f"after an update in place the call gives {got}, a copy {wanted}"
            hint = "a method compiled with a static self, or a cache keyed by the module"
            check(closes(got, wanted), path, message, hint)

    def test_p08_every_parameter_changes_the_output(self) -> None:
        instance, _ = self.cached_example()
        for path in variables_of(instance):
            needed = self.is_param(path) and not self.is_unused(path)
            if needed or path in self.used:
                seen = any(self._changes_output(path, seed) for seed in range(4))
                what = "parameter" if needed else "Variable, declared as used,"
                message = f"an update of this {what} changes no output"
                hint = "a Variable that is not used, or a stored value derived from it"
                check(seen, path, message, hint)

    def _changes_output(self, path: str, seed: int) -> bool:
        """Whether an update shows: at the start, or at a generic point."""
        run = self.by_nnx_jit()
        instance, examples = self.at_point(seed)
        value = values_of(instance)[path]
        before = [run(instance, *each)[0] for each in examples]
        edits = [replace_values(instance, path, perturb_leaf(value, sign)) for sign in (1, -1)]
        after = ([run(edited, *each)[0] for each in examples] for edited in edits)
        return any(not close(before, one) for one in after)
