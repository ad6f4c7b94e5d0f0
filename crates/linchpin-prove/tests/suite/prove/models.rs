//! The catalogue: its `prove pairs` blocks hold. If a `check` block expects a violation, the property is not
//! proved.
//!
//! A model with wrong points is not proved linearizable: the proof would use these points, or show that the
//! annotation means other points.

use crate::prove::{Text, proved, proving};
use linchpin_engine::model::Model;
use linchpin_engine::verdict::{Expectation, Finding, Limit, Verdict};
use linchpin_explore::Request;
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::{PROPERTIES, wanted};
use std::time::Duration;

/// Proved in minutes where nothing is optimised.
pub const SLOW: [&str; 1] = ["ms_queue_tagged"];

/// Models with a `prove pairs` block.
pub fn provable() -> impl Iterator<Item = &'static str> {
    let has_block = |name: &&str| {
        let compiled = Text::of_catalogue(name).compile(&Setting::default());
        compiled.is_ok_and(|compiled| compiled.program.proofs.iter().any(|proof| &*proof.method == "pairs"))
    };
    catalogue::entries().iter().map(|entry| entry.name).filter(has_block)
}

fn is_proved(name: &str) -> Result<(), String> {
    let model = Text::of_catalogue(name);
    let attempt = proving(&model, None, None);
    let wanted = wanted(&attempt.compiled.program);
    let missing: Vec<String> = attempt
        .findings
        .iter()
        .filter(|finding| {
            wanted.contains(&finding.property()) && !proved(&attempt).contains(&finding.property())
        })
        .map(|finding| format!("{name}: {} is {:?}", finding.property(), finding.verdict()))
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(missing.join("\n")) }
}

#[test]
fn what_the_catalogue_says_is_proved() {
    let names: Vec<&str> = provable().filter(|name| !SLOW.contains(name)).collect();
    assert!(names.len() > 8, "there should be more of them: {names:?}");
    let wrong: Vec<String> = names.iter().filter_map(|name| is_proved(name).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn long_what_the_catalogue_says_is_proved_slowly() {
    if std::env::var_os("LINCHPIN_LONG_TESTS").is_none() {
        return;
    }
    for name in SLOW {
        assert_eq!(is_proved(name), Ok(()));
    }
}

#[test]
fn what_is_violated_is_never_proved() {
    let mut tried = 0;
    for entry in catalogue::entries() {
        let model = Text::of_catalogue(entry.name);
        let Ok(compiled) = model.compile(&Setting::default()) else { continue };
        let expectations: Vec<_> =
            compiled.program.checks.iter().flat_map(|check| Request::of_check(check).1).collect();
        let violated: Vec<Property> = PROPERTIES
            .into_iter()
            .filter(|property| {
                let is_wrong = |e: &Expectation| e.violated || e.points_violated == Some(true);
                expectations.iter().any(|e| e.property == *property && is_wrong(e))
            })
            .collect();
        if violated.is_empty() {
            continue;
        }
        let attempt = proving(&model, Some(&violated), Some(Duration::from_secs(300)));
        let is_wrong = |property: &Property| violated.contains(property);
        assert!(!proved(&attempt).iter().any(is_wrong), "{} is wrong", entry.name);
        let is_cut = |finding: &Finding| matches!(finding.verdict(), Verdict::Unknown(Limit::Time(_)));
        assert!(!attempt.findings.iter().any(is_cut), "{} was not analysed to its end", entry.name);
        tried += usize::from(attempt.refusals.is_empty());
    }
    assert!(tried > 5, "only {tried} wrong models are taken at all");
}

/// A `cas` that fails changes nothing that another thread sees. The point behind it does: the observers move.
/// The threads that wait have pointers, and the `cas` may fail or not. So no step is replayed from a pair.
#[test]
fn a_point_behind_a_failed_cas_is_seen_by_every_thread() {
    let model = Text::new("point_behind_a_failed_cas", POINT_BEHIND_A_FAILED_CAS);
    let attempt = proving(&model, Some(&[Property::Linearizable]), None);
    assert!(proved(&attempt).contains(&Property::Linearizable), "{:?}", attempt.findings[0].verdict());
}

const POINT_BEHIND_A_FAILED_CAS: &str = "\
object PointBehindAFailedCas: Stack;
memory gc;
struct Node { val: data, next: *Node }
shared head: *Node;
shared last: *Node;
shared guard: lock;
op push(v: data) {
    let n = new Node { val: v };
    last = n;
    guard.lock();
    n.next = head;
    cas(last, n, n);
    lin;
    head = n;
    guard.unlock();
}
op pop() -> data? {
    guard.lock();
    defer guard.unlock();
    let top = head;
    lin if top == null;
    if top == null { return none; }
    let v = top.val;
    lin;
    head = top.next;
    return v;
}
";
