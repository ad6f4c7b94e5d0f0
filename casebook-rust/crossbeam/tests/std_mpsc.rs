//! The channel of the standard library: real threads only.

use linchpin_test::{Value, Way, model, object, role};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};

struct Ends {
    sender: Sender<Value>,
    receiver: Option<Receiver<Value>>,
}

#[test]
fn a_channel_is_a_queue() {
    let make = || {
        let (sender, receiver) = channel();
        Ends { sender, receiver: Some(receiver) }
    };
    // A value that is sent after the receiver is gone is lost, and nobody can tell.
    let sender = role("sender").op("send", |sender: &mut Sender<Value>, value: Value| {
        let _ = sender.send(value);
    });
    let receiver = role("receiver")
        .at_most(1)
        .op("try_recv", |receiver: &mut Receiver<Value>, ()| receiver.try_recv().ok());
    object(make)
        .role(sender, |ends| ends.sender.clone())
        .role(receiver, |ends| ends.receiver.take().expect("there is one receiver"))
        .spec(
            model(VecDeque::new)
                .adding("send", |items, value: Value| items.push_back(value))
                .op("try_recv", |items, ()| items.pop_front()),
        )
        .only(Way::Threads)
        .check();
}
