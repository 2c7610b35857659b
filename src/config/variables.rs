//! The configuration of parsed variables.

use super::addresses::{address_beside, interface_of};
use super::error::ConfigError;
use super::meeting::{DEFAULT_TIMEOUT, Meeting, Startup};
use super::own_placement::own_placement;
use super::settings::{Config, DEFAULT_STALL};
use super::token::token;
use crate::environment::Environment;
use phalanx_collectives::mpi::MpiOptions;
use phalanx_device::cuda::CudaOptions;

impl Config {
    /// The configuration of parsed variables. Reads the token file that they name.
    pub fn from_environment(environment: &Environment) -> Result<Config, ConfigError> {
        let default = Config::default();
        Ok(Config {
            devices: environment.devices.clone().unwrap_or_default(),
            cuda: cuda_options(environment),
            blas: environment.blas.clone().unwrap_or_default(),
            instructions: environment.instructions.flatten(),
            threads: environment.threads.unwrap_or(default.threads),
            memory_limit: environment.memory_limit,
            implicit_copy: environment.implicit_copy.unwrap_or(default.implicit_copy),
            reproducible: environment.reproducible.unwrap_or(default.reproducible),
            log: environment.log.unwrap_or_default(),
            trace: environment.trace.clone().filter(|path| path.as_os_str() != "off"),
            data: environment.data.clone().unwrap_or(default.data),
            bind_cpu: environment.bind_cpu.unwrap_or(true),
            placement: own_placement(environment)?,
            meeting: Meeting {
                ways: Vec::new(),
                bind: environment.bind,
                interface: environment.interface.clone(),
                timeout: environment.timeout.unwrap_or(DEFAULT_TIMEOUT),
            },
            startup: startup(environment)?,
            transport: environment.transport.unwrap_or_default(),
            mpi: MpiOptions {
                library: environment.mpi_library.clone(),
                cuda: environment.mpi_cuda,
                mpich_first: false,
                is_without_pmix: false,
            },
            stall: environment.stall.unwrap_or(Some(DEFAULT_STALL)),
            is_encrypted: environment.tls.unwrap_or(false),
            prices: None,
            prices_file: None,
        })
    }
}

/// The CUDA options that our variables request.
pub(super) fn cuda_options(environment: &Environment) -> CudaOptions {
    let cache = environment.kernel_cache.clone();
    CudaOptions {
        folders: environment.cuda_path.clone().unwrap_or_default(),
        cache: cache.filter(|folder| folder.as_os_str() != "off"),
        save_source: environment.save_source.clone(),
        without_graphs: environment.cuda_graphs == Some(false),
        check_kernels: environment.check_kernels.unwrap_or(false),
        tf32: environment.tf32.unwrap_or(false),
    }
}

/// How this process meets the others, if our variables state it.
fn startup(environment: &Environment) -> Result<Option<Startup>, ConfigError> {
    let (Some(rank), Some(size)) = (environment.rank, environment.size) else { return Ok(None) };
    // A single process opens no socket, so it needs nothing else.
    if size == 1 {
        return Ok(None);
    }
    if environment.address.is_none() && environment.rendezvous.is_some() {
        return Ok(None);
    }
    let address = environment.address.clone();
    let address = address.ok_or_else(|| ConfigError::missing("PHALANX_ADDRESS", "PHALANX_SIZE"))?;
    let token_file = environment.token_file.as_deref();
    let token = token(
        token_file.ok_or_else(|| ConfigError::missing("PHALANX_TOKEN_FILE", "PHALANX_SIZE"))?,
    )?;
    let interface = environment.interface.as_deref();
    let bind = match (environment.bind, interface) {
        (Some(bind), _) => bind,
        (None, Some(name)) => interface_of(rank, name)?,
        (None, None) => address_beside(&address),
    };
    let timeout = environment.timeout.unwrap_or(DEFAULT_TIMEOUT);
    Ok(Some(Startup { rank, size, address, bind, token, timeout, listener: None, left: None }))
}

#[cfg(test)]
mod tests {
    use super::super::token::tests::TokenFile;
    use super::*;
    use crate::environment::Devices;
    use std::ffi::OsString;
    use std::net::IpAddr;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        Environment::parse(|name| {
            let found = pairs.iter().find(|pair| pair.0 == name);
            found.map(|pair| OsString::from(pair.1))
        })
        .unwrap()
    }

    fn config(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_environment(&environment(pairs))
    }

    #[test]
    fn nothing_set_is_the_default() {
        let automatic = Config { devices: Devices::Auto, ..Config::default() };
        assert_eq!(config(&[]).unwrap(), automatic);
    }

    #[test]
    fn a_world_of_one_has_no_startup() {
        let alone = config(&[("PHALANX_SIZE", "1"), ("PHALANX_RANK", "0")]).unwrap();
        assert_eq!(alone.startup, None);
        assert_eq!((alone.rank(), alone.size()), (0, 1));
    }

    #[test]
    fn startup_is_read_with_its_secret() {
        let file = TokenFile::new("whole", b"0123456789abcdef0123456789abcdef\n", 0o600);
        let config = config(&[
            ("PHALANX_RANK", "1"),
            ("PHALANX_SIZE", "3"),
            ("PHALANX_ADDRESS", "10.0.0.1:4000"),
            ("PHALANX_BIND", "10.0.0.2"),
            ("PHALANX_TOKEN_FILE", file.path()),
        ])
        .unwrap();
        let startup = config.startup.clone().unwrap();
        assert_eq!((config.rank(), config.size()), (1, 3));
        assert_eq!(startup.token, b"0123456789abcdef0123456789abcdef");
        assert_eq!(startup.bind, IpAddr::from([10, 0, 0, 2]));
        assert_eq!(startup.timeout, DEFAULT_TIMEOUT);
        assert!(!format!("{startup:?}").contains("token"), "the secret must not be shown");
    }

    #[test]
    fn missing_variables_are_named() {
        for (pairs, absent) in [
            (&[("PHALANX_RANK", "0")][..], "PHALANX_SIZE"),
            (&[("PHALANX_SIZE", "2")], "PHALANX_RANK"),
            (&[("PHALANX_SIZE", "2"), ("PHALANX_RANK", "0")], "PHALANX_ADDRESS"),
            (
                &[("PHALANX_SIZE", "2"), ("PHALANX_RANK", "0"), ("PHALANX_ADDRESS", "a:1")],
                "PHALANX_TOKEN_FILE",
            ),
        ] {
            let error = config(pairs).unwrap_err();
            assert_eq!(error.code(), "PX091");
            assert!(matches!(error, ConfigError::Missing { variable, .. } if variable == absent));
        }
    }

    #[test]
    fn a_rank_beyond_the_size_is_refused() {
        let error = config(&[("PHALANX_SIZE", "2"), ("PHALANX_RANK", "2")]).unwrap_err();
        assert!(matches!(error, ConfigError::RankOutOfRange { rank: 2, size: 2 }));
        assert_eq!(error.code(), "PX092");
    }

    #[test]
    fn a_wrong_value_names_variable_value_and_form() {
        let parsed = Environment::parse(|name| {
            (name == "PHALANX_DEVICES").then(|| OsString::from("cpu:none"))
        });
        let error = ConfigError::from(parsed.unwrap_err());
        assert_eq!(error.code(), "PX090");
        assert_eq!(
            error.to_string(),
            "PHALANX_DEVICES is `cpu:none`, but takes `auto`, `cpu`, `cpu:n` (n from 1 to 1024), \
             `cuda`, `cuda:0,2` or `null-cuda:n`"
        );
    }
}
