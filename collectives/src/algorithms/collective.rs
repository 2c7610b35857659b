//! The algorithm of each collective.

use super::Conversation;
use super::{direct, ring, tree};
use crate::CollectiveError;
use crate::call::Call;

/// Performs a collective of one member in its conversation.
pub(crate) fn collective(
    conversation: &mut Conversation<'_>,
    call: Call<'_>,
) -> Result<(), CollectiveError> {
    match call {
        Call::AllReduce { data, items } => ring::all_reduce(conversation, data, items),
        Call::Reduce { data, items, root } => ring::reduce(conversation, data, items, root),
        Call::Broadcast { data, root } => tree::broadcast(conversation, data, root),
        Call::AllGather { send, receive, counts } => {
            ring::all_gather(conversation, send, receive, counts)
        }
        Call::ReduceScatter { send, receive, counts, items } => {
            ring::reduce_scatter(conversation, send, receive, counts, items)
        }
        Call::AllToAll { send, send_counts, receive, receive_counts } => {
            direct::all_to_all(conversation, send, send_counts, receive, receive_counts)
        }
        Call::Scatter { send, receive, counts, root } => {
            direct::scatter(conversation, send, receive, counts, root)
        }
        Call::Gather { send, receive, counts, root } => {
            direct::gather(conversation, send, receive, counts, root)
        }
    }
}
