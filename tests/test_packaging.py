import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement

import countbounds

ROOT: Final = Path(__file__).parent.parent
LOCKS: Final = sorted((ROOT / "requirements").glob("*.txt"))
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def tracked_files() -> list[Path]:
    """Files that git tracks, or would on the next `git add`."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def entries(lock: Path) -> list[tuple[Requirement, list[str]]]:
    """The requirements of a lock, each with what follows it."""
    found = []
    for entry in lock.read_text("utf-8").replace("\\\n", " ").splitlines():
        if entry.strip() and not entry.lstrip().startswith("#"):
            requirement, *hashes = entry.split(" --hash=")
            found.append((Requirement(requirement.strip()), [text.strip() for text in hashes]))
    return found


def pins(lock: Path) -> dict[str, set[str]]:
    """The locked versions by name; there can be several, for several platforms."""
    found: dict[str, set[str]] = {}
    for requirement, _ in entries(lock):
        (only,) = requirement.specifier
        assert only.operator == "==", requirement
        found.setdefault(requirement.name, set()).add(only.version)
    return found


def test_the_version_is_the_same_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert version("countbounds") == countbounds.__version__
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [countbounds.__version__]
    assert f"## [{countbounds.__version__}]" in changes


def test_no_tracked_file_names_a_folder_of_one_machine() -> None:
    folder = re.compile(r"(?<![\w.)\]}/-])/(?:home|root|tmp|work|Users|opt|mnt|private)\b")
    found = []
    for path in tracked_files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
            for number, line in enumerate(text.splitlines(), 1)
            if folder.search(line)
        ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_locked_requirement_is_pinned_and_hashed(lock: Path) -> None:
    assert pins(lock)
    for requirement, hashes in entries(lock):
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", text) for text in hashes), requirement


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_index_and_no_place(lock: Path) -> None:
    text = lock.read_text("utf-8")
    assert not re.search(r"://|\bfile:|(?<!\w)/|^-|--(?!hash=)| @ ", text, re.MULTILINE)


def test_the_locks_satisfy_what_the_project_asks_for() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    asked = {
        "runtime.txt": PROJECT["project"]["dependencies"],
        "demo.txt": [*PROJECT["project"]["dependencies"], *extras["report"]],
        "build.txt": PROJECT["build-system"]["requires"],
        "dev.txt": [*PROJECT["project"]["dependencies"], *extras["test"], *extras["dev"]],
    }
    assert set(asked) == {lock.name for lock in LOCKS}
    for lock in LOCKS:
        locked = pins(lock)
        for requirement in map(Requirement, asked[lock.name]):
            if requirement.name != "countbounds":
                versions = locked[requirement.name]
                assert all(map(requirement.specifier.contains, versions)), requirement


def test_the_smaller_locks_agree_with_the_development_lock() -> None:
    everything = pins(ROOT / "requirements" / "dev.txt")
    for lock in LOCKS:
        for name, versions in pins(lock).items():
            assert versions <= everything[name], f"{lock.name}: {name}"


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_builds_the_same_twice(tmp_path: Path) -> None:
    package = {
        path.relative_to(ROOT).as_posix()
        for path in tracked_files()
        if path.is_relative_to(ROOT / "countbounds") or path.is_relative_to(ROOT / "proofs")
    }
    wheels: list[Path] = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        subprocess.run(
            [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
            check=True,
            capture_output=True,
        )
        wheels += folder.glob("*.whl")
    first, second = wheels
    assert first.read_bytes() == second.read_bytes()
    names = set(zipfile.ZipFile(first).namelist())
    assert package <= names
    beside = names - package
    assert all(re.match(r"countbounds-[^/]*\.dist-info/", name) for name in beside), beside
