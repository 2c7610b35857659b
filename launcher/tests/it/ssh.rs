//! A stand-in for ssh, which starts ranks of other hosts on this one.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// Runs the last of its words in a shell, as ssh has it done on the host before, which it logs.
const SSH: &str = "#!/bin/sh
while [ \"$1\" = -o ]; do shift 2; done
echo \"$1\" >> \"$(dirname \"$0\")/hosts\"
exec sh -c \"$2\"
";

/// The folder of the stand-in, with its log, and the path that finds it first.
pub fn stand_in() -> (TempDir, OsString) {
    let folder = tempfile::tempdir().expect("a temporary folder is made");
    let ssh = folder.path().join("ssh");
    std::fs::write(&ssh, SSH).expect("the folder is ours");
    std::fs::set_permissions(&ssh, PermissionsExt::from_mode(0o755)).expect("the file is ours");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [folder.path().to_owned()].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("folders of a path make one");
    (folder, path)
}

/// The hosts that it received, in order.
pub fn hosts(folder: &TempDir) -> Vec<String> {
    let text = std::fs::read_to_string(folder.path().join("hosts")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
