//! Every `check` block of the catalogue: verdicts meet the expectations.

use crate::engine::support::{Text, findings, seconds};
use linchpin_engine::verdict::{Finding, Limit, Match, Verdict};
use linchpin_explore::{ALWAYS, Request};
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue::{Group, entries};

/// For each block; each takes a small part of that.
const SECONDS: u64 = 30;

#[test]
fn what_check_blocks_expect_comes_out() {
    let mut surprises = Vec::new();
    let (mut judged, mut not_judged, mut judged_points) = (0, 0, 0);
    for entry in entries() {
        let model = Text::of(entry.name);
        let checks = model.compiled(&Setting::default()).program.checks.clone();
        assert!(!checks.is_empty(), "{} expects nothing", entry.name);
        for (number, block) in checks.iter().enumerate() {
            let (request, expectations) = Request::of_check(block);
            assert!(ALWAYS.iter().all(|always| request.properties.contains(always)));
            let findings = findings(&model, &request, &seconds(SECONDS));
            assert_eq!(findings.len(), expectations.len());
            for (finding, expectation) in findings.iter().zip(&expectations) {
                assert_eq!(finding.property(), expectation.property);
                let place = format!("{} {number} {}", entry.name, expectation.property);
                let is = expectation.judge(finding);
                match (is.verdict, finding.verdict()) {
                    (Match::AsExpected, _) => judged += 1,
                    (_, Verdict::Unknown(Limit::NotSupported(_))) => not_judged += 1,
                    _ => surprises.push(format!("{place}: {}", said(finding))),
                }
                match is.points {
                    Some(Match::AsExpected) => judged_points += 1,
                    None if !is.is_surprised_by_points(finding) => {}
                    _ => surprises.push(format!("{place}, points refuted: {:?}", finding.points_refuted())),
                }
            }
        }
    }
    println!("{judged} expectations came out and {judged_points} of points, {not_judged} are not judged yet");
    assert!(surprises.is_empty(), "{} surprises\n{}", surprises.len(), surprises.join("\n"));
    assert!(judged > 3 * entries().len(), "most expectations are judged: {judged}");
    assert!(judged_points >= 7, "some models expect something of their points: {judged_points}");
}

fn said(finding: &Finding) -> String {
    match finding.verdict() {
        Verdict::Unknown(limit) => format!("unknown: {limit}"),
        other => other.as_str().to_string(),
    }
}

/// Progress properties are not required: a correct object may have locks.
const PROGRESS: [Property; 4] =
    [Property::LockFree, Property::WaitFree, Property::ObstructionFree, Property::StarvationFree];

/// A wrong model expects which is wrong, the object or its points. A correct model has correct points.
#[test]
fn what_is_wrong_with_a_model_is_expected() {
    for entry in entries() {
        let checks = Text::of(entry.name).compiled(&Setting::default()).program.checks.clone();
        let expectations: Vec<_> = checks.iter().flat_map(|block| Request::of_check(block).1).collect();
        let object = expectations.iter().any(|e| e.violated && !PROGRESS.contains(&e.property));
        let points = expectations.iter().any(|e| e.points_violated == Some(true));
        match entry.group {
            Group::Wrong => assert!(object || points, "what is wrong with {}?", entry.name),
            Group::Correct => assert!(!points, "the points of {} are wrong", entry.name),
        }
    }
}
