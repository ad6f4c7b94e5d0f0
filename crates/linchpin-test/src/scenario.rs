//! Scenarios: which calls each thread makes. Smallest first, and up to the names of the threads.
//!
//! A scenario has calls *before* the threads start (the pre-adds), and a list of calls for each thread. The
//! order of scenarios is: calls of the threads, then threads, then pre-adds. So the first failure has a
//! smallest scenario.
//!
//! Threads of one role are interchangeable. So only scenarios are made in which the lists of calls descend.
//! The test compares the number with a count of all scenarios up to permutation.

use crate::object::Interface;
use crate::value::{Choices, Datum};
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};

/// An operation with the parts of its argument that are not fresh.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Variant {
    pub operation: usize,
    pub role: usize,
    /// `None` stands for a fresh value.
    pub parts: Vec<Option<Datum>>,
    /// The call may be a pre-add.
    pub adds: bool,
}

/// A call of a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Planned {
    pub variant: usize,
    pub operation: usize,
    pub parts: Vec<Datum>,
}

/// The calls of one thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub role: usize,
    pub calls: Vec<Planned>,
}

/// What a scenario does before its threads start, and in each thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Scenario {
    /// Each call with the thread whose client makes it.
    pub before: Vec<(usize, Planned)>,
    pub threads: Vec<Plan>,
}

impl Scenario {
    /// Returns the number of calls that the threads make.
    #[cfg(test)]
    pub fn calls(&self) -> usize {
        self.threads.iter().map(|plan| plan.calls.len()).sum()
    }

    pub fn roles(&self) -> Vec<usize> {
        self.threads.iter().map(|plan| plan.role).collect()
    }
}

/// The bounds of a test.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub threads: usize,
    pub calls: usize,
    pub before: RangeInclusive<usize>,
    pub keys: u32,
}

/// All scenarios of a test.
#[derive(Clone, Debug)]
pub(crate) struct Scenarios {
    pub variants: Vec<Variant>,
    /// Calls that every scenario makes first: the variant of each.
    setup: Vec<usize>,
    limits: Vec<Option<usize>>,
    bounds: Bounds,
}

/// The number of calls, threads and pre-adds of some scenarios.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    pub calls: usize,
    pub threads: usize,
    pub before: usize,
}

/// A scenario by its variants: the pre-adds, and for each thread its role and its calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Outline {
    pub before: Vec<usize>,
    pub threads: Vec<(usize, Vec<usize>)>,
}

impl Scenarios {
    /// `adds` says for each operation whether pre-adds may call it. `setup` names the calls of the set-up.
    pub fn new(
        interface: &Interface,
        adds: &dyn Fn(&str) -> bool,
        setup: &[(String, usize)],
        bounds: Bounds,
    ) -> Result<Scenarios, String> {
        let mut variants = Vec::new();
        for (role, of) in interface.roles.iter().enumerate() {
            for &operation in &of.operations {
                let all = combinations(&interface.operations[operation].choices, bounds.keys);
                let adds = adds(&interface.operations[operation].name);
                variants.extend(all.into_iter().map(|parts| Variant { operation, role, parts, adds }));
            }
        }
        let mut calls = Vec::new();
        for (name, times) in setup {
            let named = |variant: &Variant| interface.operations[variant.operation].name == *name;
            let Some(found) = variants.iter().position(named) else {
                return Err(format!("the set-up calls `{name}`, which is not an operation of the object"));
            };
            calls.extend(std::iter::repeat_n(found, *times));
        }
        let limits = interface.roles.iter().map(|role| role.threads).collect();
        Ok(Scenarios { variants, setup: calls, limits, bounds })
    }

    /// Returns all sizes, smallest first.
    pub fn sizes(&self) -> Vec<Size> {
        let mut sizes = Vec::new();
        for calls in 1..=self.bounds.calls {
            for threads in 1..=self.bounds.threads.min(calls) {
                sizes.extend(self.bounds.before.clone().map(|before| Size { calls, threads, before }));
            }
        }
        sizes
    }

    /// Visits every scenario of a size, up to the names of the threads, until `visit` breaks.
    pub fn each(&self, size: Size, visit: &mut dyn FnMut(&Outline) -> ControlFlow<()>) -> ControlFlow<()> {
        let adding: Vec<usize> = (0..self.variants.len()).filter(|&at| self.variants[at].adds).collect();
        if size.before > 0 && adding.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut before = vec![0; size.before];
        loop {
            let chosen = before.iter().map(|&at| adding[at]).collect();
            let mut outline = Outline { before: chosen, threads: Vec::new() };
            self.threads(size.threads, size.calls, &mut outline, visit)?;
            // The next list of pre-adds.
            let Some(at) = before.iter().rposition(|&at| at + 1 < adding.len()) else {
                return ControlFlow::Continue(());
            };
            before[at] += 1;
            before[at + 1..].fill(0);
        }
    }

