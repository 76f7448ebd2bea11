"""P8, of settings: a value that a constructor takes and stores makes a difference somewhere."""

import re
from typing import Any

from ...discover.inference import same_value, settings, statics_of
from ...discover.invocation import build_with
from ...engine.applicability import ARRAYS_DECLARED, CALLED, need
from ...engine.registry import Checks
from ...inspect.branches import unread_attributes
from ...inspect.references import snapshot
from ...inspect.static_values import alternatives
from ...inspect.trees import arrays_of, attributes
from ...kinds.suite import Suite
from ...report import ADVICE, check, result_or_error

CHECKS = Checks()
LABEL = re.compile(r"(^|_)(names?|labels?|titles?|descriptions?|comments?|notes?)$")
"""Names of settings that are for people, and for the code of others."""
OF_TRAINING = re.compile(r"(is_)?(train|training|inference|deterministic)|use_running_average")
"""Names of flags that say whether a module is in training."""


# A setting that nothing reads computes nothing that is wrong, and may be a record for others.
@CHECKS.register(ARRAYS_DECLARED, CALLED, severity=ADVICE)
def test_p08_every_setting_matters(subject: Suite) -> None:
    cls = type(subject.cached_instance())
    named = {name: at for name, at in settings(subject).items() if not LABEL.search(name)}
    stored = {name: at for name, at in named.items() if name not in subject.ignored}
    flags = _flags_of_its_own(subject) - {*stored, *stored.values(), *subject.ignored}
    unread = unread_attributes(cls, [*stored.values(), *sorted(flags)])
    need(unread, "the code of the class reads each setting")
    for name, attribute in ((name, at) for name, at in stored.items() if at in unread):
        message = "no code of its module reads it, and another value changes nothing else"
        hint = f"a constant in the place of `self.{attribute}`; `ignored = ({name!r},)` in the suite, `unused` in a spec, says that it is for others"
        check(_shows(subject, name, attribute), attribute, message, hint)
    for flag in sorted(flags & {*unread}):
        message = "no code of its module reads it, so that `eval()` and `set_attributes` change nothing"
        check(False, flag, message, f"a constant in the place of `self.{flag}`")


def _flags_of_its_own(subject: Suite) -> set[str]:
    """Return the flags of training that a Flax module sets, and that `train` or `eval` changes."""
    statics = subject.statics_of(subject.cached_instance()) if subject.is_mutable else ()
    return {path for path, value in statics if type(value) is bool and OF_TRAINING.fullmatch(path)}


def _shows(subject: Suite, name: str, attribute: str) -> bool:
    """Whether another value of a setting changes more than its attribute, or no other value builds."""
    usual, is_built = subject.cached_instance(), False
    for value in alternatives(attributes(usual)[attribute]):
        other = result_or_error(lambda given=value: build_with(subject, {name: given}, abstractly=False))
        if not isinstance(other, Exception):
            is_built = True
            if not _are_alike(usual, other, attribute):  # the next one may be rounded to the same
                return True
    return not is_built


def _are_alike(instance: Any, other: Any, attribute: str) -> bool:
    """Whether two instances hold the same, except for one attribute."""
    own, others = dict(statics_of(instance)), dict(statics_of(other))
    if snapshot(arrays_of(instance)) != snapshot(arrays_of(other)) or own.keys() != others.keys():
        return False
    return all(same_value(value, others[path]) for path, value in own.items() if path != attribute)
