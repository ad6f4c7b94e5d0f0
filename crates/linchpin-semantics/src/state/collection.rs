//! The methods of collections: functions from contents to contents.

use crate::code::collection_class::{Class, Discipline};
use crate::code::definedness::Undefined;
use crate::instance::Words;
use linchpin_ir::index::number_of;
use linchpin_ir::program::CollectionMethod;
use linchpin_ir::types::{NONE, Word, word_of};

/// Why a method fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misuse {
    Undefined,
    Index { index: Word, len: u32 },
    Empty,
}

impl From<Undefined> for Misuse {
    fn from(_: Undefined) -> Misuse {
        Misuse::Undefined
    }
}

/// Calls a method on `contents`. `args` are the words of all arguments. Appends the result to `result`.
/// Returns whether the collection changed; then `changed` has the new contents.
pub fn apply(
    class: &Class,
    method: CollectionMethod,
    contents: &[Word],
    args: &[Word],
    result: &mut Words,
    changed: &mut Words,
) -> Result<bool, Misuse> {
    use CollectionMethod::*;
    let stride = class.stride();
    let len = contents.len() / stride;
    let element = |at: usize| &contents[at * stride..(at + 1) * stride];
    match method {
        Len => result.push(word_of(len)),
        IsEmpty => result.push(Word::from(len == 0)),
        Contains => result.push(Word::from(find(class, contents, args)?.is_some())),
        Count => {
            check_all(class, contents, args)?;
            result.push(word_of(contents.chunks_exact(stride).filter(|e| *e == args).count()));
        }
        Get => result.extend_from_slice(element(index(args, len)?)),
        Lookup => {
            let at = find(class, contents, args)?;
            push_value(class, at.map(|at| &element(at)[class.key_width..]), result);
        }
        Clear => {
            changed.clear();
            return Ok(len > 0);
        }
        PushBack => {
            changed.extend_from_slice(contents);
            changed.extend_from_slice(args);
            return Ok(true);
        }
        PushFront => {
            changed.extend_from_slice(args);
            changed.extend_from_slice(contents);
            return Ok(true);
        }
        PopBack | PopFront | RemoveAt => {
            let at = match method {
                RemoveAt => index(args, len)?,
                _ if len == 0 => return Err(Misuse::Empty),
                PopBack => len - 1,
                _ => 0,
            };
            result.extend_from_slice(element(at));
            splice(contents, at * stride, (at + 1) * stride, &[], changed);
            return Ok(true);
        }
        Set => {
            let at = index(args, len)?;
            splice(contents, at * stride, (at + 1) * stride, &args[1..], changed);
            return Ok(true);
        }
        InsertAt => {
            let at = index(args, len + 1)?;
            splice(contents, at * stride, at * stride, &args[1..], changed);
            return Ok(true);
        }
        Add => {
            if class.discipline == Discipline::Set {
                if find(class, contents, args)?.is_some() {
                    result.push(0);
                    return Ok(false);
                }
                result.push(1);
            }
            let at = position(class, contents, args) * stride;
            splice(contents, at, at, args, changed);
            return Ok(true);
        }
        Remove => {
            let found = find(class, contents, args)?;
            result.push(Word::from(found.is_some()));
            let Some(at) = found else { return Ok(false) };
            splice(contents, at * stride, (at + 1) * stride, &[], changed);
            return Ok(true);
        }
        Insert => {
            let found = find(class, contents, &args[..class.key_width])?;
            push_value(class, found.map(|at| &element(at)[class.key_width..]), result);
            let (from, to) = match found {
                Some(at) => (at * stride, (at + 1) * stride),
                None => {
                    let at = position(class, contents, args) * stride;
                    (at, at)
                }
            };
            splice(contents, from, to, args, changed);
            return Ok(true);
        }
        RemoveKey => {
            let found = find(class, contents, args)?;
            push_value(class, found.map(|at| &element(at)[class.key_width..]), result);
            let Some(at) = found else { return Ok(false) };
            splice(contents, at * stride, (at + 1) * stride, &[], changed);
            return Ok(true);
        }
    }
    Ok(false)
}

/// Brings the elements of a literal into the order of the class. A set keeps one of several equal elements.
pub fn arrange(class: &Class, elements: &mut Words) -> Result<(), Misuse> {
    if !class.is_sorted() {
        return Ok(());
    }
    let stride = class.stride();
    if class.discipline != Discipline::Bag {
        for element in elements.chunks_exact(stride) {
            class.key_definedness.check(&element[..class.key_width])?;
        }
    }
    sort_elements(stride, elements);
    if class.discipline == Discipline::Set {
        let mut kept = stride.min(elements.len());
        for at in (stride..elements.len()).step_by(stride) {
            if elements[at..at + stride] != elements[kept - stride..kept] {
                elements.copy_within(at..at + stride, kept);
                kept += stride;
            }
        }
        elements.truncate(kept);
    }
    Ok(())
}