    /// Draws a scenario of a size. `None`: the roles do not allow one.
    pub fn random(&self, size: Size, random: &mut fastrand::Rng) -> Option<Outline> {
        let adding: Vec<usize> = (0..self.variants.len()).filter(|&at| self.variants[at].adds).collect();
        let before = if adding.is_empty() { 0 } else { size.before };
        let before = (0..before).map(|_| adding[random.usize(..adding.len())]).collect();
        let mut threads: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in 0..size.threads {
            let is_open = |&role: &usize| self.has_room(&threads, role);
            let roles: Vec<usize> = (0..self.limits.len()).filter(is_open).collect();
            let role = *roles.get(random.usize(..roles.len().max(1)))?;
            let rest = size.threads - at - 1;
            let used: usize = threads.iter().map(|(_, calls)| calls.len()).sum();
            let most = size.calls.checked_sub(used + rest)?;
            let calls = if rest == 0 { most } else { random.usize(1..=most.max(1)) };
            let own: Vec<usize> = self.of_role(role).collect();
            if own.is_empty() {
                return None;
            }
            threads.push((role, (0..calls).map(|_| own[random.usize(..own.len())]).collect()));
        }
        threads.sort_by(|one, other| other.cmp(one));
        Some(Outline { before, threads })
    }

    /// Gives each call its values, all different.
    pub fn fill(&self, outline: &Outline) -> Scenario {
        let mut fresh = 0;
        let mut planned = |variant: usize| {
            let Variant { operation, parts, .. } = &self.variants[variant];
            let part = |part: &Option<Datum>| {
                part.clone().unwrap_or_else(|| {
                    fresh += 1;
                    Datum::Value(fresh)
                })
            };
            Planned { variant, operation: *operation, parts: parts.iter().map(part).collect() }
        };
        let first = self.setup.iter().chain(&outline.before);
        let before: Vec<(usize, Planned)> =
            first.map(|&variant| (self.variants[variant].role, planned(variant))).collect();
        let mut threads: Vec<Plan> = Vec::new();
        for (role, calls) in &outline.threads {
            threads.push(Plan { role: *role, calls: calls.iter().map(|&call| planned(call)).collect() });
        }
        // The first thread of the role makes the call. A thread without calls stands in for a missing role.
        let owner = |(role, call): (usize, Planned)| {
            let at = threads.iter().position(|plan| plan.role == role).unwrap_or_else(|| {
                threads.push(Plan { role, calls: Vec::new() });
                threads.len() - 1
            });
            (at, call)
        };
        let before = before.into_iter().map(owner).collect();
        Scenario { before, threads }
    }

    /// Returns the outline that a text names; the reverse of its `Display`.
    #[cfg(any(test, linchpin_way = "shuttle"))]
    pub fn parse(&self, text: &str) -> Option<Outline> {
        let list = |text: &str| -> Option<Vec<usize>> {
            let numbers = text.split('.').filter(|number| !number.is_empty());
            let numbers: Option<Vec<usize>> = numbers.map(|number| number.parse().ok()).collect();
            numbers.filter(|all| all.iter().all(|&variant| variant < self.variants.len()))
        };
        let mut parts = text.split('_');
        let before = list(parts.next()?)?;
        let mut threads = Vec::new();
        for part in parts {
            let calls = list(part)?;
            let role = self.variants[*calls.first()?].role;
            threads.push((role, calls));
        }
        Some(Outline { before, threads })
    }

