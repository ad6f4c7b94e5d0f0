//! The values of a type within the bounds: the arguments of a client, the domains of hash functions.

use crate::instance::Words;
use crate::instance::bounds::Bounds;
use linchpin_ir::index::number_of;
use linchpin_ir::program::Program;
use linchpin_ir::types::{KEY_MAX, KEY_MIN, NONE, TypeId, TypeKind, TypeTable, Word, word_of};

/// The use of the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Arguments of a client: no `key::MIN` and `key::MAX`, no thread, no plain number.
    Argument,
    /// Everything that a variable may hold, except undefined values.
    Everything,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoDomain {
    /// The values of this type cannot be listed.
    Endless(TypeId),
    TooMany,
}

/// The largest number of values that are listed.
const LIMIT: usize = 1 << 16;

/// Lists the values in lexicographic order of their words.
pub(crate) fn values(
    types: &TypeTable,
    bounds: &Bounds,
    purpose: Purpose,
    ty: TypeId,
) -> Result<Vec<Words>, NoDomain> {
    let one = |word: Word| Words::from_slice(&[word]);
    let upto = |n: u32| (1..=word_of(n.min(number_of(LIMIT) + 1))).map(one).collect::<Vec<_>>();
    let everything = purpose == Purpose::Everything;
    let values: Vec<Words> = match types.kind(ty) {
        TypeKind::Unit => vec![Words::new()],
        TypeKind::Bool => vec![one(0), one(1)],
        TypeKind::Enum(id) => (0..types.enums[id].variants.len()).map(|at| one(word_of(at))).collect(),
        TypeKind::Range { low, high } => numbers(low, high)?,
        TypeKind::Int if everything => numbers(-i64::from(bounds.ints), i64::from(bounds.ints))?,
        TypeKind::Data => upto(bounds.values),
        TypeKind::Key if everything => [vec![one(KEY_MIN)], upto(bounds.keys), vec![one(KEY_MAX)]].concat(),
        TypeKind::Key => upto(bounds.keys),
        TypeKind::Thread if everything => (0..bounds.threads).map(|t| one(word_of(t))).collect(),
        TypeKind::Option(t) => {
            let inner = values(types, bounds, purpose, t)?;
            if types.option_is_flat(t) {
                std::iter::once(one(NONE)).chain(inner).collect()
            } else {
                let none = std::iter::once(0).chain(types.defaults(t)).collect();
                let some = inner.into_iter().map(|value| std::iter::once(1).chain(value).collect());
                std::iter::once(none).chain(some).collect()
            }
        }
        TypeKind::Word(_) => {
            let fields = types.record(ty).into_iter().flat_map(|record| &record.fields);
            product(fields.map(|field| values(types, bounds, purpose, field.ty)))?
        }
        TypeKind::Array(t, n) => {
            let element = values(types, bounds, purpose, t)?;
            product((0..n).map(|_| Ok(element.clone())))?
        }
        _ => return Err(NoDomain::Endless(ty)),
    };
    if values.len() > LIMIT { Err(NoDomain::TooMany) } else { Ok(values) }
}

/// Lists the possible results of an operation. `None`: they cannot be listed. Without a result the list has
/// one entry.
pub fn results(program: &Program, bounds: &Bounds, result: Option<TypeId>) -> Option<Vec<Vec<Word>>> {
    let Some(ty) = result else { return Some(vec![Vec::new()]) };
    let all = values(&program.types, bounds, Purpose::Everything, ty).ok()?;
    Some(all.into_iter().map(|words| words.to_vec()).collect())
}

/// Returns the Cartesian product; the last factor varies fastest.
pub(crate) fn product(
    factors: impl Iterator<Item = Result<Vec<Words>, NoDomain>>,
) -> Result<Vec<Words>, NoDomain> {
    let mut all = vec![Words::new()];
    for factor in factors {
        let factor = factor?;
        if all.len().saturating_mul(factor.len()) > LIMIT {
            return Err(NoDomain::TooMany);
        }
        all = all
            .iter()
            .flat_map(|head| factor.iter().map(move |tail| [&head[..], &tail[..]].concat().into()))
            .collect();
    }
    Ok(all)
}

fn numbers(low: i64, high: i64) -> Result<Vec<Words>, NoDomain> {
    if high.saturating_sub(low) >= i64::from(word_of(LIMIT)) {
        return Err(NoDomain::TooMany);
    }
    Ok((low..=high).map(|number| Words::from_slice(&[word_of(number)])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_sorted() {
        let mut types = TypeTable::new();
        let bounds = Bounds { values: 2, keys: 2, ..Bounds::default() };
        let data = types.intern(TypeKind::Data);
        let key = types.intern(TypeKind::Key);
        let maybe = types.intern(TypeKind::Option(data));
        let pair = types.intern(TypeKind::Array(maybe, 2));
        let maybe_pair = types.intern(TypeKind::Option(pair));
        let list = |ty, purpose| values(&types, &bounds, purpose, ty).map(|v| v.len());
        assert_eq!(list(maybe, Purpose::Argument), Ok(3));
        assert_eq!(list(pair, Purpose::Argument), Ok(9));
        assert_eq!(list(maybe_pair, Purpose::Argument), Ok(10));
        assert_eq!(list(key, Purpose::Argument), Ok(2));
        assert_eq!(list(key, Purpose::Everything), Ok(4));
        for ty in [maybe, pair, maybe_pair, key] {
            let all = values(&types, &bounds, Purpose::Everything, ty).expect("finite");
            assert!(all.is_sorted() && all.windows(2).all(|pair| pair[0] != pair[1]));
        }
        let int = types.intern(TypeKind::Int);
        let seq = types.intern(TypeKind::Seq(int));
        assert_eq!(values(&types, &bounds, Purpose::Argument, int), Err(NoDomain::Endless(int)));
        assert_eq!(values(&types, &bounds, Purpose::Everything, seq), Err(NoDomain::Endless(seq)));
        let huge = types.intern(TypeKind::Range { low: 0, high: i64::from(Word::MAX) });
        assert_eq!(values(&types, &bounds, Purpose::Everything, huge), Err(NoDomain::TooMany));
    }
}
