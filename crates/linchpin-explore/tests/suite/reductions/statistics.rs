//! What random objects were like: how many hold, what others violate, how large they are, where reductions
//! reduced.

use crate::reductions::agree::{Comparison, PARTIAL_ORDER, SYMMETRY, Said, Variant};
use crate::reductions::objects::{Object, Size};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

#[derive(Default)]
pub struct Statistics {
    rows: BTreeMap<(&'static str, Size), Row>,
    /// By question: how often it was asked, how often that was too large, and the time it took.
    questions: BTreeMap<&'static str, (usize, usize, Duration)>,
    /// Plain states and seed of each object.
    sizes: Vec<(u64, u64)>,
}

/// Counts of objects.
#[derive(Clone, Default)]
struct Row {
    objects: usize,
    /// Every property holds.
    held: usize,
    violated: usize,
    /// By what is not as it should be.
    faults: BTreeMap<String, usize>,
    points_refuted: usize,
    fewer_by_symmetry: usize,
    fewer_by_partial_order: usize,
    too_large: usize,
    states: u64,
    time: Duration,
}

impl Statistics {
    /// `everything` is asked first and once of each object: that is what counts for its verdicts and its
    /// size.
    pub fn add(&mut self, object: &Object, question: &'static str, comparison: &Comparison, time: Duration) {
        let plain = comparison.plain();
        let asked = self.questions.entry(question).or_default();
        *asked = (asked.0 + 1, asked.1 + usize::from(plain.gave_up()), asked.2 + time);
        let row = self.rows.entry((object.family, object.size)).or_default();
        row.time += time;
        match question {
            "everything" => {
                row.add(comparison);
                self.sizes.push((plain.states, object.seed));
            }
            "points" => {
                row.points_refuted += usize::from(matches!(plain.said.last(), Some((_, Said::Violated(_)))))
            }
            _ => {}
        }
    }

    /// The objects tell something: enough of them hold, enough do not, enough are reduced, few are too large.
    pub fn judge(&self) {
        let total = self.total();
        let a_fifth = total.objects.div_ceil(5);
        assert!(total.held >= a_fifth, "too few hold\n{self}");
        assert!(total.violated >= a_fifth, "too few violate anything\n{self}");
        assert!(total.fewer_by_symmetry >= a_fifth, "symmetry does too little\n{self}");
        assert!(total.fewer_by_partial_order >= a_fifth, "partial order does too little\n{self}");
        assert!(total.too_large * 10 <= total.objects, "too many are too large\n{self}");
    }

    fn total(&self) -> Row {
        let mut total = Row::default();
        for row in self.rows.values() {
            total.objects += row.objects;
            total.held += row.held;
            total.violated += row.violated;
            total.points_refuted += row.points_refuted;
            total.fewer_by_symmetry += row.fewer_by_symmetry;
            total.fewer_by_partial_order += row.fewer_by_partial_order;
            total.too_large += row.too_large;
            total.states += row.states;
            total.time += row.time;
            for (fault, count) in &row.faults {
                *total.faults.entry(fault.clone()).or_default() += count;
            }
        }
        total
    }
}

impl Row {
    fn add(&mut self, comparison: &Comparison) {
        let plain = comparison.plain();
        let is_violated = |said: &Said| matches!(said, Said::Violated(_));
        self.objects += 1;
        self.states += plain.states;
        self.held += usize::from(plain.said.iter().all(|(_, said)| *said == Said::Holds));
        self.violated += usize::from(plain.said.iter().any(|(_, said)| is_violated(said)));
        self.too_large += usize::from(plain.gave_up());
        for (property, said) in &plain.said {
            match said {
                Said::Violated(_) => *self.faults.entry(property.clone()).or_default() += 1,
                Said::Unknown(_) => *self.faults.entry(format!("{property} unknown")).or_default() += 1,
                Said::Holds | Said::GaveUp => {}
            }
        }
        let is_fewer = |variant: Variant| {
            comparison.answer_of(variant).is_some_and(|answer| answer.states < plain.states)
        };
        self.fewer_by_symmetry += usize::from(is_fewer(SYMMETRY));
        self.fewer_by_partial_order += usize::from(is_fewer(PARTIAL_ORDER));
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { objects, held, violated, points_refuted, too_large, .. } = self;
        let Row { fewer_by_symmetry: symmetry, fewer_by_partial_order: order, faults, .. } = self;
        let states = self.states / (*objects).max(1) as u64;
        let seconds = self.time.as_secs_f64();
        write!(
            f,
            "{objects:5} {held:5} {violated:5} {points_refuted:5} {symmetry:5} {order:5} {too_large:5}"
        )?;
        write!(f, " {states:7} {seconds:8.2}  ")?;
        let faults: Vec<String> = faults.iter().map(|(fault, count)| format!("{fault} {count}")).collect();
        f.write_str(&faults.join(", "))
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = "count  held wrong point   sym  part large  states  seconds";
        writeln!(f, "{:28}{heads}", "family, size")?;
        for ((family, (threads, nodes, values)), row) in &self.rows {
            writeln!(f, "{:28}{row}", format!("{family} {threads} {nodes} {values}"))?;
        }
        writeln!(f, "{:28}{}", "all", self.total())?;
        for (question, (asked, too_large, time)) in &self.questions {
            writeln!(f, "{question}: asked {asked}, too large {too_large}, {:.1} s", time.as_secs_f64())?;
        }
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        let largest: Vec<String> =
            sizes.iter().take(10).map(|(states, seed)| format!("{seed} ({states})")).collect();
        writeln!(f, "largest seeds: {}", largest.join(", "))
    }
}
