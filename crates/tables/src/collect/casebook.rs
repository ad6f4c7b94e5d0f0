//! The casebook: a shortest counterexample of our own for each of the eleven violations of COLLECT 5.4.
//!
//! `docs/casebook.md` is the output of [`print()`]. A test makes the quick cases again and compares them with
//! that file.

use linchpin_engine::model::Model;
use linchpin_engine::verdict::Verdict;
use linchpin_engine::{Budget, Silent, cores};
use linchpin_explore::{ClientRequest, Request, Restriction, check};
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue;
use linchpin_report::plain;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One violation: its instance, and its cause.
struct Case {
    title: &'static str,
    model: &'static str,
    property: Property,
    instance: Instance,
    /// The cause, in two sentences.
    cause: &'static str,
}

/// The instance in which the violation is shown.
#[derive(Clone, Copy)]
struct Instance {
    threads: u32,
    steps: u32,
    preadds: u32,
    /// Of `data` and of `key`.
    values: u32,
    restrictions: &'static [Restriction],
    constants: &'static [(&'static str, i64)],
    any_hashes: bool,
    depth: Option<u32>,
    nodes: Option<u32>,
}

const SMALL: Instance = Instance {
    threads: 2,
    steps: 2,
    preadds: 1,
    values: 2,
    restrictions: &[],
    constants: &[],
    any_hashes: false,
    depth: None,
    nodes: None,
};

const PRIORITIES: &[Restriction] = &Restriction::ALL;

const CASES: [Case; 11] = [
    Case {
        title: "1. LockFreeListOriginal: two threads remove one element",
        model: "lock_free_list_original",
        property: Property::SequentiallyConsistent,
        instance: Instance { values: 1, ..SMALL },
        cause: "`remove` marks its node by `attempt_mark`, which also succeeds on a marked node. So two threads \
                at the same node both return that they removed it.",
    },
    Case {
        title: "2. SynchronousDualQueue: `deq` returns without an item",
        model: "synchronous_dual_queue",
        property: Property::SequentiallyConsistent,
        instance: Instance { threads: 3, steps: 3, preadds: 0, values: 1, ..SMALL },
        cause: "A dequeuer reads the item of a node that another dequeuer has just emptied, and reads nothing. \
                Its `cas` from nothing to nothing succeeds, and the dequeuer returns as if it had met an \
                enqueuer.",
    },
    Case {
        title: "3. RefinableHashSet: a lock that is not there yet",
        model: "refinable_hash_set",
        property: Property::MemorySafe,
        instance: Instance { values: 3, ..SMALL },
        cause: "`resize` publishes the new array of locks before it fills the array. A thread that saw no owner \
                before the resize takes its lock from the new array, and reads null.",
    },
    Case {
        title: "4. LockFreeHashSet: two threads remove one item",
        model: "lock_free_hash_set",
        property: Property::SequentiallyConsistent,
        instance: Instance { values: 3, ..SMALL },
        cause: "`remove` sets the mark by an operation that also succeeds on a mark that is already set. So two \
                threads that found the item both report that they removed it.",
    },
    Case {
        title: "5. StripedCuckooHashSet: a place that is not there yet",
        model: "striped_cuckoo_hash_set",
        property: Property::MemorySafe,
        instance: Instance { preadds: 2, values: 4, ..SMALL },
        cause: "`resize` publishes new tables and fills them afterwards, under all locks. `relocate` reads the \
                tables before it takes a lock, and may read a place that is still null.",
    },
    Case {
        title: "6. StripedCuckooHashSet: a resize that ends in the next one",
        model: "striped_cuckoo_hash_set",
        property: Property::Terminating,
        instance: Instance {
            threads: 1,
            values: 3,
            constants: &[("HASHES", 2)],
            any_hashes: true,
            depth: Some(3),
            nodes: Some(200),
            ..SMALL
        },
        cause: "Three items with equal hash codes share their places in tables of any size. The `add` of the \
                third item calls `resize`. `resize` calls `add`, which finds no room and calls `resize`, without \
                end.",
    },
    Case {
        title: "7. FineGrainedHeap: two adders that go on for ever",
        model: "fine_grained_heap",
        property: Property::Terminating,
        instance: Instance { preadds: 0, restrictions: PRIORITIES, ..SMALL },
        cause: "If the parent of an adder's node is still being moved, the adder unlocks both nodes and tries \
                again. The lock may go to this adder every time, so the other adder makes no progress. Fair \
                locks and a fair scheduler exclude this.",
    },
    Case {
        title: "8. FineGrainedHeap: an adder and a remover that wait for each other",
        model: "fine_grained_heap",
        property: Property::DeadlockFree,
        instance: Instance { values: 3, restrictions: PRIORITIES, ..SMALL },
        cause: "The heap has one item. An adder holds the lock of the root and waits for the lock of its new \
                node, the last one. A remover holds the lock of that node and waits for the lock of the root.",
    },
    Case {
        title: "9. SkipQueueOriginal: looking at a claimed node for ever",
        model: "skip_queue_original",
        property: Property::Terminating,
        instance: Instance { values: 1, constants: &[("TOP", 0)], ..SMALL },
        cause: "At a node that another thread has claimed, `find_and_mark_min` reads the same node again. No \
                thread ever removes a claim, so the loop does not end.",
    },
    Case {
        title: "10. SkipQueue: a better item is passed by",
        model: "skip_queue",
        property: Property::SequentiallyConsistent,
        instance: Instance {
            threads: 3,
            steps: 4,
            values: 5,
            restrictions: PRIORITIES,
            constants: &[("TOP", 0)],
            ..SMALL
        },
        cause: "A `remove_min` is at a node that another one has claimed. It does not see a better item that is \
                then added in front of this node. It takes a worse item that the same thread added later. No \
                order of the calls explains this.",
    },
    Case {
        title: "11. SimpleTree: nothing is found although an item is there",
        model: "simple_tree",
        property: Property::QuiescentlyConsistent,
        instance: Instance { steps: 3, values: 4, restrictions: PRIORITIES, ..SMALL },
        cause: "`add` fills its bin first and then increments counters on its way up. A `remove_min` in between \
                takes the new item by the lower counters. The upper counters are then too high, and send the \
                next `remove_min` past the item that is left.",
    },
];

