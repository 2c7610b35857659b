//! The operations of a communicator and their names.

use std::fmt;

macro_rules! operations {
    ($($variant:ident $name:literal;)*) => {
        /// An operation of a communicator.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Operation { $(#[doc = concat!("`", $name, "`")] $variant),* }

        impl Operation {
            /// Every operation.
            pub const ALL: &'static [Operation] = &[$(Operation::$variant),*];

            /// The name of the method, without `_v`.
            pub const fn name(self) -> &'static str {
                match self { $(Operation::$variant => $name),* }
            }
        }
    };
}

operations! {
    AllReduce "all_reduce";
    Reduce "reduce";
    Broadcast "broadcast";
    AllGather "all_gather";
    ReduceScatter "reduce_scatter";
    AllToAll "all_to_all";
    Scatter "scatter";
    Gather "gather";
    Send "send";
    Receive "recv";
    SendReceive "send_recv";
    Exchange "exchange";
    Barrier "barrier";
    Split "split";
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
