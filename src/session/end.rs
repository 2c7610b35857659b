//! The end of a session, in order or because a program fails.

use super::{Session, registry};
use crate::timeline;
use phalanx_array::io::IoError;
use phalanx_graph::{Error, call_site};

impl Session {
    /// Waits for all started work and for the other processes, then leaves the world normally.
    ///
    /// Collective: every rank ends at the same point of the program. Errors: the first error that
    /// [`deferred_errors`](crate::deferred_errors) deferred and nothing raised, that of work in
    /// flight, or why the world ended. A session that is dropped instead does not wait for the
    /// others. If they continue, they receive an error that names where this session was made, or
    /// the last error that this program received; if the program panics, they receive that at once.
    /// [`run`](Session::run) passes any error of the program on.
    #[track_caller]
    pub fn finish(self) -> Result<(), Error> {
        let site = call_site();
        self.warn_of_unseen();
        let deferred = phalanx_array::raise_deferred(&self.mesh, site);
        let finished = self.scheduler.finish(site);
        let written = self.write_timeline();
        let written = written.map_err(|error| Error::failure(error, Some(site)));
        deferred.and(finished).and(written)
    }

    /// Writes what the session has recorded, once.
    fn write_timeline(&self) -> Result<(), IoError> {
        match (self.scheduler.take_timeline(), &self.trace) {
            (Some(timeline), Some(path)) => {
                timeline::write(&timeline, path, self.scheduler.world().rank())
            }
            _ => Ok(()),
        }
    }

    /// Runs a program to its end. If it succeeds, [`finish`](Session::finish) follows. If it fails
    /// on this rank, the others at once receive the text of its error (PX063).
    ///
    /// Collective, like the program. Errors: the program's, and those of `finish`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let total = phalanx::init(phalanx::Config::from_env()?)?.run(|_| {
    ///     let x = phalanx::arange(0, 10, 1);
    ///     Ok::<i64, phalanx::Error>(x.sum(()).item()?)
    /// })?;
    /// assert_eq!(total, 45);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn run<T, E: From<Error> + ToString>(
        self,
        program: impl FnOnce(&Session) -> Result<T, E>,
    ) -> Result<T, E> {
        match program(&self) {
            Ok(outcome) => {
                self.finish()?;
                Ok(outcome)
            }
            Err(error) => {
                let text = error.to_string();
                self.abort(text.lines().next().unwrap_or_default());
                Err(error)
            }
        }
    }

    /// Ends the world on all ranks because the program failed on this rank. The session cannot be
    /// used any more. The others at once receive an error with the message. Local.
    pub fn abort(&self, message: &str) {
        self.scheduler.abort("program", message);
    }

    /// Checks that the world is running, for a program's own wait for other processes. Local.
    ///
    /// Errors: why the world has ended.
    #[track_caller]
    pub fn check(&self) -> Result<(), Error> {
        self.scheduler.check(call_site())
    }

    /// As [`Session::abort`], for a program that ends. It does not wait for running work, and keeps
    /// that work's memory until the process ends; but a process alone that records a timeline ends
    /// its work and writes it. A process that does not end within 8 s is ended, because it may wait
    /// for processes that have ended. Local.
    pub fn fail(self, message: &str) {
        if self.trace.is_some() && self.scheduler.world().size() == 1 {
            // Nobody waits for this process, so what it has done so far can be written.
            let _ = self.scheduler.leave(self.site);
            self.report_timeline();
        }
        self.scheduler.fail("program", message);
        self.ended();
        std::mem::forget(self);
    }

    /// As `write_timeline`, for an end that returns no error.
    fn report_timeline(&self) {
        if let Err(error) = self.write_timeline() {
            eprintln!("phalanx: {error}");
        }
    }

    fn ended(&self) {
        registry::end(&self.mesh);
        if self.is_initial {
            registry::release();
        }
    }

    /// Warns of the errors of arrays that nobody has looked at. All ranks have the same.
    fn warn_of_unseen(&self) {
        let (errors, more) = self.mesh.unseen_errors();
        if self.scheduler.world().rank() > 0 {
            return;
        }
        for error in &errors {
            eprintln!(
                "phalanx: an array carries an error that the program never examined:\n{error}"
            );
        }
        if more > 0 {
            eprintln!("phalanx: and {more} more");
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.scheduler.abort("panic", "its program panicked");
        } else {
            self.warn_of_unseen();
        }
        // A program that needs the outcome calls `finish`.
        let _ = self.scheduler.leave(self.site);
        self.report_timeline();
        self.ended();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use phalanx_distributed::Policy;
    use phalanx_graph::{Limits, MeshHandle};
    use phalanx_ops::Mesh;

    fn session() -> Session {
        let config = Config::default().threads(1);
        let session = Session::with_options(config, None, Policy::default(), Limits::default());
        session.expect("a session")
    }

    fn is_default(session: &Session) -> bool {
        MeshHandle::current().is_some_and(|current| current.same(session.handle()))
    }

    /// One test of all orders, because there is one default for the whole process.
    #[test]
    fn the_end_of_a_session_gives_the_default_back() {
        let (outer, inner) = (session(), session());
        assert!(is_default(&inner));
        drop(inner);
        assert!(is_default(&outer));
        let inner = session();
        outer.finish().expect("nothing is in flight");
        assert!(is_default(&inner));
        drop(inner);
        assert!(MeshHandle::current().is_none(), "the mesh of a session that has ended");

        let (first, second, third) = (session(), session(), session());
        drop(second);
        assert!(is_default(&third));
        drop(third);
        assert!(is_default(&first));

        // A default that the program itself sets stays the default.
        let local = first.local().expect("a mesh of this process");
        MeshHandle::set_default(Some(local.clone()));
        drop(session());
        let current = MeshHandle::current().expect("a default");
        assert!(current.same(&local));
        drop(first);
        let current = MeshHandle::set_default(None).expect("a default");
        assert!(current.same(&local));

        // A session that fails to start changes nothing.
        let outer = session();
        let mesh = Some(Mesh::line(2));
        let begun =
            Session::with_options(Config::default(), mesh, Policy::default(), Limits::default());
        assert_eq!(begun.err().map(|error| error.code()), Some("PX034"));
        assert!(is_default(&outer));
        MeshHandle::set_default(None);
        drop(outer);
        assert!(MeshHandle::current().is_none());
    }
}
