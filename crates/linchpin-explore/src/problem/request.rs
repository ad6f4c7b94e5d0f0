//! A request: bounds, client and properties. A request with ranges has several instances, smallest first.

use super::{Pass, Reductions};
use linchpin_engine::verdict::Expectation;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::{Bound, Check};
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_judge::trace::PlannedCall;
use linchpin_semantics::{Bounds, Restriction};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub threads: RangeInclusive<u32>,
    /// `None`: a default that depends on the client, see [`Request::nodes`].
    pub nodes: Option<RangeInclusive<u32>>,
    pub values: RangeInclusive<u32>,
    pub keys: RangeInclusive<u32>,
    pub ints: Word,
    pub ages: Option<u32>,
    pub depth: u32,
    pub spurious: bool,
    pub any_hashes: bool,
    pub constants: BTreeMap<String, RangeInclusive<i64>>,
    pub client: ClientRequest,
    pub lin_points: bool,
    pub fair: bool,
    pub preemptions: Option<u32>,
    /// After a violation, every schedule is judged by itself.
    pub keep_going: bool,
    pub properties: Vec<Property>,
    pub reductions: Reductions,
    /// The number of worker threads.
    pub jobs: usize,
    /// The pass in which a worker panics. Tests only.
    #[doc(hidden)]
    pub planted: Option<Pass>,
}

/// The client of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientRequest {
    General,
    Schedules {
        steps: RangeInclusive<u32>,
        preadds: RangeInclusive<u32>,
        restrictions: Vec<Restriction>,
    },
    /// One schedule: the calls of each thread.
    Calls {
        threads: Vec<Vec<PlannedCall>>,
    },
}

/// One instance of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Size {
    pub setting: Setting,
    pub bounds: Bounds,
}

/// The default number of nodes for the general client, which fills all nodes.
const NODES_OF_GENERAL_CLIENT: u32 = 4;
/// The default number of nodes for schedules: more than their calls allocate.
const NODES_OF_SCHEDULES: u32 = 64;

/// The properties that are always judged.
pub const ALWAYS: [Property; 2] = [Property::MemorySafe, Property::Assertions];

impl Default for Request {
    fn default() -> Request {
        let bounds = Bounds::default();
        Request {
            threads: bounds.threads..=bounds.threads,
            nodes: None,
            values: bounds.values..=bounds.values,
            keys: bounds.keys..=bounds.keys,
            ints: bounds.ints,
            ages: bounds.ages,
            depth: bounds.depth,
            spurious: false,
            any_hashes: false,
            constants: BTreeMap::new(),
            client: ClientRequest::General,
            lin_points: false,
            fair: false,
            preemptions: None,
            keep_going: false,
            properties: Vec::new(),
            reductions: Reductions::ALL,
            jobs: 1,
            planted: None,
        }
    }
}

impl Request {
    /// Returns the request and the expectations of a `check` block. The front end has checked its names.
    pub fn of_check(check: &Check) -> (Request, Vec<Expectation>) {
        let mut request = Request::default();
        for (name, bound, _) in &check.bounds {
            request.set(name, bound);
        }
        let mut expectations: Vec<Expectation> = check
            .expects
            .iter()
            .filter_map(|expect| {
                let property = expect.property.parse().ok()?;
                Some(Expectation { property, violated: expect.violated, points_violated: None })
            })
            .collect();
        if let Some(points) = &check.points {
            request.lin_points = true;
            let property = Property::Linearizable;
            expected(&mut expectations, property).points_violated = Some(points.violated);
        }
        for property in ALWAYS {
            expected(&mut expectations, property);
        }
        request.properties = expectations.iter().map(|expectation| expectation.property).collect();
        (request, expectations)
    }

    /// Returns the range of nodes, or its default.
    pub fn nodes(&self) -> RangeInclusive<u32> {
        self.nodes.clone().unwrap_or(match self.client {
            ClientRequest::General => NODES_OF_GENERAL_CLIENT..=NODES_OF_GENERAL_CLIENT,
            ClientRequest::Schedules { .. } | ClientRequest::Calls { .. } => {
                NODES_OF_SCHEDULES..=NODES_OF_SCHEDULES
            }
        })
    }

    /// Returns every instance, smallest first. The iterator is lazy: a range may be longer than any search.
    pub fn sizes(&self) -> impl Iterator<Item = Size> {
        self.constant_settings().flat_map(move |constants| {
            self.threads.clone().flat_map(move |threads| {
                let constants = constants.clone();
                self.nodes().flat_map(move |nodes| {
                    let constants = constants.clone();
                    self.values.clone().flat_map(move |values| {
                        let constants = constants.clone();
                        self.keys
                            .clone()
                            .map(move |keys| self.size(threads, [nodes, values, keys], constants.clone()))
                    })
                })
            })
        })
    }

