//! Every `check` block of the catalogue: what its author expects is what comes out.

use crate::support::{Text, findings, seconds};
use linchpin::catalogue::entries;
use linchpin::explore::{ALWAYS, Request};
use linchpin_core::typing::Setting;
use linchpin_core::verdict::{Limit, Verdict};

/// For each block; each takes a small part of that.
const SECONDS: u64 = 30;

#[test]
fn what_check_blocks_expect_comes_out() {
    let mut surprises = Vec::new();
    let (mut judged, mut not_judged) = (0, 0);
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
                match (finding.verdict(), expectation.violated) {
                    (Verdict::Holds, false) | (Verdict::Violated(_), true) => judged += 1,
                    (Verdict::Unknown(Limit::NotSupported(_)), _) => not_judged += 1,
                    (verdict, _) => {
                        let said = match verdict {
                            Verdict::Unknown(limit) => format!("unknown: {limit}"),
                            other => other.as_str().to_string(),
                        };
                        let property = expectation.property;
                        surprises.push(format!("{} {number} {property}: {said}", entry.name));
                    }
                }
            }
        }
    }
    println!("{judged} expectations came out, {not_judged} are not judged yet");
    assert!(surprises.is_empty(), "{} surprises\n{}", surprises.len(), surprises.join("\n"));
    assert!(judged > 3 * entries().len(), "most expectations are judged: {judged}");
}
