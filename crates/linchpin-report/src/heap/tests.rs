//! Pictures of the shapes that models have.

use super::draw;
use crate::line::Line;
use crate::scene::{Cell, CellName, Field, HeapSnapshot, Holder, Value};

fn name(letter: char) -> CellName {
    CellName::nth(letter as usize - 'A' as usize)
}

fn to(letter: char) -> Value {
    Value::Pointer(Some(name(letter)))
}

fn null() -> Value {
    Value::Pointer(None)
}

fn plain(text: &str) -> Value {
    Value::Plain(text.into())
}

fn word(pointer: Value, field: &str, value: Value) -> Value {
    Value::Word(vec![Field::new("ptr", pointer), Field::new(field, value)])
}

fn cell(letter: char, fields: Vec<(&str, Value)>) -> Cell {
    let fields = fields.into_iter().map(|(name, value)| Field::new(name, value)).collect();
    Cell { name: name(letter), value: Value::Struct(fields), free: false }
}

fn variables(list: Vec<(&str, Value)>) -> Vec<Field> {
    list.into_iter().map(|(name, value)| Field::new(name, value)).collect()
}

fn holder(thread: usize, variable: &str, value: Value) -> Holder {
    Holder { thread, variable: Field::new(variable, value), is_temporary: false }
}

fn drawn(scene: &HeapSnapshot, width: usize) -> String {
    let lines: Vec<String> = draw(scene, None, width).iter().map(Line::text).collect();
    lines.join("\n")
}

fn node(letter: char, value: &str, next: Value) -> Cell {
    cell(letter, vec![("val", plain(value)), ("next", next)])
}

