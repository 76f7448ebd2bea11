"""The methods beside the call whose arguments are found as well."""

from collections.abc import Iterator, Mapping
from typing import Any

import jax

from pytree_laws.declare.methods import Method, names_without_arguments
from pytree_laws.inspect.trees import combine, partition
from pytree_laws.trace.jaxprs import NEEDS_VALUES

from .annotations import required
from .built import Failure
from .call import Called, Subject, traced, try_method
from .methods import methods_of, parameters_of_method
from .search import Budget
from .sources import Source

TRIES = 60
"""How many times the arguments of a method are looked for."""
MOST = 8
"""How many methods of a class are looked at."""


def further_methods(
    cls: type, subject: Subject, called: Called | None, said: Mapping[str, Source]
) -> Iterator[Called]:
    """Those that need arguments, and whose outputs depend on these and on the parameters."""
    main = called.method if called is not None else None
    names = [name for name in methods_of(cls) if name and name != main and needs_arguments(cls, name)]
    for name in names[:MOST]:
        found = try_method(subject, name, said, Budget(TRIES), Failure())
        if found is not None and found.is_full and is_traced(subject, found):
            yield found


def needs_arguments(cls: type, name: str) -> bool:
    """Whether it cannot be called without any: what can be, the laws find by themselves."""
    return bool(required(parameters_of_method(cls, name) or ()))


def is_traced(subject: Subject, found: Called) -> bool:
    """Whether it takes tracers: a method that decides by values is the author's to declare."""
    return bool(traced(subject, found.method, found.arguments, found.keywords).by_name)


def all_members_work(instance: Any) -> bool:
    """Whether its properties, and its methods without arguments, can be traced: of wrong sizes they cannot."""
    return all(works(instance, Method(name)) for name in names_without_arguments(instance))


def works(instance: Any, member: Method) -> bool:
    """Whether a member gives something; what needs values, or is left to subclasses, says nothing of sizes."""
    static, held = partition(instance)

    def use(values: Any) -> Any:
        return partition(member.use(combine(static, values)))[1]

    try:
        jax.eval_shape(use, held)
    except (*NEEDS_VALUES, NotImplementedError):
        return True
    except Exception:
        return False
    return True


def written_methods(methods: list[Called]) -> dict[str, Any]:
    """As plain JSON."""
    sources = [one for method in methods for one in method.arguments.values()]
    return {
        "further": [
            [
                method.method,
                [[name, one.text, name in method.keywords] for name, one in method.arguments.items()],
            ]
            for method in methods
        ],
        "further_imports": [list(pair) for one in sources for pair in one.imports],
        "further_helpers": list(dict.fromkeys(line for one in sources for line in one.helpers)),
        "further_guessed": [name for method in methods for name in method.guesses],
    }