    /// Adds threads whose lists of calls descend, and visits the result.
    fn threads(
        &self,
        missing: usize,
        calls: usize,
        outline: &mut Outline,
        visit: &mut dyn FnMut(&Outline) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if missing == 0 {
            return if calls == 0 { visit(outline) } else { ControlFlow::Continue(()) };
        }
        for role in 0..self.limits.len() {
            if !self.has_room(&outline.threads, role) {
                continue;
            }
            let own: Vec<usize> = self.of_role(role).collect();
            for length in 1..=(calls + 1).saturating_sub(missing) {
                let mut digits = vec![0; if own.is_empty() { 0 } else { length }];
                while !digits.is_empty() {
                    let list: Vec<usize> = digits.iter().map(|&at: &usize| own[at]).collect();
                    let plan = (role, list);
                    if outline.threads.last().is_none_or(|last| *last >= plan) {
                        outline.threads.push(plan);
                        self.threads(missing - 1, calls - length, outline, visit)?;
                        outline.threads.pop();
                    }
                    match digits.iter().rposition(|&at| at + 1 < own.len()) {
                        Some(at) => {
                            digits[at] += 1;
                            digits[at + 1..].fill(0);
                        }
                        None => break,
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn has_room(&self, threads: &[(usize, Vec<usize>)], role: usize) -> bool {
        let used = threads.iter().filter(|(other, _)| *other == role).count();
        self.limits[role].is_none_or(|limit| used < limit)
    }

    fn of_role(&self, role: usize) -> impl Iterator<Item = usize> {
        (0..self.variants.len()).filter(move |&at| self.variants[at].role == role)
    }
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |calls: &[usize]| calls.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        f.write_str(&list(&self.before))?;
        self.threads.iter().try_for_each(|(_, calls)| write!(f, "_{}", list(calls)))
    }
}

/// Returns every combination of the parts of an argument.
fn combinations(choices: &[Choices], keys: u32) -> Vec<Vec<Option<Datum>>> {
    let mut all: Vec<Vec<Option<Datum>>> = vec![Vec::new()];
    for part in choices {
        let some: Vec<Option<Datum>> = match part {
            Choices::Fresh => vec![None],
            Choices::Keys => (0..keys).map(|key| Some(Datum::Key(key))).collect(),
            Choices::Of(data) => data.iter().cloned().map(Some).collect(),
        };
        let longer = |list: Vec<Option<Datum>>| {
            let some = some.clone();
            some.into_iter().map(move |datum| list.iter().cloned().chain([datum]).collect::<Vec<_>>())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Operation, RoleInterface};
    use std::collections::BTreeSet;

    fn scenarios(bounds: Bounds) -> Scenarios {
        let operation = |name: &str, choices| Operation { name: name.into(), choices };
        let interface = Interface {
            roles: vec![
                RoleInterface { name: "owner".into(), threads: Some(1), operations: vec![0, 1] },
                RoleInterface { name: "other".into(), threads: None, operations: vec![2] },
            ],
            operations: vec![
                operation("push", vec![Choices::Fresh]),
                operation("take", vec![Choices::Keys]),
                operation("steal", vec![]),
            ],
        };
        Scenarios::new(&interface, &|name| name == "push", &[], bounds).expect("the set-up is empty")
    }

    /// Every scenario of a size, by brute force: all lists for all threads, then sorted.
    fn brute_force(scenarios: &Scenarios, size: Size) -> usize {
        fn lists(scenarios: &Scenarios, length: usize) -> Vec<(usize, Vec<usize>)> {
            let mut all: Vec<Vec<usize>> = vec![vec![]];
            for _ in 0..length {
                let every = 0..scenarios.variants.len();
                let longer = |list: Vec<usize>| every.clone().map(move |v| [list.clone(), vec![v]].concat());
                all = all.into_iter().flat_map(longer).collect();
            }
            let role = |list: &Vec<usize>| scenarios.variants[list[0]].role;
            let is_one = |list: &Vec<usize>| list.iter().all(|&v| scenarios.variants[v].role == role(list));
            all.into_iter().filter(is_one).map(|list| (role(&list), list)).collect()
        }
        let mut found = BTreeSet::new();
        let mut open = vec![(Vec::new(), size.calls)];
        while let Some((threads, left)) = open.pop() {
            if threads.len() == size.threads {
                let owners = threads.iter().filter(|(role, _): &&(usize, Vec<usize>)| *role == 0).count();
                if left == 0 && owners <= 1 {
                    let mut threads = threads;
                    threads.sort();
                    found.insert(threads);
                }
                continue;
            }
            for length in 1..=left {
                for list in lists(scenarios, length) {
                    open.push(([threads.clone(), vec![list]].concat(), left - length));
                }
            }
        }
        found.len()
    }

    #[test]
    fn scenarios_are_all_scenarios_up_to_the_names_of_threads() {
        let scenarios = scenarios(Bounds { threads: 3, calls: 4, before: 0..=0, keys: 2 });
        for size in scenarios.sizes() {
            let mut seen = Vec::new();
            let _ = scenarios.each(size, &mut |outline| {
                assert_eq!(scenarios.parse(&outline.to_string()).as_ref(), Some(outline));
                let mut threads = outline.threads.clone();
                threads.sort();
                assert!(!seen.contains(&threads), "{threads:?} twice");
                seen.push(threads);
                ControlFlow::Continue(())
            });
            assert_eq!(seen.len(), brute_force(&scenarios, size), "{size:?}");
        }
    }

    #[test]
    fn the_values_of_a_scenario_are_different() {
        let scenarios = scenarios(Bounds { threads: 2, calls: 3, before: 1..=1, keys: 1 });
        let mut scenario = None;
        let _ = scenarios.each(Size { calls: 3, threads: 2, before: 1 }, &mut |outline| {
            scenario = Some(scenarios.fill(outline));
            let all = scenario.iter().flat_map(|s| s.threads.iter().flat_map(|plan| &plan.calls));
            let all = all.chain(scenario.iter().flat_map(|s| s.before.iter().map(|(_, call)| call)));
            let mut values: Vec<&Datum> =
                all.flat_map(|call| &call.parts).filter(|part| matches!(part, Datum::Value(_))).collect();
            let count = values.len();
            values.sort();
            values.dedup();
            assert_eq!(values.len(), count);
            ControlFlow::Continue(())
        });
        assert!(scenario.is_some());
    }

    #[test]
    fn random_scenarios_have_their_size() {
        let scenarios = scenarios(Bounds { threads: 3, calls: 5, before: 0..=1, keys: 2 });
        let mut random = fastrand::Rng::with_seed(1);
        for size in scenarios.sizes() {
            for _ in 0..20 {
                let outline = scenarios.random(size, &mut random).expect("the second role has no bound");
                assert_eq!(scenarios.fill(&outline).calls(), size.calls);
                assert_eq!((outline.threads.len(), outline.before.len()), (size.threads, size.before));
            }
        }
    }
}