/// The whole casebook.
pub fn print() -> Result<String, String> {
    let mut text = String::from(INTRODUCTION);
    for case in &CASES {
        text += &case.text()?;
    }
    Ok(text)
}

const INTRODUCTION: &str = "# Casebook\n\n\
    Davis and Siegel found eleven violations in *The Art of Multiprocessor Programming* with COLLECT (2025, section 5.4). For each of\n\
    them this page has a counterexample of Linchpin with the fewest steps. `cargo run --release -p tables -- casebook` writes the page,\n\
    and a test compares parts of it. The [tutorial](tutorial.md) explains how to read a counterexample.\n";

/// Columns of a drawing.
const WIDTH: usize = 110;

impl Case {
    fn text(&self) -> Result<String, String> {
        let Case { title, model, property, cause, .. } = self;
        let mut text = format!("\n## {title}\n\n");
        for line in wrapped(cause) {
            let _ = writeln!(text, "{line}");
        }
        let _ = write!(text, "\n`{}`\n\n", self.command());
        let entry = catalogue::find(model).ok_or_else(|| format!("the catalogue has no `{model}`"))?;
        let request = self.request();
        let budget = Budget { time: None, memory: None, stop: Default::default(), memory_in_use: || None };
        let findings = check(entry, &request, &budget, &mut Silent)
            .map_err(|_| format!("`{model}` cannot be checked"))?;
        let finding = findings.first().ok_or("nothing was judged")?;
        match finding.verdict() {
            Verdict::Violated(counterexample) => {
                let setting = request.largest().map(|size| size.setting).unwrap_or_default();
                let compiled = entry.compile(&setting).map_err(|_| format!("`{model}` has errors"))?;
                let drawing = plain::counterexample(&compiled.sources, counterexample, WIDTH);
                let _ = write!(text, "```text\n{}\n```\n", drawing.trim_end());
            }
            Verdict::Unknown(limit) => {
                let _ = writeln!(text, "Not shown: {limit}.");
            }
            Verdict::Holds => return Err(format!("`{property}` holds of `{model}`")),
        }
        Ok(text)
    }

    fn request(&self) -> Request {
        let Instance { threads, steps, preadds, values, constants, any_hashes, depth, nodes, .. } =
            self.instance;
        let restrictions = self.instance.restrictions.to_vec();
        let constants: BTreeMap<_, _> =
            constants.iter().map(|(name, value)| ((*name).to_string(), *value..=*value)).collect();
        let base = Request::default();
        Request {
            threads: threads..=threads,
            nodes: nodes.map(|nodes| nodes..=nodes),
            values: values..=values,
            keys: values..=values,
            client: ClientRequest::Schedules {
                steps: steps..=steps,
                preadds: preadds..=preadds,
                restrictions,
            },
            constants,
            any_hashes,
            depth: depth.unwrap_or(base.depth),
            properties: vec![self.property],
            jobs: cores(),
            ..base
        }
    }

    /// Formats the instance.
    fn command(&self) -> String {
        let Instance { threads, steps, preadds, values, constants, any_hashes, depth, nodes, .. } =
            self.instance;
        let mut text = format!("{}: {}, {}", self.model, count(threads, "thread"), count(steps, "call"));
        if preadds > 0 {
            let _ = write!(text, " after {}", count(preadds, "pre-add"));
        }
        let _ = write!(text, ", {}", count(values, "value"));
        constants.iter().for_each(|(name, value)| {
            let _ = write!(text, ", {name} = {value}");
        });
        if any_hashes {
            text += ", any hash functions";
        }
        if let Some(depth) = depth {
            let _ = write!(text, ", calls nested {depth} deep");
        }
        if let Some(nodes) = nodes {
            let _ = write!(text, ", {nodes} nodes");
        }
        let _ = write!(text, "; {} is violated", self.property);
        text
    }
}

fn count(number: u32, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Lines of a paragraph.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().filter(|line| line.len() + word.len() < WIDTH);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases that are found quickly.
    const QUICK: [usize; 7] = [1, 2, 3, 4, 8, 9, 11];
    const CASEBOOK: &str = include_str!("../../../../docs/casebook.md");

    #[test]
    fn the_quick_cases_are_not_stale() {
        for case in QUICK.iter().map(|number| &CASES[number - 1]) {
            let text = case.text().expect("a counterexample");
            assert!(text.contains("```text"), "{}: {text}", case.title);
            assert!(
                CASEBOOK.contains(&text),
                "{} is not as docs/casebook.md has it: `cargo run --release -p tables -- casebook`",
                case.title
            );
        }
    }
}
