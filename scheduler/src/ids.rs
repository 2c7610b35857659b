//! The ids of a plan's parts, each with a type of its own, so that none is taken for another.

use phalanx_ops::id_type;

id_type! {
    /// A unit of a plan, by its position among the plan's units.
    pub(crate) struct UnitId;

    /// An exchange of a plan, by its position among the plan's exchanges.
    pub(crate) struct ExchangeId;

    /// A slot of a finalised plan, by its position among the plan's slots.
    pub(crate) struct SlotId;

    /// A buffer of a slab or of messages, by its position among the local buffers of a device.
    pub(crate) struct LocalId;
}