/// Sorts elements by their words, in place. Insertion sort: the elements are few and nearly sorted.
pub fn sort_elements(stride: usize, words: &mut [Word]) {
    let mut end = stride;
    while end < words.len() {
        let mut at = end;
        while at > 0 && words[at - stride..at] > words[at..at + stride] {
            let (left, right) = words.split_at_mut(at);
            left[at - stride..].swap_with_slice(&mut right[..stride]);
            at -= stride;
        }
        end += stride;
    }
}

/// Finds the element with this key.
fn find(class: &Class, contents: &[Word], key: &[Word]) -> Result<Option<usize>, Misuse> {
    check_all(class, contents, key)?;
    Ok(contents.chunks_exact(class.stride()).position(|element| element[..class.key_width] == *key))
}

/// Checks that a key may be compared with every element. Sets and maps hold only keys that may be compared.
fn check_all(class: &Class, contents: &[Word], key: &[Word]) -> Result<(), Misuse> {
    class.key_definedness.check(key)?;
    if !class.key_definedness.is_plain() && matches!(class.discipline, Discipline::Seq | Discipline::Bag) {
        for element in contents.chunks_exact(class.stride()) {
            class.key_definedness.check(element)?;
        }
    }
    Ok(())
}

/// Returns the index at which an element belongs in sorted contents.
fn position(class: &Class, contents: &[Word], element: &[Word]) -> usize {
    contents.chunks_exact(class.stride()).take_while(|other| *other < element).count()
}

fn index(args: &[Word], len: usize) -> Result<usize, Misuse> {
    let index = args.first().copied().unwrap_or(-1);
    match usize::try_from(index) {
        Ok(at) if at < len => Ok(at),
        _ => Err(Misuse::Index { index, len: number_of(len) }),
    }
}

fn splice(contents: &[Word], from: usize, to: usize, middle: &[Word], out: &mut Words) {
    out.extend_from_slice(&contents[..from]);
    out.extend_from_slice(middle);
    out.extend_from_slice(&contents[to..]);
}

