"""Where tests find the recordings and the browser, and which of them are slow."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.waiting import LIMIT

# Before NumPy is loaded: two workers on two cores, whose threads would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

REPOSITORY = Path(__file__).resolve().parent.parent
RECORDINGS = Path(os.environ.get("GAMBOL_DATA", REPOSITORY.parent / "shared" / "data"))

TESTS = REPOSITORY / "tests"
# Folders and files whose tests take long, most of them or all together. A slow test elsewhere has the marker itself.
SLOW = (
    "body/test_kernels.py",
    "cli/test_check.py",
    "cli/test_cli.py",
    "cli/test_convert.py",
    "cli/test_crowd.py",
    "cli/test_edit.py",
    "cli/test_family.py",
    "cli/test_family_play.py",
    "cli/test_fix.py",
    "cli/test_poses.py",
    "cli/test_join.py",
    "cli/test_methods.py",
    "cli/test_primitives.py",
    "cli/test_push.py",
    "cli/test_sketch.py",
    "clips",
    "fit",
    "io/gltf",
    "io/test_bvh.py",
    "io/test_c3d.py",
    "learn/anechoic/test_mixture.py",
    "legs",
    "metrics",
    "poses/test_compiled.py",
    "poses/test_feet.py",
    "poses/test_together.py",
    "primitives/crowd/test_dance.py",
    "primitives/crowd/test_march.py",
    "primitives/navigation/test_scenarios.py",
    "primitives/navigation/test_steer.py",
    "primitives/test_model.py",
    "primitives/test_player.py",
    "drawing",
    "evidence/bench",
    "evidence/printed",
    "evidence/reproduce",
    "respond",
    "spacetime/edits/test_solve_edit.py",
    "spacetime/edits/test_prefit.py",
    "spacetime/families/test_controller.py",
    "spacetime/families/test_populate.py",
    "spacetime/test_windows.py",
    "spacetime/test_poses.py",
    "spacetime/test_sketch.py",
    "fit/test_contacts.py",
    "spacetime/test_obstacles.py",
    "stages/test_rigid_contacts.py",
    "studio",
    "terms",
    "test_examples.py",
    "test_gambol.py",
)


settings.register_profile("gambol", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gambol")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests in SLOW, before pytest selects by marker."""
    folders = [TESTS / name for name in SLOW]
    slow = {path for path in {item.path for item in items} if any(path.is_relative_to(f) for f in folders)}
    for item in items:
        if item.path in slow:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real recordings, which is not part of the project."""
    if not RECORDINGS.is_dir():
        if os.environ.get("GAMBOL_REQUIRE_DATA"):
            pytest.fail(f"no recordings at {RECORDINGS}: set GAMBOL_DATA")
        pytest.skip("the real recordings are not here: set GAMBOL_DATA to their folder")
    return RECORDINGS


@pytest.fixture(scope="session")
def cmu_clips(data: Path) -> list[Path]:
    """Every CMU BVH."""
    return sorted((data / "cmu_bvh").rglob("*.bvh"))


@pytest.fixture
def gambol(monkeypatch, capsys):
    """The command line: words in; exit code, standard output and standard error out."""
    from gambol.cli import main

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["gambol", *map(str, words)])
        # A busy machine takes long over what tests expect no further lines of.
        monkeypatch.setattr("gambol.cli.progress_log.SILENCE", LIMIT)
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return run


@pytest.fixture(scope="session")
def browser() -> Iterator[tuple[object, object]]:
    """A real Chromium with software rendering, and the event loop that talks to it; every page shares both.

    Without a browser the test fails: `make test` brings one.
    """
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=found,
            timeout=1e3 * LIMIT,
            args=[
                "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
                "--disable-background-networking", "--disable-component-update",
                # Only the scene needs the graphics driver, which is slow in software: panels and text do without.
                "--disable-gpu-rasterization", "--disable-gpu-compositing",
            ],
        )  # fmt: skip
        # Playwright leaves its event loop marked as running, and tests without a page start loops of their own.
        loop = asyncio.get_running_loop()
        asyncio.events._set_running_loop(None)
        yield launched, loop
        asyncio.events._set_running_loop(loop)
        launched.close()


@pytest.fixture
def page(request: pytest.FixtureRequest, browser: tuple[object, object]) -> Iterator[object]:
    """A page that shares nothing with other pages but the browser.

    A test that does not look at the scene is marked `browser(scale=0.25)`: the scene has fewer pixels to draw.
    """
    marker = request.node.get_closest_marker("browser")
    launched, loop = browser
    asyncio.events._set_running_loop(loop)
    with launched.new_context(
        viewport={"width": 640, "height": 420}, device_scale_factor=marker.kwargs.get("scale", 1.0)
    ) as context:
        context.set_default_timeout(1e3 * LIMIT)
        yield context.new_page()
    asyncio.events._set_running_loop(None)
