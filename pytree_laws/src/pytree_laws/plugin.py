"""The pytest plugin: options that record numbers, and that list the laws left out.

pytest loads this module in every run of an environment with this distribution. The module therefore imports
neither the laws nor jax. A wheel that a conftest puts on the path has no entry point that pytest sees. Such a
conftest imports `pytest_addoption` from here.
"""

import contextlib
import os
import sys

import pytest


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add `--numbers`, `--record-numbers`, `--laws` and `--mesh`.

    A conftest that imports this hook thereby registers the plugin.
    """
    plugin = sys.modules[__name__]
    if not pluginmanager.is_registered(plugin):
        pluginmanager.register(plugin, "pytree_laws")  # which calls this hook again
        return
    options = {
        "--record-numbers": "the same as --numbers=update",
        "--laws": "run no test, and tell by suite which laws are not collected, and what declaration brings them",
    }
    with contextlib.suppress(ValueError):  # called for the plugin and for a conftest
        for option, meaning in options.items():
            parser.addoption(option, action="store_true", help=meaning)
        parser.addoption(
            "--numbers",
            choices=("record", "check", "compare", "update", "off"),
            help="what the classes compute, which P19 holds: record what is missing in tests/numbers (default), or fail for it "
            "(check, the default with CI set), compare what is there, update all, or off",
        )
    with contextlib.suppress(ValueError):
        parser.addoption(
            "--mesh",
            type=int,
            metavar="DEVICES",
            help="run the laws of sharding on so many devices, and no other: virtual ones on the CPU",
        )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Make the devices of `--mesh`, and keep pytest-xdist from starting workers for `--laws`.

    `--laws` needs the tests in this process.
    """
    if devices := config.getoption("mesh", None):
        make_devices(devices)
    if config.getoption("laws", False):
        config.option.collectonly = True


def make_devices(count: int) -> None:
    """Set the number of jax's CPU devices, before jax has used any."""
    os.environ["JAX_NUM_CPU_DEVICES"] = str(count)  # of workers, and of what imports jax later
    if jax := sys.modules.get("jax"):
        jax.config.update("jax_num_cpu_devices", count)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select the laws of sharding for `--mesh`, since no other law needs several devices."""
    if config.getoption("mesh", None):
        config.hook.pytest_deselected(items=[test for test in items if not test.name.startswith("test_p21_")])
        items[:] = [test for test in items if test.name.startswith("test_p21_")]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep pytest from listing tests for `--laws`, whose answer is the summary of the laws."""
    if session.config.getoption("laws", False):
        session.config.option.collectonly = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Skip the tests for `--laws`."""
    return True if session.config.getoption("laws", False) else None
