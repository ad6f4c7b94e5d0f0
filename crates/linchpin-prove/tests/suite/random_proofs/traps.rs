//! Objects with one error that a prover may overlook, and the same objects without the error.
//!
//! A trap is a text with holes: `«right¦wrong»` is one of both, and a line `@n` is `n` unused shared
//! variables. Each trap has three tests. The wrong text is never proved. Nothing is proved of a text with a
//! fault, or with an operation that never completes. Otherwise the violated property is not proved. A search
//! of a small instance shows that the text is wrong. The right text is proved, so that a prover that refuses
//! everything does not pass.

use crate::random_proofs::judging::{Attempt, Bounds, Searched, Text, attempt, search, wrong};
use linchpin_ir::property::Property;
use linchpin_ir::property::Property::{DeadlockFree, Linearizable, MemorySafe};
use std::time::Duration;

/// The right texts are proved in a second or two where little is optimised.
const TIME: Duration = Duration::from_secs(120);
const SMALL: Bounds = Bounds { threads: 2, further_cells: 3, values: 2 };
/// For ages that count modulo a bound: there are many of them.
const SMALLER: Bounds = Bounds { threads: 2, further_cells: 2, values: 1 };

/// How a wrong text is shown to be wrong.
#[derive(Clone, Copy)]
enum Shows {
    /// Some execution violates the property.
    Violates(Property),
    /// Some operation completes in no execution.
    Idle,
    /// `init` does not end, or ends in a fault.
    InitFails,
    /// Some line is in no execution: a kind of result is never returned.
    Unreached,
}
use Shows::{Idle, InitFails, Unreached, Violates};

struct Trap {
    template: &'static str,
    /// Cells that `init` makes.
    cells: u32,
    /// Where the search looks for what is wrong.
    bounds: Bounds,
    shows: Shows,
    /// What is proved of the right text.
    proved: &'static [Property],
}

const ALL: &[Property] = &[Linearizable, MemorySafe, DeadlockFree];

impl Trap {
    /// The first alternative of each hole, or the second.
    fn text(&self, alternative: usize) -> Text {
        let mut text = String::new();
        let mut rest = self.template;
        while let Some((before, hole)) = rest.split_once('«') {
            let Some((hole, after)) = hole.split_once('»') else { panic!("an open hole: {hole}") };
            text.push_str(before);
            text.push_str(hole.split('¦').nth(alternative).unwrap_or_else(|| panic!("no choice in {hole}")));
            rest = after;
        }
        text.push_str(rest);
        let lines = text.lines().map(|line| match line.strip_prefix('@').map(str::parse::<u32>) {
            Some(Ok(count)) => (0..count).map(|number| format!("shared unused{number}: bool;\n")).collect(),
            _ => format!("{line}\n"),
        });
        Text(lines.collect())
    }

    fn right(&self) -> Text {
        self.text(0)
    }

    fn wrong(&self) -> Text {
        self.text(1)
    }

    fn searched(&self, text: &Text) -> Searched {
        let searched = search(text, self.cells, self.bounds, TIME);
        assert_eq!(searched.unjudged, [], "the search did not end");
        searched
    }

    fn right_is_proved(&self) {
        let text = self.right();
        let Attempt::Proved(proved) = attempt(&text, TIME) else {
            panic!("{:?}\n{}", attempt(&text, TIME), text.0);
        };
        assert!(self.proved.iter().all(|property| proved.contains(property)), "{proved:?}\n{}", text.0);
        let searched = self.searched(&text);
        assert_eq!(wrong(&text, &proved, &searched), None, "{searched:?}\n{}", text.0);
        let returns_everything = !matches!(self.shows, Unreached) || !searched.has_unreached_lines;
        assert!(returns_everything, "{searched:?}\n{}", text.0);
    }

    fn wrong_is_shown(&self) {
        let text = self.wrong();
        let searched = self.searched(&text);
        let is_shown = match self.shows {
            Violates(property) => searched.violates(property).is_some(),
            Idle => !searched.idle.is_empty() && !searched.init_fails,
            InitFails => searched.init_fails,
            Unreached => searched.has_unreached_lines,
        };
        assert!(is_shown, "{searched:?}\n{}", text.0);
    }

