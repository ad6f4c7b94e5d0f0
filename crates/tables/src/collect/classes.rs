//! The rows of COLLECT's table 2, and our models of them.

use super::configurations::{Configuration, Kind};
use linchpin_ir::property::Property;

/// The published result of one row in one configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Published {
    /// The configuration does not apply, or was not tried.
    Nothing,
    /// Verified, in seconds on 16 cores.
    Holds(u32),
    /// A violation was found.
    Violated(u32),
    /// The number of states is infinite.
    Infinite,
}

/// How termination is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Termination {
    Always,
    /// Under a fair scheduler: calls spin until other threads move.
    Fair,
    /// Its calls wait by spinning, for ever if they must; that is judged with the other stuck executions.
    Unasked,
}

use Published::{Holds, Infinite, Nothing, Violated};

pub struct Class {
    pub name: &'static str,
    pub model: &'static str,
    /// The edit of the text, where the class is judged by another specification than its own.
    pub edit: Option<(&'static str, &'static str)>,
    pub kind: Kind,
    pub consistency: Property,
    /// A to E.
    pub published: [Published; 5],
    pub termination: Termination,
    /// How deep calls may nest, and the cells that this takes, where they may do so without end.
    pub recursion: Option<(u32, u32)>,
    /// Constants of the model that differ from configuration to configuration.
    pub constants: fn(Configuration) -> &'static [(&'static str, i64)],
    /// The reason where our result differs from the published one.
    pub reasons: &'static [(Configuration, &'static str)],
}

const L: Property = Property::Linearizable;
const SC: Property = Property::SequentiallyConsistent;
const QC: Property = Property::QuiescentlyConsistent;
const BARRIER: Property = Property::BarrierConsistent;

fn none(_: Configuration) -> &'static [(&'static str, i64)] {
    &[]
}

fn hashes(configuration: Configuration) -> &'static [(&'static str, i64)] {
    if configuration == Configuration::C { &[("HASHES", 2)] } else { &[] }
}

/// With room for one item in each place three items are too many.
fn narrow(configuration: Configuration) -> &'static [(&'static str, i64)] {
    if configuration == Configuration::C { &[("HASHES", 2), ("PROBE_SIZE", 1)] } else { &[] }
}

fn bins(configuration: Configuration) -> &'static [(&'static str, i64)] {
    if configuration == Configuration::E { &[("RANGE", 5)] } else { &[("RANGE", 4)] }
}

fn tree(configuration: Configuration) -> &'static [(&'static str, i64)] {
    if configuration == Configuration::E { &[("LOG", 3), ("RANGE", 8)] } else { &[("LOG", 2), ("RANGE", 4)] }
}

/// Two levels; in the largest configuration one, which is enough to see what there is to see.
fn levels(configuration: Configuration) -> &'static [(&'static str, i64)] {
    if configuration == Configuration::E { &[("TOP", 0)] } else { &[] }
}

const fn class(
    name: &'static str,
    model: &'static str,
    kind: Kind,
    consistency: Property,
    published: [Published; 5],
) -> Class {
    let termination = Termination::Always;
    Class {
        name,
        model,
        edit: None,
        kind,
        consistency,
        published,
        termination,
        recursion: None,
        constants: none,
        reasons: &[],
    }
}

/// As COLLECT judges it: its oracle lets `enq` and `deq` take turns (2.1).
const fn alternating(name: &'static str, model: &'static str, edit: (&'static str, &'static str)) -> Class {
    Class {
        termination: Termination::Unasked,
        edit: Some(edit),
        ..class(name, model, Kind::SynchronousQueue, L, [Nothing; 5])
    }
}

