//! The bounded engine from outside: what the catalogue expects, what is known, and the same answers from
//! explorers and monitors that are written in the plainest way.

mod all_schedules;
mod as_collect_judges;
mod budgets;
mod catalogue;
mod counts;
mod facts;
mod histories;
mod hunting;
mod keep_going;
mod lassos;
mod monitor;
mod monitor_at_ends;
mod naive;
mod observing;
mod orbits;
mod points;
mod preempting;
mod progress;
mod pruning;
mod random_events;
mod scheduling;
mod spinning;
mod spinning_ends;
mod states;
mod stuck_anywhere;
mod support;
mod switches;
mod witness;
mod workers;
