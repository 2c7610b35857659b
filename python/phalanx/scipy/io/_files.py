"""Files of which several processes write parts."""

import contextlib
import os
import shutil
import stat
import time


def written(team, target, header, own):
    """Writes a header and the texts of all processes to a path or to file objects. Collective."""
    if not isinstance(target, str):
        failure = None
        text = team.text(own)
        try:
            target.write(header + text)
        except Exception as error:
            failure = error
        team.shared(failure)
        return
    if team.gathered([_is_special(target)])[0, 0]:
        _by_the_first(team, target, header + team.text(own))
        return
    path, failure, made = os.path.realpath(target), None, [0, 0]
    if team.own == 0:
        made = [os.getpid(), time.time_ns()]
        try:
            _begin(path, _temporary(path, made), header)
        except Exception as error:
            failure = error
    temporary = _temporary(path, made)
    try:
        made = team.shared(failure, made)[0].tolist()
        temporary = _temporary(path, made)
        _fill(team, temporary, len(header), header, own)
        failure = None
        if team.own == 0:
            try:
                os.replace(temporary, path)
            except Exception as error:
                failure = error
        team.shared(failure)
    except BaseException:
        if team.own == 0:
            with contextlib.suppress(OSError):
                os.remove(temporary)
        raise


def _is_special(path):
    """Whether a path is no file that another one can replace, such as a device."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _temporary(path, made):
    # A short name, because that of the file may be as long as names can be.
    return os.path.join(os.path.dirname(path), f".{made[0]}.{made[1]}.tmp")


def _begin(path, temporary, header):
    """Makes the file under its temporary name."""
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(path)
    with open(temporary, "xb") as file:
        file.write(header)
    if os.path.exists(path):
        shutil.copymode(path, temporary)


def _fill(team, temporary, start, header, own):
    """Writes the text of each process after those of the processes before it."""
    file, failure = None, None
    try:
        with contextlib.suppress(OSError):
            file = open(temporary, "r+b")
        rows = team.gathered([len(own), file is not None])
        if not rows[:, 1].all():
            # Some processes do not see the folder.
            _by_the_first(team, temporary, header + team.text(own))
            return
        try:
            file.seek(start + int(rows[: team.own, 0].sum()))
            file.write(own)
            # Some disks report that they are full only at this call.
            file.flush()
            os.fsync(file.fileno())
        except Exception as error:
            failure = error
        team.shared(failure)
    finally:
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()


def _by_the_first(team, path, text):
    """The first process writes the whole file. Collective."""
    failure = None
    if team.own == 0:
        try:
            with open(path, "wb") as file:
                file.write(text)
        except Exception as error:
            failure = error
    team.shared(failure)