#[test]
fn a_stack_with_a_node_on_its_way_in() {
    let scene = HeapSnapshot {
        variables: variables(vec![("head", to('B'))]),
        cells: vec![node('A', "1", null()), node('B', "2", to('A')), node('C', "1", to('B'))],
        holders: vec![holder(0, "top", to('B')), holder(1, "next", to('A')), holder(0, "n", to('C'))],
    };
    insta::assert_snapshot!(drawn(&scene, 100), @"
    head → B:2 → A:1 → null
           ↑ t0.top
                 ↑ t1.next
    t0.n → C:1 → B
    ");
}

#[test]
fn the_longest_way_is_drawn_and_the_others_are_labels() {
    let scene = HeapSnapshot {
        variables: variables(vec![("tail", to('B')), ("head", to('A')), ("size", plain("1"))]),
        cells: vec![cell('A', vec![("val", Value::Undefined), ("next", to('B'))]), node('B', "1", null())],
        holders: vec![holder(1, "first", to('B'))],
    };
    insta::assert_snapshot!(drawn(&scene, 100), @"
    head → A → B:1 → null
               ↑ tail, t1.first
    size = 1
    ");
}

#[test]
fn marks_locks_ages_and_infinities() {
    let lazy = |letter, key: &str, marked, holder: Option<&str>, next| {
        cell(
            letter,
            vec![
                ("key", plain(key)),
                ("next", next),
                ("marked", Value::Bool(marked)),
                ("lock", Value::Lock(holder.map(str::to_string))),
            ],
        )
    };
    let scene = HeapSnapshot {
        variables: variables(vec![("head", to('B'))]),
        cells: vec![
            lazy('A', "∞", false, None, null()),
            lazy('B', "-∞", false, Some("t0"), to('C')),
            lazy('C', "1", true, Some("t0"), to('A')),
        ],
        holders: vec![holder(0, "pred", to('B')), holder(0, "curr", to('C')), holder(1, "curr", to('C'))],
    };
    insta::assert_snapshot!(drawn(&scene, 100), @"
    head → B:-∞[lock t0] → C:1[marked, lock t0] → A:∞ → null
           ↑ t0.pred       ↑ t0.curr, t1.curr
    ");
    let tagged = HeapSnapshot {
        variables: variables(vec![("head", word(to('A'), "age", plain("3")))]),
        cells: vec![
            cell('A', vec![("val", plain("1")), ("next", word(to('B'), "mark", Value::Bool(true)))]),
            cell('B', vec![("val", plain("2")), ("next", word(null(), "mark", Value::Bool(false)))]),
        ],
        holders: vec![holder(1, "top", word(to('A'), "age", plain("2")))],
    };
    insta::assert_snapshot!(drawn(&tagged, 100), @"
    head ─age 3→ A:1 ─mark→ B:2 → null
                 ↑ t1.top (age 2)
    ");
}

#[test]
fn cycles_joined_lists_and_freed_cells() {
    let mut freed = node('C', "2", to('A'));
    freed.free = true;
    let scene = HeapSnapshot {
        variables: variables(vec![("head", to('A'))]),
        cells: vec![node('A', "1", to('B')), node('B', "1", to('A')), freed, node('D', "2", to('B'))],
        holders: vec![holder(0, "n", to('D')), holder(1, "top", to('C'))],
    };
    insta::assert_snapshot!(drawn(&scene, 100), @"
    head → A:1 → B:1 → A
    t0.n → D:2 → B
    free C:2 → A
         ↑ t1.top
    ");
}

#[test]
fn what_only_a_temporary_holds_is_drawn_from_its_thread() {
    let temporary = |thread, letter| Holder { is_temporary: true, ..holder(thread, "new", to(letter)) };
    let scene = HeapSnapshot {
        variables: variables(vec![("head", to('A'))]),
        cells: vec![node('A', "1", null()), node('B', "2", to('A'))],
        holders: vec![temporary(0, 'A'), temporary(1, 'B')],
    };
    insta::assert_snapshot!(drawn(&scene, 100), @"
    head → A:1 → null
    t1 → B:2 → A
    ");
}

#[test]
fn long_lists_go_on_below() {
    let letters: Vec<char> = ('A'..='J').collect();
    let cells = letters
        .iter()
        .zip(letters.iter().skip(1).map(|next| to(*next)).chain([null()]))
        .map(|(letter, next)| node(*letter, "1", next))
        .collect();
    let holders =
        vec![holder(0, "pred", to('C')), holder(0, "curr", to('D')), holder(1, "last_one", to('J'))];
    let scene = HeapSnapshot { variables: variables(vec![("head", to('A'))]), cells, holders };
    insta::assert_snapshot!(drawn(&scene, 40), @"
    head → A:1 → B:1 → C:1 → D:1 → E:1 → F:1
                       ↑ t0.pred
                             ↑ t0.curr
         → G:1 → H:1 → I:1 → J:1 → null
                             ↑ t1.last_one
    ");
}

#[test]
fn labels_wider_than_the_picture_get_lines_of_their_own() {
    let scene = HeapSnapshot {
        variables: variables(vec![("head", to('A'))]),
        cells: vec![node('A', "1", null())],
        holders: vec![
            holder(0, "predecessor", to('A')),
            holder(1, "predecessor", to('A')),
            holder(1, "node", to('A')),
        ],
    };
    insta::assert_snapshot!(drawn(&scene, 26), @"
    head → A:1 → null
     ↑ t0.predecessor,
       t1.predecessor, t1.node
    ");
}

#[test]
fn several_pointers_a_cell_make_a_listing() {
    let deque = |letter, value: Option<&str>, left, right| {
        let value = value.map_or(Value::Undefined, plain);
        cell(letter, vec![("val", value), ("left", left), ("right", right)])
    };
    let scene = HeapSnapshot {
        variables: variables(vec![
            ("dummy", to('A')),
            ("left_hat", to('B')),
            ("right_hat", to('C')),
            ("spare", null()),
            ("hazard", Value::Array(vec![to('B'), null()])),
            ("lock", Value::Lock(Some("t1".into()))),
            ("other", Value::Lock(None)),
        ]),
        cells: vec![
            deque('A', None, to('A'), to('A')),
            deque('B', Some("1"), to('A'), to('C')),
            deque('C', Some("2"), to('B'), null()),
        ],
        holders: vec![holder(0, "rh", to('C')), holder(1, "rh", to('A'))],
    };
    insta::assert_snapshot!(drawn(&scene, 100), @"
    A  left A, right A            ← dummy, t1.rh
    B  val 1, left A, right C     ← left_hat, hazard[0]
    C  val 2, left B, right null  ← right_hat, t0.rh
    spare → null
    lock held by t1
    ");
    insta::assert_snapshot!(drawn(&scene, 32), @"
    A  left A, right A
       ← dummy, t1.rh
    B  val 1, left A, right C
       ← left_hat, hazard[0]
    C  val 2, left B, right null
       ← right_hat, t0.rh
    spare → null
    lock held by t1
    ");
}

#[test]
fn an_object_without_a_heap_is_its_variables() {
    let scene = HeapSnapshot {
        variables: variables(vec![
            ("bit", Value::Array(vec![Value::Bool(true), Value::Bool(false)])),
            ("not_full", Value::Condvar(vec!["t0".into()])),
        ]),
        ..HeapSnapshot::default()
    };
    insta::assert_snapshot!(drawn(&scene, 100), @"bit = [true, false]   not_full: t0 waits");
}

#[test]
fn of_a_large_listing_only_news_is_shown() {
    let tree = |value: &str| HeapSnapshot {
        variables: variables(vec![("root", to('A'))]),
        cells: ('A'..='H')
            .map(|letter| {
                let value = if letter == 'C' { value } else { "1" };
                cell(letter, vec![("val", plain(value)), ("left", to('B')), ("right", null())])
            })
            .collect(),
        holders: vec![],
    };
    let lines: Vec<String> = draw(&tree("2"), Some(&tree("1")), 100).iter().map(Line::text).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    C  val 2, left B, right null
    … 7 unchanged cells
    ");
}
