"""Declarations that a suite of any kind may make."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..declare.leaf_spec import Output
from ..declare.methods import Method
from ..engine.law_sets import refuse_unknown_set
from ..engine.summary import Collected
from ..report import ADVICE
from ..sharding.specs import Rules
from ..values.closeness import Tolerance


class Declarations(Collected):
    """Declarations that a suite of any kind may make of its class."""

    laws: ClassVar[str] = ""  # the set of laws that the suite was written for, such as "0.2"; empty: all laws
    must_run: ClassVar[int] = 0  # least number of its tests that a run must not leave out
    static: ClassVar[Mapping[str, Any]] = {}  # every static value by path; `...` allows any value
    other: ClassVar[Mapping[str, Any] | None] = None  # inputs of another configuration
    absent: ClassVar[Sequence[Mapping[str, Any]]] = ()  # inputs without optional parts
    left_out: ClassVar[Mapping[str, Sequence[str]]] = {}  # by input, the paths that exist only with it
    layers: ClassVar[Mapping[str, str]] = {}  # by path of a list or stack, the input that counts it
    remat: ClassVar[bool] = False  # True: scans compute their layers again on the way back
    rejected: ClassVar[Sequence[tuple[Mapping[str, Any], type[BaseException]]]] = ()
    accepted: ClassVar[Sequence[Mapping[str, Any]]] = ()  # changes that must be taken
    defaults: ClassVar[Mapping[str, Any]] = {}  # of parameters, as `create.scale`
    returns: ClassVar[Sequence[Output]] = ()  # (): those of the example call
    carry: ClassVar[int | None] = None  # which argument is carried by lax.scan
    methods: ClassVar[Sequence[Method]] = ()  # beside the call; others are found
    guessed: ClassVar[Sequence[str]] = ()  # methods with undeclared examples, which need not fit
    takes_dtype: ClassVar[bool] = False  # True: `dtype` is an input of the constructor
    drawn: ClassVar[Sequence[str]] = ()  # paths of what is drawn from the key
    kept: ClassVar[Sequence[str]] = ()  # inputs that are held as they are given
    used: ClassVar[Sequence[str]] = ()  # static values and buffers that the call needs
    conditional: ClassVar[Sequence[str]] = ()  # paths of parameters that some configurations leave out
    copies_arrays: ClassVar[bool | None] = None  # False: the class keeps the arrays that it is given
    saves_whole: ClassVar[bool] = False  # True: a save that fails leaves the file as it was
    ignores_key: ClassVar[bool] = False  # True: the example call draws nothing
    ignored: ClassVar[Sequence[str]] = ()  # arguments and ties that the call may leave unused
    reuses_key: ClassVar[bool] = False  # True: a call makes one draw again
    shares_noise: ClassVar[bool] = False  # True: the rows of a batch have one noise
    strict: ClassVar[bool] = True  # False: the call may change precision on the way
    narrowest: ClassVar[str | None] = None  # the dtype that a call may narrow to
    compute: ClassVar[str | None] = None  # the dtype to which the call casts what it reads
    uncast: ClassVar[Sequence[str]] = ()  # paths that the call reads in the stored dtype
    truncated: ClassVar[bool] = False  # True: gradients end at the carry, or at state
    broadcasts: ClassVar[bool] = True  # False: the call may not broadcast ranks
    dtypes: ClassVar[Sequence[str]] = ()  # dtypes of use besides the default
    tolerance: ClassVar[Tolerance] = None  # of numbers: one, or by dtype
    ties: ClassVar[Mapping[str, str]] = {}  # name -> path of the array that is read under it
    sharding: ClassVar[Rules | None] = None  # mesh axes by the name of a dim
    invariants: ClassVar[Sequence[str]] = ()  # names from `declare/invariants.py`
    backend: ClassVar[str | None] = None  # the platform to run on; None: wherever jax runs
    lower_for: ClassVar[Sequence[str]] = ()  # platforms, with or without the hardware
    tries_configurations: ClassVar[bool] = True  # False: another suite does
    severity: ClassVar[str] = ADVICE  # the least that fails a test; below it warns
    one_dtype: ClassVar[bool] = False  # True: the class promises only the default dtype; others warn
    time_limit: ClassVar[float] = 120.0  # seconds for each test

    wording: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Texts of a law that a kind words in its own way, by the number of the law."""
    renamed_tests: ClassVar[Mapping[str, str]] = {}
    """Names of tests in suites of a kind, by the name of the check."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        refuse_unknown_set(cls)
        if cls.narrowest is None and cls.compute is not None:
            cls.narrowest = cls.compute
