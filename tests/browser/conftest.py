"""A real browser for pages from files: Chromium (Debian's `chromium`, or the one that HEADWORK_BROWSER names)."""

import os
import shutil

import pytest

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
PATIENCE = 180_000  # milliseconds: a loaded machine starts pages slowly
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="the Python package playwright is not installed"
    )
    path = os.environ.get("HEADWORK_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no browser: install Debian's chromium, or name one in HEADWORK_BROWSER")
    with sync_api.sync_playwright() as playwright:
        # a container's root may not use Chromium's sandbox; the pages are files of ours
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=PATIENCE)
        yield started
        started.close()


@pytest.fixture(
    params=[
        ("desktop", "light"),
        ("phone", "dark"),
        pytest.param(("desktop", "dark"), marks=pytest.mark.long),
        pytest.param(("phone", "light"), marks=pytest.mark.long),
    ],
    ids=" ".join,
)
def look(request):
    """A width and colours, as options of a page. Two of the four pairs show each width and each scheme once."""
    return dict(zip(("size", "color_scheme"), request.param, strict=True))


@pytest.fixture
def troubles():
    """What went wrong on the pages of a test: requests that are not for files, failed ones, errors of the console."""
    found = []
    yield found
    assert found == []


@pytest.fixture
def open_page(browser, troubles):
    """Opens a page by its address at a width; all that is wrong with it is added to `troubles`."""
    opened = []

    def at(address: str, size: str = "desktop", **options):
        width, height = SIZES[size]
        tab = browser.new_page(viewport={"width": width, "height": height}, **options)
        tab.set_default_timeout(PATIENCE)
        tab.on(
            "request",
            lambda request: (
                request.url.startswith(("file:", "data:", "blob:")) or troubles.append(request.url)
            ),
        )
        tab.on("requestfailed", lambda request: troubles.append(f"{request.url}: {request.failure}"))
        tab.on("console", lambda message: message.type == "error" and troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(address)
        opened.append(tab)
        return tab

    yield at
    for tab in opened:
        tab.close()


@pytest.fixture
def check_page(open_page):
    """Checks that an open page fits its width and has no serious finding of axe-core."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )

    def check(tab) -> None:
        for details in tab.locator("details").all():
            details.evaluate("opened => opened.open = true")
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert tab.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).length") == 0
        # axe would fetch the style sheet again to read it, which pages from files may not do
        found = axe.Axe().run(tab, options={"preload": False}).response["violations"]
        grave = [
            (rule["id"], rule["nodes"][0]["html"])
            for rule in found
            if rule["impact"] in ("serious", "critical")
        ]
        assert grave == []

    return check
