//! The file with the secret of a world.

use super::error::{ConfigError, LONGEST_TOKEN, SHORTEST_TOKEN, TokenFlaw};
use phalanx_collectives::{Links, PrivateFileError, read_private};
use std::path::Path;

/// The secret in a file, without surrounding white space.
pub(super) fn token(path: &Path) -> Result<Vec<u8>, ConfigError> {
    let flawed = |flaw| ConfigError::TokenUnsafe { path: path.to_owned(), flaw };
    let content = read_private(path, LONGEST_TOKEN, Links::Followed);
    let content = content.map_err(|error| match error {
        PrivateFileError::System(source) => {
            ConfigError::TokenUnreadable { path: path.to_owned(), source }
        }
        PrivateFileError::NoFile => flawed(TokenFlaw::NoFile),
        PrivateFileError::Foreign(user) => flawed(TokenFlaw::Foreign { user }),
        PrivateFileError::Open(mode) => flawed(TokenFlaw::Open { mode }),
        PrivateFileError::Long(most) => flawed(TokenFlaw::Long { most }),
    })?;
    match content.trim_ascii() {
        token if token.len() < SHORTEST_TOKEN => {
            Err(flawed(TokenFlaw::Short { length: token.len() }))
        }
        token => Ok(token.to_vec()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Write;
    use std::path::PathBuf;

    /// A token file that is removed at the end of the test.
    pub(in crate::config) struct TokenFile(PathBuf);

    impl TokenFile {
        pub(in crate::config) fn new(name: &str, content: &[u8], mode: u32) -> TokenFile {
            let name = format!("phalanx-config-test-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::File::create(&path).unwrap().write_all(content).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            }
            TokenFile(path)
        }

        pub(in crate::config) fn path(&self) -> &str {
            self.0.to_str().unwrap()
        }
    }

    impl Drop for TokenFile {
        fn drop(&mut self) {
            // A leftover test file harms nobody.
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn secrets_are_files_of_some_size_and_nothing_is_waited_for() {
        let long = TokenFile::new("long", &[b'x'; LONGEST_TOKEN as usize + 1], 0o600);
        let flaw = |path: &str| match token(Path::new(path)) {
            Err(ConfigError::TokenUnsafe { flaw, .. }) => flaw,
            other => panic!("{other:?}"),
        };
        assert_eq!(flaw(long.path()), TokenFlaw::Long { most: LONGEST_TOKEN });
        assert_eq!(flaw("/dev/zero"), TokenFlaw::NoFile);
        assert_eq!(flaw("/"), TokenFlaw::NoFile);
    }

    #[cfg(unix)]
    #[test]
    fn a_token_that_keeps_no_secret_is_refused() {
        let open = TokenFile::new("open", b"0123456789abcdef", 0o644);
        let short = TokenFile::new("short", b"0123456789\n\n\n\n\n\n\n", 0o600);
        for (path, flaw) in [
            (open.path(), TokenFlaw::Open { mode: 0o644 }),
            (short.path(), TokenFlaw::Short { length: 10 }),
        ] {
            let error = token(Path::new(path)).unwrap_err();
            assert_eq!(error.code(), "PX094");
            assert!(matches!(error, ConfigError::TokenUnsafe { flaw: found, .. } if found == flaw));
        }
        let absent = token(Path::new("/nonexistent/token")).unwrap_err();
        assert_eq!(absent.code(), "PX093");
    }
}
