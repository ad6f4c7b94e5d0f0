//! List-based sets proved for all sizes, with the figures of two other tools beside ours.
//!
//! SAS 2016: Abdulla, Jonsson and Trinh, *Automated verification of linearization policies*; the proof
//! follows annotated policies. Plankton: Meyer, Wies and Wolff; its user gives an invariant of cells. Ours
//! has no annotation. Times are those of the processor, for one thread.

use crate::edited::Edited;
use crate::observers::processor_time;
use linchpin_engine::verdict::{Finding, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_portfolio::prove;
use linchpin_report::table::{Table, TableCell};
use std::time::Duration;

/// A model, and the seconds of SAS 2016 and of Plankton; empty where there are none.
struct Published {
    structure: &'static str,
    model: &'static str,
    policies: &'static str,
    plankton: &'static str,
}

const fn row(
    structure: &'static str,
    model: &'static str,
    policies: &'static str,
    plankton: &'static str,
) -> Published {
    Published { structure, model, policies, plankton }
}

const ROWS: [Published; 9] = [
    row("one lock", "coarse_list", "", ""),
    row("lock coupling", "fine_list", "0.45 s", "46 s"),
    row("optimistic", "optimistic_list", "0.29 s", ""),
    row("lazy", "lazy_list", "6.5 s", "77 s"),
    row("lock-free, as in AMP", "lock_free_list", "20 s", "306 s"),
    row("Vechev and Yahav, cas", "vechev_yahav_set", "", "54 s"),
    row("Vechev and Yahav, dcas", "vechev_yahav_set_dcas", "", "125 s"),
    row("Michael", "michael_list", "", ""),
    row("Harris", "harris_list", "52 s", "1378 s"),
];

/// The longest that one row may take.
const TIME: Duration = Duration::from_secs(600);

pub fn print() -> Result<String, String> {
    let budget = Budget { time: Some(TIME), memory: None, stop: Default::default(), memory_in_use: || None };
    let mut table = Table::new(["", "ours", "views", "proof", "check", "gate", "SAS 2016", "Plankton"]);
    for row in &ROWS {
        let model = Edited::new(row.model, None)?;
        let started = processor_time();
        let result = prove(&model, None, None, &budget, &mut Silent)
            .map_err(|_| format!("`{}` has errors", row.model))?;
        let in_all = processor_time() - started;
        // The clock measures which parts of that were the check and the gate.
        let clock = result.time.as_secs_f64().max(1e-9);
        let gate = result.compared.as_ref().map_or(0.0, |(_, time)| time.as_secs_f64());
        let check = result.certified_in.as_secs_f64();
        let part = |seconds: f64| format!("{:.2} s", in_all * seconds / clock);
        let is_proved = |finding: &Finding| matches!(finding.verdict(), Verdict::Holds);
        let proved = result.findings.iter().filter(|finding| is_proved(finding)).count();
        let ours = match result.findings.iter().find(|finding| !is_proved(finding)) {
            None => format!("{proved} properties proved"),
            Some(open) => match open.verdict() {
                Verdict::Unknown(limit) => format!("unknown: {limit}"),
                Verdict::Violated(_) | Verdict::Holds => "violated".into(),
            },
        };
        let cells = [
            row.structure.to_string(),
            ours,
            result.certificate_size().to_string(),
            part((clock - check - gate).max(0.0)),
            part(check),
            part(gate),
            row.policies.to_string(),
            row.plankton.to_string(),
        ];
        table.row(cells.map(TableCell::plain));
    }
    Ok(format!("List-based sets: seconds, published and ours\n\n{table}"))
}
