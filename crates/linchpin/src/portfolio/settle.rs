//! Alarms are settled: what the prover could not exclude is looked for in instances that grow from the smallest, with the annotated points
//! judged too. Either there is an execution, or the alarm stands open.

use super::{Attempt, Proving, Unsettled, not_proved};
use crate::engine::{Budget, Listener};
use crate::explore::Uncheckable;
use crate::hunt::{Hunted, hunt_for};
use crate::prove::pairs::Story;
use linchpin_core::verdict::{Annotation, Effort, Finding, Limit, Property, Verdict};

impl Attempt<'_> {
    /// What is known of the property after an alarm.
    pub(super) fn settle(
        &self,
        property: Property,
        story: Story,
        effort: Effort,
        proving: &mut Proving,
        listener: &mut dyn Listener,
    ) -> Result<Finding, Uncheckable> {
        let limit = Limit::Unconfirmed(format!("it is not excluded that {}", story.alarm.kind.text()));
        let Some(settling) = self.settling else {
            proving.alarms.push(Unsettled { property, story, searched: None });
            return Ok(not_proved(property, effort, limit));
        };
        let left = self.left();
        let time = left.time.map_or(settling, |time| time.min(settling));
        let budget = Budget { time: Some(time), ..left };
        let by_points = property == Property::Linearizable;
        let hunted = hunt_for(self.model, &[property], by_points, &budget, listener)?;
        let shown = hunted.findings.iter().find(|finding| {
            let is_refuted = matches!(finding.annotation, Some(Annotation::Refuted(_)));
            finding.property() == property
                && (matches!(finding.verdict(), Verdict::Violated(_)) || is_refuted)
        });
        if let Some(finding) = shown {
            return Ok(finding.clone());
        }
        proving.alarms.push(Unsettled { property, story, searched: searched(&hunted) });
        Ok(not_proved(property, effort, limit))
    }
}

/// The largest instance that was finished.
fn searched(hunted: &Hunted) -> Option<String> {
    let bounds = &hunted.scope.as_ref()?.bounds;
    let count = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let parts = [count(bounds.threads, "thread"), count(bounds.nodes, "node"), count(bounds.values, "value")];
    Some(parts.join(", "))
}
