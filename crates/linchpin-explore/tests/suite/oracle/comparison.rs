//! The engine beside the oracle: verdicts counted, differences kept with what they are about.

use crate::oracle::judging::{ENDLESS, Judged, Reason, judged};
use crate::reductions::endless::Expected;
use crate::reductions::model::complaint;
use linchpin_engine::model::Model;
use linchpin_engine::stop::Stop;
use linchpin_engine::verdict::{Finding, Limit, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Reductions, Request, check};
use linchpin_ir::property::Property;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What was compared.
#[derive(Default)]
pub struct Tally {
    objects: usize,
    without_room: usize,
    verdicts: BTreeMap<(Property, Expected), usize>,
    /// By cause: how many, and the first few.
    differences: BTreeMap<&'static str, (usize, Vec<String>)>,
}

/// Differences of a cause that are shown.
const SHOWN: usize = 10;

/// Time for one search. So long that a machine that is busy with other work makes no verdict unknown.
const FOR_ONE_SEARCH: Duration = Duration::from_secs(1800);

impl Tally {
    /// Asks everything of a scope, in the plain way and with every reduction.
    pub fn compare(&mut self, name: &str, model: &dyn Model, request: &Request) {
        let Some(judged) = judged(model, request) else {
            self.without_room += 1;
            return;
        };
        self.objects += 1;
        for (reductions, jobs) in [(Reductions::NONE, 1), (Reductions::ALL, 2)] {
            let request = Request { reductions, jobs, ..request.clone() };
            let safety = Request { properties: judged.properties.clone(), ..request.clone() };
            for finding in findings(model, &safety) {
                let property = finding.property();
                let expected = judged.said_of(property);
                self.note(name, &safety, &judged, (property, false), expected, &finding);
            }
            for fair in [false, true] {
                let request = Request { fair, properties: ENDLESS.to_vec(), ..request.clone() };
                for finding in findings(model, &request) {
                    let asked = (finding.property(), fair);
                    self.note(name, &request, &judged, asked, judged.endless[&asked], &finding);
                }
            }
        }
    }

    fn note(
        &mut self,
        name: &str,
        request: &Request,
        judged: &Judged,
        (property, fair): (Property, bool),
        expected: Expected,
        finding: &Finding,
    ) {
        *self.verdicts.entry((property, expected)).or_default() += 1;
        let said = match finding.verdict() {
            Verdict::Holds | Verdict::Unknown(Limit::Vacuous(_)) => Some(Expected::Holds),
            Verdict::Violated(_) => Some(Expected::Violated),
            Verdict::Unknown(Limit::Depth(_)) => Some(Expected::Unknown),
            Verdict::Unknown(_) => None,
        };
        if said == Some(expected) {
            return;
        }
        let reasons = judged.reasons.get(&property).cloned().unwrap_or_default();
        let cause = match property {
            _ if request.spurious => "14: spurious wake-ups",
            _ if expected == Expected::Unknown || said == Some(Expected::Unknown) => "16: recursion",
            property if ENDLESS.contains(&property) => "15: fairness with schedules",
            _ if reasons.contains(&Reason::Blocked) => "1: stuck in a schedule",
            _ if reasons.contains(&Reason::Spinning) && !reasons.contains(&Reason::Results) => "10: spinning",
            Property::QuiescentlyConsistent | Property::BarrierConsistent => "2: `me` in specifications",
            _ => "others",
        };
        let entry = self.differences.entry(cause).or_default();
        entry.0 += 1;
        if entry.1.len() < SHOWN {
            let verdict = match finding.verdict() {
                Verdict::Unknown(limit) => format!("unknown ({limit})"),
                verdict => verdict.as_str().to_string(),
            };
            entry.1.push(format!(
                "{property}, fair {fair}: {verdict}, by definition {expected:?} {reasons:?}\n{request:?}\n{name}"
            ));
        }
    }

    /// Prints the counts; no difference is allowed.
    pub fn judge(&self, least: usize) {
        let Tally { objects, without_room, verdicts, differences } = self;
        let compared: usize = verdicts.values().sum();
        let different: usize = differences.values().map(|(count, _)| count).sum();
        println!("{objects} scopes ({without_room} too large), {compared} verdicts, {different} differences");
        for ((property, expected), count) in verdicts {
            println!("  {property} {expected:?}: {count}");
        }
        for (cause, (count, _)) in differences {
            println!("  {count} differences of cause {cause}");
        }
        let shown: Vec<String> = differences
            .iter()
            .flat_map(|(cause, (_, texts))| texts.iter().map(move |text| format!("{cause}: {text}")))
            .collect();
        assert_eq!(different, 0, "{}", shown.join("\n\n"));
        assert!(*objects >= least, "only {objects} scopes had room");
    }
}

fn findings(model: &dyn Model, request: &Request) -> Vec<Finding> {
    let budget = Budget {
        time: Some(FOR_ONE_SEARCH),
        memory: None,
        stop: Arc::new(Stop::default()),
        memory_in_use: || None,
    };
    if request.properties.is_empty() {
        return Vec::new();
    }
    check(model, request, &budget, &mut Silent)
        .unwrap_or_else(|problem| panic!("the question has no answer:\n{}", complaint(&problem)))
}
