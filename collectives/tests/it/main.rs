//! Tests of the collectives through their public interface, the same table on every plane.

mod conformance;
mod counting;
mod faults;
mod fixture;
mod full;
mod movement;
mod reference;
mod rendezvous;
mod tickets;
