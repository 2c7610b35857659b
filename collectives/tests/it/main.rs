//! Tests of the collectives through their public interface: one table for every plane.

#[path = "../../../tests/absence.rs"]
mod absence;
mod at_once;
mod conformance;
mod faults;
mod fixture;
mod full;
mod gpu_faults;
mod loopback;
mod movement;
mod observed;
mod planes;
mod reference;
mod rendezvous;
mod speed;
mod texts;
mod tickets;