/// The classes, and some of them again as COLLECT's own tool judges them.
pub const CLASSES: [Class; 34] = [
    class("CoarseList", "coarse_list", Kind::Set, L, [Holds(17), Holds(47), Nothing, Holds(1613), Nothing]),
    class("FineList", "fine_list", Kind::Set, L, [Holds(17), Holds(47), Nothing, Holds(1766), Nothing]),
    class(
        "OptimisticList",
        "optimistic_list",
        Kind::Set,
        L,
        [Holds(18), Holds(49), Nothing, Holds(2136), Nothing],
    ),
    class("LazyList", "lazy_list", Kind::Set, L, [Holds(17), Holds(49), Nothing, Holds(1988), Nothing]),
    class(
        "LockFreeList",
        "lock_free_list",
        Kind::Set,
        L,
        [Holds(18), Holds(51), Nothing, Holds(1856), Nothing],
    ),
    class(
        "LockFreeListOriginal",
        "lock_free_list_original",
        Kind::Set,
        L,
        [Holds(18), Violated(48), Nothing, Violated(486), Nothing],
    ),
    class(
        "BoundedQueue",
        "bounded_queue",
        Kind::Queue,
        L,
        [Holds(8), Holds(10), Nothing, Holds(115), Holds(123)],
    ),
    class(
        "UnboundedQueue",
        "unbounded_queue",
        Kind::Queue,
        L,
        [Holds(6), Holds(9), Nothing, Holds(32), Holds(157)],
    ),
    class(
        "LockFreeQueue",
        "lock_free_queue",
        Kind::Queue,
        L,
        [Holds(6), Holds(9), Nothing, Holds(61), Holds(171)],
    ),
    class(
        "SynchronousQueue",
        "synchronous_queue",
        Kind::SynchronousQueue,
        L,
        [Holds(6), Holds(11), Nothing, Holds(44), Holds(246)],
    ),
    Class {
        termination: Termination::Unasked,
        reasons: &[(
            Configuration::E,
            "found with two preemptions as well (`--preemptions 2`: 21 steps); COLLECT finds it in D",
        )],
        ..class(
            "SynchronousDualQueue",
            "synchronous_dual_queue",
            Kind::SynchronousQueue,
            L,
            [Holds(8), Holds(14), Nothing, Violated(116), Holds(182)],
        )
    },
    Class {
        termination: Termination::Unasked,
        ..class(
            "SynchronousDualQueuePatched",
            "synchronous_dual_queue_patched",
            Kind::SynchronousQueue,
            L,
            [Holds(8), Holds(14), Nothing, Holds(1450), Holds(187)],
        )
    },
    Class {
        constants: hashes,
        ..class(
            "CoarseHashSet",
            "coarse_hash_set",
            Kind::Set,
            L,
            [Holds(19), Holds(50), Holds(55), Holds(1572), Nothing],
        )
    },
    Class {
        constants: hashes,
        ..class(
            "StripedHashSet",
            "striped_hash_set",
            Kind::Set,
            L,
            [Holds(19), Holds(52), Holds(59), Holds(1732), Nothing],
        )
    },
    Class {
        termination: Termination::Fair,
        constants: hashes,
        ..class(
            "RefinableHashSet",
            "refinable_hash_set",
            Kind::Set,
            L,
            [Holds(21), Violated(50), Violated(54), Violated(572), Nothing],
        )
    },
    Class {
        termination: Termination::Fair,
        constants: hashes,
        ..class("RefinableHashSetPatched", "refinable_hash_set_patched", Kind::Set, L, [Nothing; 5])
    },
    class(
        "LockFreeHashSet",
        "lock_free_hash_set",
        Kind::Set,
        L,
        [Holds(21), Violated(52), Violated(8), Violated(547), Nothing],
    ),
    class(
        "LockFreeHashSetPatched",
        "lock_free_hash_set_patched",
        Kind::Set,
        L,
        [Holds(19), Holds(56), Violated(8), Violated(1054), Nothing],
    ),
    class("LockFreeHashSet (text)", "lock_free_hash_set_text", Kind::Set, L, [Nothing; 5]),
    Class {
        recursion: Some((5, 200)),
        constants: hashes,
        ..class(
            "StripedCuckooHashSet",
            "striped_cuckoo_hash_set",
            Kind::Set,
            L,
            [Holds(20), Holds(53), Infinite, Violated(896), Nothing],
        )
    },
    Class {
        termination: Termination::Fair,
        recursion: Some((5, 200)),
        constants: narrow,
        ..class(
            "RefinableCuckooHashSet",
            "refinable_cuckoo_hash_set",
            Kind::Set,
            L,
            [Holds(22), Holds(59), Infinite, Violated(1093), Nothing],
        )
    },
    Class {
        constants: bins,
        ..class(
            "SimpleLinear",
            "simple_linear",
            Kind::PriorityQueue,
            QC,
            [Holds(6), Holds(10), Nothing, Holds(39), Holds(447)],
        )
    },
    Class {
        constants: tree,
        ..class(
            "SimpleTree",
            "simple_tree",
            Kind::PriorityQueue,
            QC,
            [Holds(6), Holds(12), Nothing, Violated(44), Violated(204)],
        )
    },
    class(
        "FineGrainedHeap",
        "fine_grained_heap",
        Kind::PriorityQueue,
        L,
        [Violated(6), Violated(11), Nothing, Violated(22), Violated(27)],
    ),
    Class {
        termination: Termination::Fair,
        ..class(
            "FineGrainedHeapFair",
            "fine_grained_heap_fair",
            Kind::PriorityQueue,
            L,
            [Holds(7), Violated(11), Nothing, Violated(24), Violated(27)],
        )
    },
    Class {
        constants: levels,
        ..class(
            "SkipQueueOriginal",
            "skip_queue_original",
            Kind::PriorityQueue,
            SC,
            [Holds(9), Holds(26), Nothing, Violated(228), Violated(254)],
        )
    },
    Class {
        constants: levels,
        ..class(
            "SkipQueueQC",
            "skip_queue",
            Kind::PriorityQueue,
            QC,
            [Holds(10), Holds(26), Nothing, Holds(263), Holds(8582)],
        )
    },
    Class {
        constants: levels,
        ..class(
            "SkipQueueSC",
            "skip_queue",
            Kind::PriorityQueue,
            SC,
            [Holds(9), Holds(23), Nothing, Holds(178), Violated(2730)],
        )
    },
    alternating(
        "SynchronousQueue, alternating",
        "synchronous_queue",
        ("SynchronousQueue: SynchronousQueue", "SynchronousQueue: AlternatingQueue"),
    ),
    alternating(
        "SynchronousDualQueue, alternating",
        "synchronous_dual_queue",
        ("SynchronousDualQueue: SynchronousQueue", "SynchronousDualQueue: AlternatingQueue"),
    ),
    alternating(
        "SynchronousDualQueuePatched, alternating",
        "synchronous_dual_queue_patched",
        ("SynchronousDualQueuePatched: SynchronousQueue", "SynchronousDualQueuePatched: AlternatingQueue"),
    ),
    Class {
        constants: bins,
        ..class("SimpleLinear, one barrier", "simple_linear", Kind::PriorityQueue, BARRIER, [Nothing; 5])
    },
    Class {
        constants: tree,
        ..class("SimpleTree, one barrier", "simple_tree", Kind::PriorityQueue, BARRIER, [Nothing; 5])
    },
    Class {
        constants: levels,
        ..class("SkipQueue, one barrier", "skip_queue", Kind::PriorityQueue, BARRIER, [Nothing; 5])
    },
];