    fn wrong_is_not_proved(&self) {
        let text = self.wrong();
        let Attempt::Proved(proved) = attempt(&text, TIME) else { return };
        let may_be_proved = |property: &Property| match self.shows {
            // Other properties cover executions up to the first fault.
            Violates(violated) => *property != violated,
            Idle | InitFails | Unreached => false,
        };
        assert!(proved.iter().all(may_be_proved), "{proved:?} proved of\n{}", text.0);
    }
}

/// Three tests of each trap.
macro_rules! traps {
    ($($name:ident: $cells:literal, $bounds:expr, $shows:expr, $proved:expr;)*) => {
        $(
            mod $name {
                use super::*;

                const TRAP: Trap = Trap {
                    template: include_str!(concat!("traps/", stringify!($name), ".txt")),
                    cells: $cells,
                    bounds: $bounds,
                    shows: $shows,
                    proved: $proved,
                };

                #[test]
                fn wrong_is_not_proved() {
                    TRAP.wrong_is_not_proved();
                }

                #[test]
                fn wrong_is_shown() {
                    TRAP.wrong_is_shown();
                }

                #[test]
                fn right_is_proved() {
                    TRAP.right_is_proved();
                }
            }
        )*
    };
}

traps! {
    // An age is stepped from an older copy than the one that the `cas` expects, or that copy is put back.
    age_older_plus_one: 0, SMALL, Violates(MemorySafe), ALL;
    age_older_put_back: 0, SMALL, Violates(MemorySafe), ALL;
    age_older_put_back_in_a_pool: 0, SMALLER, Violates(MemorySafe), ALL;
    // The home of an age is its part of the word, not the word.
    age_of_another_part: 0, SMALL, Violates(Linearizable), ALL;
    age_of_another_part_in_a_pool: 0, SMALL, Violates(MemorySafe), ALL;
    // What `cmpxchg` found is current only if nothing was written.
    age_after_cmpxchg: 0, SMALL, Violates(Linearizable), ALL;
    age_after_cmpxchg_in_a_pool: 0, SMALL, Violates(MemorySafe), ALL;
    // Variable 256 is not variable 0.
    variable_256_has_ages: 0, SMALL, Violates(Linearizable), ALL;
    variable_256_is_compared: 0, SMALL, Violates(Linearizable), ALL;
    // Values that were never written.
    // Copies of the undefined in cells are not followed: `memory-safe` stays open.
    undefined_after_two_hops: 3, SMALL, Violates(MemorySafe), &[Linearizable, DeadlockFree];
    undefined_after_two_hops_in_push: 0, SMALL, Violates(MemorySafe), &[MemorySafe];
    undefined_key_compared: 1, SMALL, Violates(MemorySafe), ALL;
    undefined_key_in_cas: 1, SMALL, Violates(MemorySafe), ALL;
    undefined_label_compared: 1, SMALL, Violates(MemorySafe), ALL;
    // Faults are not assumed away.
    fault_assert: 0, SMALL, Violates(Property::Assertions), ALL;
    fault_assert_for_a_null_check: 0, SMALL, Violates(Property::Assertions), ALL;
    fault_index: 0, SMALL, Violates(Property::Assertions), ALL;
    fault_range: 0, SMALL, Violates(Property::Assertions), ALL;
    fault_range_of_a_local: 0, SMALL, Violates(Property::Assertions), ALL;
    fault_unlock_twice: 0, SMALL, Violates(Property::Assertions), ALL;
    fault_unlock_of_another: 0, SMALL, Violates(Property::Assertions), ALL;
    fault_local_loop: 0, SMALL, Violates(Property::Assertions), ALL;
    // Proofs of nothing.
    vacuous_pop_faults: 0, SMALL, Idle, ALL;
    vacuous_pop_never_returns: 0, SMALL, Idle, ALL;
    vacuous_pop_assumes: 0, SMALL, Idle, ALL;
    vacuous_pop_spins_on_a_lock: 0, SMALL, Idle, ALL;
    vacuous_result: 0, SMALL, Unreached, ALL;
    vacuous_init_assumes: 0, SMALL, Idle, ALL;
    vacuous_init_faults: 0, SMALL, InitFails, ALL;
    vacuous_init_reads_null: 1, SMALL, InitFails, ALL;
    vacuous_init_never_ends: 0, SMALL, InitFails, ALL;
}
