//! The recorders of a process, and what they have noted on all ranks.

use super::clocks::Clocks;
use super::program::Program;
use super::recorder::{Messages, Recorder};
use super::track::Timeline;
use crate::error::RunError;
use crate::processes::Processes;
use phalanx_collectives::{Communicator, Observed};
use phalanx_device::{Device, DeviceError};
use std::sync::Arc;
use std::time::Instant;

/// The recorders of a process.
pub(crate) struct Recording {
    origin: Instant,
    devices: Vec<Arc<Recorder>>,
    pub program: Program,
    clocks: Clocks,
}

impl Recording {
    /// Starts to record idle devices.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn new(devices: &[Arc<dyn Device>]) -> Result<Recording, DeviceError> {
        let origin = Instant::now();
        let recorders = devices.iter().map(|device| Recorder::new(device, origin));
        Ok(Recording {
            origin,
            devices: recorders.collect::<Result<_, _>>()?,
            program: Program::new(origin),
            clocks: Clocks::default(),
        })
    }

    /// Compares the clocks of the ranks. Collective over the processes.
    ///
    /// Errors: why the world ended.
    pub fn meet(&mut self, processes: &Processes) -> Result<(), RunError> {
        self.clocks = Clocks::compare(processes, self.origin)?;
        Ok(())
    }

    /// The recorder of a local device.
    pub fn recorder(&self, local: usize) -> Arc<Recorder> {
        self.devices[local].clone()
    }

    /// The communicator of a local device, whose messages are recorded.
    pub fn observed(&self, local: usize, inner: Arc<dyn Communicator>) -> Arc<dyn Communicator> {
        Arc::new(Observed::new(inner, Arc::new(Messages(self.recorder(local)))))
    }

    /// The tracks of this process, whose devices are idle.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn own(&self, rank: usize) -> Result<Timeline, RunError> {
        let devices = self.devices.iter().map(|device| device.track(rank));
        let mut tracks = devices.collect::<Result<Vec<_>, _>>()?;
        tracks.push(self.program.track(rank));
        Ok(Timeline { tracks })
    }

    /// The tracks of all processes, by the clock of rank 0; none on other ranks. Collective over
    /// the processes.
    ///
    /// Errors: why the world ended.
    pub fn gather(
        &self,
        processes: &Processes,
        own: &Timeline,
    ) -> Result<Option<Timeline>, RunError> {
        let now = Clocks::compare(processes, self.origin)?;
        let bytes = own.encoded()?;
        let Some(parts) = processes.gather_first(bytes)? else { return Ok(None) };
        let mut tracks = Vec::new();
        for part in parts {
            tracks.extend(Timeline::decoded(&part)?.tracks);
        }
        for track in &mut tracks {
            for span in &mut track.spans {
                for at in [&mut span.start, &mut span.end] {
                    *at = Clocks::by_first(&self.clocks, &now, track.rank, *at);
                }
            }
        }
        Ok(Some(Timeline { tracks }))
    }
}