    /// Returns the last of [`Request::sizes`], which has the largest bounds. `None`: some range is empty.
    pub fn largest(&self) -> Option<Size> {
        let is_empty = |range: &RangeInclusive<u32>| range.is_empty();
        let ranges = [&self.threads, &self.nodes(), &self.values, &self.keys];
        if ranges.into_iter().any(is_empty) || self.constants.values().any(RangeInclusive::is_empty) {
            return None;
        }
        let largest = self.constants.iter().map(|(name, range)| (name.clone(), *range.end())).collect();
        let [nodes, values, keys] = [*self.nodes().end(), *self.values.end(), *self.keys.end()];
        Some(self.size(*self.threads.end(), [nodes, values, keys], largest))
    }

    /// Checks whether the request has more than one instance.
    pub fn has_ranges(&self) -> bool {
        self.sizes().nth(1).is_some()
    }

    fn size(&self, threads: u32, [nodes, values, keys]: [u32; 3], constants: BTreeMap<String, i64>) -> Size {
        let bounds = Bounds {
            threads,
            nodes,
            values,
            keys,
            ints: self.ints,
            ages: self.ages,
            depth: self.depth,
            spurious: self.spurious,
            any_hashes: self.any_hashes,
        };
        Size { setting: Setting { threads, constants }, bounds }
    }

    /// Returns every assignment of the constants. The value of the last name changes first.
    fn constant_settings(&self) -> Box<dyn Iterator<Item = BTreeMap<String, i64>> + '_> {
        let none: Box<dyn Iterator<Item = BTreeMap<String, i64>> + '_> =
            Box::new(std::iter::once(BTreeMap::new()));
        self.constants.iter().fold(none, |settings, (name, range)| {
            Box::new(settings.flat_map(move |setting| {
                range.clone().map(move |value| {
                    let mut larger = setting.clone();
                    larger.insert(name.clone(), value);
                    larger
                })
            }))
        })
    }

    fn set(&mut self, name: &str, bound: &Bound) {
        match bound {
            Bound::Range(low, high) => self.set_range(name, *low, *high),
            Bound::Name(value) => match (name, &**value) {
                ("client", "schedules") => {
                    self.schedules();
                }
                ("hashes", "any") => self.any_hashes = true,
                ("spurious", "on") => self.spurious = true,
                ("fair", "on") => self.fair = true,
                ("lin_points", "on") => self.lin_points = true,
                ("restrict", restriction) => self.restrict(restriction),
                _ => {}
            },
            Bound::Names(names) if name == "restrict" => names.iter().for_each(|n| self.restrict(n)),
            Bound::Names(_) => {}
        }
    }

    fn set_range(&mut self, name: &str, low: i64, high: i64) {
        let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        let range = count(low)..=count(high);
        match name {
            "threads" => self.threads = range,
            "nodes" => self.nodes = Some(range),
            "values" => self.values = range,
            "keys" => self.keys = range,
            "ints" => self.ints = Word::try_from(high).unwrap_or(Word::MAX),
            "ages" => self.ages = Some(count(high)),
            "depth" => self.depth = count(high),
            "preemptions" => self.preemptions = Some(count(high)),
            "steps" => *self.schedules().0 = range,
            "preadds" => *self.schedules().1 = range,
            constant => {
                self.constants.insert(constant.to_string(), low..=high);
            }
        }
    }

    fn restrict(&mut self, name: &str) {
        if let Some(restriction) = Restriction::ALL.into_iter().find(|r| r.name() == name) {
            self.schedules().2.push(restriction);
        }
    }

    /// Makes the client a client of schedules, unless it is. Returns its ranges of steps and pre-adds, and
    /// its restrictions.
    pub fn schedules(
        &mut self,
    ) -> (&mut RangeInclusive<u32>, &mut RangeInclusive<u32>, &mut Vec<Restriction>) {
        if !matches!(self.client, ClientRequest::Schedules { .. }) {
            let restrictions = Vec::new();
            self.client = ClientRequest::Schedules { steps: 1..=2, preadds: 0..=0, restrictions };
        }
        let ClientRequest::Schedules { steps, preadds, restrictions } = &mut self.client else {
            unreachable!("the client has schedules")
        };
        (steps, preadds, restrictions)
    }
}

/// Returns the expectation of a property. Without one in the list, the property is expected to hold.
fn expected(expectations: &mut Vec<Expectation>, property: Property) -> &mut Expectation {
    let known = expectations.iter().position(|expectation| expectation.property == property);
    let at = known.unwrap_or_else(|| {
        expectations.push(Expectation { property, violated: false, points_violated: None });
        expectations.len() - 1
    });
    &mut expectations[at]
}