/// Appends a map's value as `V?`.
fn push_value(class: &Class, value: Option<&[Word]>, result: &mut Words) {
    match value {
        Some(value) => {
            if !class.value_is_flat {
                result.push(1);
            }
            result.extend_from_slice(value);
        }
        None if class.value_is_flat => result.push(NONE),
        None => {
            result.push(0);
            result.extend_from_slice(&class.value_default);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::collection_class::Classes;
    use CollectionMethod::*;
    use linchpin_ir::types::{TypeKind, TypeTable, UNDEFINED};
    use std::collections::{BTreeMap, BTreeSet, VecDeque};

    struct Subject {
        class: Class,
        contents: Words,
    }

    impl Subject {
        fn new(kind: impl Fn(&mut TypeTable) -> TypeKind) -> Subject {
            let mut types = TypeTable::new();
            let kind = kind(&mut types);
            let ty = types.intern(kind);
            let classes = Classes::of(&types).expect("no type holds itself");
            let class = classes.get(classes.of_type(ty).expect("a collection")).clone();
            Subject { class, contents: Words::new() }
        }

        fn call(&mut self, method: CollectionMethod, args: &[Word]) -> Result<Vec<Word>, Misuse> {
            let (mut result, mut changed) = (Words::new(), Words::new());
            if apply(&self.class, method, &self.contents, args, &mut result, &mut changed)? {
                self.contents = changed;
            } else {
                assert!(changed.is_empty());
            }
            Ok(result.into_vec())
        }
    }

    #[test]
    fn a_seq_is_a_deque() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut subject = Subject::new(|t| TypeKind::Seq(t.intern(TypeKind::Data)));
        let mut model: VecDeque<Word> = VecDeque::new();
        for _ in 0..5000 {
            let x = random.i32(1..5);
            let i = random.i32(-1..6);
            let at = usize::try_from(i).ok();
            let inside = at.filter(|&at| at < model.len());
            let outside = |len: usize| Err(Misuse::Index { index: i, len: number_of(len) });
            let (method, args, expected) = match random.u32(..11) {
                0 | 1 => {
                    model.push_back(x);
                    (PushBack, vec![x], Ok(vec![]))
                }
                2 => {
                    model.push_front(x);
                    (PushFront, vec![x], Ok(vec![]))
                }
                3 => (PopBack, vec![], model.pop_back().map(|x| vec![x]).ok_or(Misuse::Empty)),
                4 => (PopFront, vec![], model.pop_front().map(|x| vec![x]).ok_or(Misuse::Empty)),
                5 => {
                    let len = model.len();
                    let removed = inside.and_then(|at| model.remove(at));
                    (RemoveAt, vec![i], removed.map_or(outside(len), |x| Ok(vec![x])))
                }
                6 => (Get, vec![i], inside.map_or(outside(model.len()), |at| Ok(vec![model[at]]))),
                7 => {
                    let expected = inside.map_or(outside(model.len()), |at| {
                        model[at] = x;
                        Ok(vec![])
                    });
                    (CollectionMethod::Set, vec![i, x], expected)
                }
                8 => {
                    let len = model.len();
                    let expected = at.filter(|&at| at <= len).map_or(outside(len + 1), |at| {
                        model.insert(at, x);
                        Ok(vec![])
                    });
                    (InsertAt, vec![i, x], expected)
                }
                9 => (Contains, vec![x], Ok(vec![Word::from(model.contains(&x))])),
                _ => (Len, vec![], Ok(vec![word_of(model.len())])),
            };
            assert_eq!(subject.call(method, &args), expected, "{method:?}");
            assert_eq!(subject.contents.as_slice(), model.make_contiguous());
            if model.len() > 6 {
                model.clear();
                assert_eq!(subject.call(Clear, &[]), Ok(vec![]));
            }
        }
    }

    #[test]
    fn a_set_and_a_bag_of_pairs() {
        let mut random = fastrand::Rng::with_seed(2);
        let pair = |t: &mut TypeTable| {
            let data = t.intern(TypeKind::Data);
            t.intern(TypeKind::Array(data, 2))
        };
        let mut set = Subject::new(|t| TypeKind::Set(pair(t)));
        let mut bag = Subject::new(|t| TypeKind::Bag(pair(t)));
        let mut set_model: BTreeSet<[Word; 2]> = BTreeSet::new();
        let mut bag_model: Vec<[Word; 2]> = Vec::new();
        for _ in 0..3000 {
            let x = [random.i32(1..4), random.i32(1..3)];
            let flag = |b: bool| Ok(vec![Word::from(b)]);
            match random.u32(..4) {
                0 => {
                    assert_eq!(set.call(Add, &x), flag(set_model.insert(x)));
                    assert_eq!(bag.call(Add, &x), Ok(vec![]));
                    bag_model.push(x);
                }
                1 => {
                    assert_eq!(set.call(Remove, &x), flag(set_model.remove(&x)));
                    let at = bag_model.iter().position(|y| *y == x);
                    assert_eq!(bag.call(Remove, &x), flag(at.is_some()));
                    at.map(|at| bag_model.remove(at));
                }
                2 => assert_eq!(set.call(Contains, &x), flag(set_model.contains(&x))),
                _ => {
                    let count = bag_model.iter().filter(|y| **y == x).count();
                    assert_eq!(bag.call(Count, &x), Ok(vec![word_of(count)]));
                }
            }
            bag_model.sort_unstable();
            assert_eq!(set.contents.to_vec(), set_model.iter().flatten().copied().collect::<Vec<_>>());
            assert_eq!(bag.contents.to_vec(), bag_model.concat());
            let mut again: Words = bag_model.iter().rev().flatten().copied().collect();
            arrange(&bag.class, &mut again).expect("all defined");
            assert_eq!(again, bag.contents);
        }
    }

    #[test]
    fn a_map_with_flat_and_with_wide_values() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut flat = Subject::new(|t| {
            let key = t.intern(TypeKind::Key);
            TypeKind::Map(key, t.intern(TypeKind::Data))
        });
        let mut wide = Subject::new(|t| {
            let data = t.intern(TypeKind::Data);
            let key = t.intern(TypeKind::Key);
            TypeKind::Map(key, t.intern(TypeKind::Array(data, 2)))
        });
        let mut model: BTreeMap<Word, Word> = BTreeMap::new();
        for _ in 0..3000 {
            let (k, v) = (random.i32(1..5), random.i32(1..5));
            let (method, extra, was) = match random.u32(..3) {
                0 => (Insert, true, model.insert(k, v)),
                1 => (RemoveKey, false, model.remove(&k)),
                _ => (Lookup, false, model.get(&k).copied()),
            };
            let args: &[Word] = if extra { &[k, v] } else { &[k] };
            assert_eq!(flat.call(method, args), Ok(vec![was.unwrap_or(NONE)]));
            let args: &[Word] = if extra { &[k, v, -v] } else { &[k] };
            assert_eq!(
                wide.call(method, args),
                Ok(was.map_or(vec![0, UNDEFINED, UNDEFINED], |v| vec![1, v, -v]))
            );
            assert_eq!(flat.call(Contains, &[k]), Ok(vec![Word::from(model.contains_key(&k))]));
            assert_eq!(flat.contents.to_vec(), model.iter().flat_map(|(k, v)| [*k, *v]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn undefined_values_may_lie_in_a_collection_but_not_be_searched_for() {
        let mut seq = Subject::new(|t| TypeKind::Seq(t.intern(TypeKind::Data)));
        assert_eq!(seq.call(PushBack, &[UNDEFINED]), Ok(vec![]));
        assert_eq!(seq.call(Contains, &[1]), Err(Misuse::Undefined));
        assert_eq!(seq.call(PopFront, &[]), Ok(vec![UNDEFINED]));
        assert_eq!(seq.call(Contains, &[UNDEFINED]), Err(Misuse::Undefined));
        let mut set = Subject::new(|t| TypeKind::Set(t.intern(TypeKind::Data)));
        assert_eq!(set.call(Add, &[UNDEFINED]), Err(Misuse::Undefined));
    }
}
