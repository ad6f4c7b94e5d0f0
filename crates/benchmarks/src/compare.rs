//! The comparison: both programs on each instance, in one run, and how many times less Linchpin needs.

use crate::instance::{INSTANCES, Instance, Wanted};
use crate::measure::Cost;
use crate::pan::{Outcome, Verdict};
use crate::product::{self, Answer};
use crate::spin::{Grain, Search};
use std::path::Path;

/// One program on one instance.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Effort {
    states: u64,
    cost: Cost,
}

/// Each program runs `times` times, and its least disturbed run counts.
pub fn run(binary: &Path, only: Option<&str>, times: u32, mut print: impl FnMut(&str)) -> Result<(), String> {
    let chosen: Vec<&Instance> = INSTANCES
        .iter()
        .filter(|instance| only.is_none_or(|part| instance.to_string().contains(part)))
        .collect();
    if chosen.is_empty() {
        let names: Vec<String> = INSTANCES.iter().map(|instance| format!("  {instance}")).collect();
        return Err(format!("no instance has that in its name; there are\n{}", names.join("\n")));
    }
    for instance in chosen {
        print(&format!("\n{instance}"));
        let mut best_of_spin = None;
        for search in instance.searches() {
            let effort = spin(search, times)?;
            print(&row(program(search.grain), effort));
            print(&format!(
                "{:14}pan: gcc {}; {}",
                "",
                search.compile_options().join(" "),
                search.run_options().join(" ")
            ));
            best_of_spin = best_of_spin.or(Some(effort));
        }
        match (linchpin(binary, instance, times)?, best_of_spin) {
            (Ok(ours), Some(theirs)) => {
                print(&row("Linchpin", ours));
                print(&ratios(theirs, ours));
                objections(theirs, ours, instance.wanted).iter().for_each(|objection| print(objection));
            }
            (Ok(ours), None) => print(&row("Linchpin", ours)),
            (Err(why), _) => print(&format!("  {:12}no verdict: {why}", "Linchpin")),
        }
    }
    Ok(())
}

fn program(grain: Grain) -> &'static str {
    match grain {
        Grain::Fused => "Spin",
        Grain::Accesses => "Spin, fine",
    }
}

fn spin(search: Search, times: u32) -> Result<Effort, String> {
    let verifier = search.compile()?;
    let runs: Vec<(Outcome, Cost)> = (0..times.max(1)).map(|_| verifier.run()).collect::<Result<_, _>>()?;
    if let Some((outcome, _)) = runs.iter().find(|(outcome, _)| outcome.verdict != Verdict::Holds) {
        return Err(format!("Spin did not verify this instance: {:?}", outcome.verdict));
    }
    if let Some((outcome, _)) = runs.iter().find(|(outcome, _)| !outcome.unreached.is_empty()) {
        return Err(format!("the Promela model has dead code: {}", outcome.unreached.join("; ")));
    }
    let states = runs.first().map_or(0, |(outcome, _)| outcome.states);
    least(states, runs.into_iter().map(|(_, cost)| cost))
}

/// The inner error: Linchpin has no verdict.
fn linchpin(binary: &Path, instance: &Instance, times: u32) -> Result<Result<Effort, String>, String> {
    let mut costs = Vec::new();
    let mut found = 0;
    for _ in 0..times.max(1) {
        match product::check(binary, instance)? {
            (Answer::Holds { states, .. }, cost) => {
                found = states;
                costs.push(cost);
            }
            (Answer::Violated, _) => return Err(format!("Linchpin and Spin disagree about {instance}")),
            (Answer::Unknown(why), _) => return Ok(Err(why)),
        }
    }
    least(found, costs).map(Ok)
}

fn least(states: u64, costs: impl IntoIterator<Item = Cost>) -> Result<Effort, String> {
    Cost::least(costs).map(|cost| Effort { states, cost }).ok_or_else(|| "nothing was run".to_owned())
}

fn row(name: &str, effort: Effort) -> String {
    let mib = effort.cost.peak_bytes as f64 / f64::from(1 << 20);
    format!(
        "  {name:12}{:>12} states {:>9.2} s CPU {mib:>9.1} MiB",
        grouped(effort.states),
        effort.cost.cpu.as_secs_f64()
    )
}

fn ratios(theirs: Effort, ours: Effort) -> String {
    let [states, cpu, memory] = times_less(theirs, ours).map(|ratio| format!("{ratio:.1}x"));
    format!("  {:12}{states:>12} states {cpu:>11} CPU {memory:>13}", "ratio")
}

/// States, CPU, memory.
fn times_less(theirs: Effort, ours: Effort) -> [f64; 3] {
    let ratio = |theirs: f64, ours: f64| theirs / ours.max(f64::MIN_POSITIVE);
    [
        ratio(theirs.states as f64, ours.states as f64),
        ratio(theirs.cost.cpu.as_secs_f64(), ours.cost.cpu.as_secs_f64()),
        ratio(theirs.cost.peak_bytes as f64, ours.cost.peak_bytes as f64),
    ]
}

fn objections(theirs: Effort, ours: Effort, wanted: Wanted) -> Vec<String> {
    let [states, cpu, _] = times_less(theirs, ours);
    let short = |found: f64, wanted: Option<f64>, of: &str| {
        wanted
            .filter(|wanted| found < *wanted)
            .map(|wanted| format!("  MISSED: {wanted} times less {of} is wanted"))
    };
    let large = wanted
        .states_of_spin
        .filter(|most| theirs.states > *most)
        .map(|most| format!("  UNFAIR: a good Promela model needs at most {} states", grouped(most)));
    [short(states, wanted.states, "states"), short(cpu, wanted.cpu, "CPU"), large]
        .into_iter()
        .flatten()
        .collect()
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn effort(states: u64, millis: u64, mib: u64) -> Effort {
        Effort { states, cost: Cost { cpu: Duration::from_millis(millis), peak_bytes: mib << 20 } }
    }

    const WANTED: Wanted = Wanted { states: Some(100.0), cpu: Some(20.0), states_of_spin: Some(7_100_000) };

    #[test]
    fn ratios_say_how_many_times_less_we_need() {
        assert_eq!(times_less(effort(1000, 6000, 50), effort(10, 200, 25)), [100.0, 30.0, 2.0]);
        let line = ratios(effort(1000, 6000, 50), effort(10, 200, 25));
        assert!(line.contains("100.0x") && line.contains("30.0x") && line.contains("2.0x"), "{line}");
    }

    #[test]
    fn what_was_wanted_and_is_not_there_is_said() {
        let ours = effort(10_000, 200, 25);
        assert_eq!(objections(effort(1_000_000, 4000, 50), ours, WANTED), [""; 0]);
        assert_eq!(objections(effort(999_999, 4000, 50), ours, WANTED).len(), 1);
        assert_eq!(objections(effort(999_999, 3999, 50), ours, WANTED).len(), 2);
        assert!(objections(effort(7_100_001, 4000, 50), ours, WANTED)[0].contains("7,100,000"));
    }

    #[test]
    fn digits_come_in_threes() {
        assert_eq!(
            ["7", "999", "1,000", "4,653,895"],
            [7, 999, 1000, 4_653_895].map(grouped).each_ref().map(String::as_str)
        );
    }
}
