//! The bounds of an instance: from the command line, else from the first `check` block, else the defaults.
//! Constants come from the command line, else from the model; `check` blocks do not change them.

use super::Failure;
use super::limits::{Hashes, Limits, Switch};
use super::values::ConstantSetting;
use clap::Args;
use linchpin_frontend::syntax::ast;
use linchpin_frontend::syntax::ast::{Bound, ItemKind};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::{Op, Program};
use linchpin_ir::types::{TypeId, TypeKind, TypeTable, Word};
use linchpin_semantics::{Bounds, MAX_THREADS};

/// The bounds of one instance. The arguments of `check` have ranges.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Bounds")]
pub struct Sizes {
    /// Number of threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_THREADS)))]
    pub threads: Option<u32>,
    /// Number of cells allocated at the same time
    #[arg(long, value_name = "N")]
    pub nodes: Option<u32>,
    /// Number of values of type `data`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub values: Option<u32>,
    /// Number of values of type `key`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub keys: Option<u32>,
    /// Value of a `const` of the model (repeatable)
    #[arg(long = "set", value_name = "CONST=N")]
    pub constants: Vec<ConstantSetting>,
    #[command(flatten)]
    pub limits: Limits,
}

/// An instance: setting, bounds, number of calls.
#[derive(Clone, Debug)]
pub struct Instance {
    pub setting: Setting,
    pub bounds: Bounds,
    /// Number of calls, if the check block has schedules. The object may support no more. `None`: unlimited.
    pub calls: Option<usize>,
}

impl Instance {
    /// Makes the instance of a model.
    pub fn of(model: &ast::File, sizes: &Sizes) -> Instance {
        let mut instance = Instance { setting: Setting::default(), bounds: Bounds::default(), calls: None };
        let first = model.items.iter().find_map(|item| match &item.kind {
            ItemKind::Check(check) => Some(check),
            _ => None,
        });
        for (name, bound) in first.iter().flat_map(|check| &check.bounds) {
            instance.take(&name.text, bound);
        }
        let bounds = &mut instance.bounds;
        bounds.threads = sizes.threads.unwrap_or(bounds.threads).clamp(1, MAX_THREADS);
        bounds.nodes = sizes.nodes.unwrap_or(bounds.nodes);
        bounds.values = sizes.values.unwrap_or(bounds.values);
        bounds.keys = sizes.keys.unwrap_or(bounds.keys);
        let Limits { ints, ages, depth, spurious, hashes } = &sizes.limits;
        bounds.ints = ints.unwrap_or(bounds.ints);
        bounds.ages = ages.or(bounds.ages);
        bounds.depth = depth.unwrap_or(bounds.depth);
        bounds.spurious = spurious.map_or(bounds.spurious, Switch::is_on);
        bounds.any_hashes = hashes.map_or(bounds.any_hashes, |hashes| hashes == Hashes::Any);
        instance.setting.threads = bounds.threads;
        for constant in &sizes.constants {
            instance.setting.constants.insert(constant.name.clone(), constant.value);
        }
        instance
    }

    /// Takes a bound of the check block; of a range, the greatest value.
    fn take(&mut self, name: &str, bound: &Bound) {
        let bounds = &mut self.bounds;
        let high = match bound {
            Bound::Range(_, high, _) => high,
            Bound::Name(value) => {
                match (name, &*value.text) {
                    ("hashes", "any") => bounds.any_hashes = true,
                    ("spurious", "on") => bounds.spurious = true,
                    _ => {}
                }
                return;
            }
            Bound::Names(..) => return,
        };
        let number = u32::try_from(*high).unwrap_or(u32::MAX);
        match name {
            "threads" => bounds.threads = number,
            "nodes" => bounds.nodes = number,
            "values" => bounds.values = number,
            "keys" => bounds.keys = number,
            "ints" => bounds.ints = Word::try_from(*high).unwrap_or(Word::MAX),
            "ages" => bounds.ages = Some(number),
            "depth" => bounds.depth = number,
            "steps" | "preadds" => self.calls = Some(self.calls.unwrap_or(0) + number as usize),
            // `preemptions` and constants.
            _ => {}
        }
    }
}

/// The bounds that apply to a model.
#[derive(Clone, Copy, Debug)]
pub struct Dimensions {
    pub nodes: bool,
    pub values: bool,
    pub keys: bool,
}

impl Dimensions {
    pub fn of(program: &Program) -> Dimensions {
        let takes = |wanted: TypeKind| {
            program.ops.iter().flat_map(|op| &op.params).any(|&param| mentions(&program.types, param, wanted))
        };
        let mut code = program.methods.iter().flat_map(|method| method.code.iter());
        Dimensions {
            nodes: code.any(|instr| matches!(instr.op, Op::New { .. } | Op::NewArray { .. })),
            values: takes(TypeKind::Data),
            keys: takes(TypeKind::Key),
        }
    }
}

/// Rejects a bound that does not apply to the model.
pub fn sizes_apply(program: &Program, sizes: &Sizes) -> Result<(), Failure> {
    let has = Dimensions::of(program);
    if sizes.values.is_some() && !has.values {
        return Err(does_not_apply("--values", program, "no operation takes a `data`"));
    }
    if sizes.keys.is_some() && !has.keys {
        return Err(does_not_apply("--keys", program, "no operation takes a `key`"));
    }
    if sizes.nodes.is_some() && !has.nodes {
        return Err(does_not_apply("--nodes", program, "the model has no `new`"));
    }
    Ok(())
}

/// Rejects `--lin-points` for a model without points. Without a `lin`, the points would be confirmed
/// vacuously.
pub fn points_apply(program: &Program) -> Result<(), Failure> {
    let refuse = |why| Err(does_not_apply("--lin-points", program, why));
    if program.spec.has_rendezvous {
        return refuse("operations of a rendezvous have no points of their own");
    }
    if program.ops.iter().all(|op| op.free_point) {
        return refuse("no operation has a `lin`");
    }
    Ok(())
}

/// Formats the bounds that apply to a model: `2 threads, 3 nodes, 2 values`.
pub fn bounds_text(program: &Program, bounds: &Bounds) -> String {
    let has = Dimensions::of(program);
    let all = [
        (true, bounds.threads, "thread"),
        (has.nodes, bounds.nodes, "node"),
        (has.values, bounds.values, "value"),
        (has.keys, bounds.keys, "key"),
    ];
    let counted = |(_, n, what): (bool, u32, &str)| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let constants =
        program.constants.iter().map(|constant| format!("{} = {}", constant.name, constant.value));
    all.into_iter().filter(|(has, ..)| *has).map(counted).chain(constants).collect::<Vec<_>>().join(", ")
}

fn does_not_apply(option: &str, program: &Program, why: &str) -> Failure {
    Failure::input(format!("`{option}` does not apply to `{}`: {why}", program.name))
}

fn mentions(types: &TypeTable, ty: TypeId, wanted: TypeKind) -> bool {
    match types.kind(ty) {
        kind if kind == wanted => true,
        TypeKind::Option(of)
        | TypeKind::Array(of, _)
        | TypeKind::Seq(of)
        | TypeKind::Set(of)
        | TypeKind::Bag(of) => mentions(types, of, wanted),
        TypeKind::Map(key, value) => mentions(types, key, wanted) || mentions(types, value, wanted),
        TypeKind::Word(_) | TypeKind::Struct(_) => types
            .record(ty)
            .is_some_and(|record| record.fields.iter().any(|field| mentions(types, field.ty, wanted))),
        _ => false,
    }
}
