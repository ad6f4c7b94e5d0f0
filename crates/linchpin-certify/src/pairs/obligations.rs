//! Tests of obligations that no certificate of the prover reaches, because the prover refuses such programs.

#[cfg(test)]
mod tests {
    use crate::certificate::{Obligation, WatchedCell};
    use crate::pairs::config::{Age, Config, Home, Thread, Val, default};
    use crate::pairs::eval::Site;
    use crate::pairs::graph::Algebra;
    use crate::pairs::memory::{AgeWrite, Writer, found_before};
    use crate::pairs::run::Runner;
    use linchpin_frontend::lower::lower;
    use linchpin_frontend::typing::check;
    use linchpin_ir::heap::layout::{Content, HeapLayout, SharedPart, Sort};
    use linchpin_ir::interface::Setting;
    use linchpin_ir::source::SourceMap;
    use smallvec::SmallVec;
    use std::collections::BTreeMap;

    const TWO_AGES: &str = "
    object O: Stack;
    word Top { ptr: *Node, age: age, other: age }
    struct Node { val: data, next: *Node }
    shared head: Top;
    op push(v: data) {
        let n = new Node { val: v };
        loop {
            let top = head;
            n.next = top.ptr;
            if cas(head, top, Top { ptr: n, age: top.age + 1, other: top.other }) { lin; break; }
        }
    }
    op pop() -> data? {
        loop {
            let top = head;
            lin if top.ptr == null;
            if top.ptr == null { return none; }
            let next = top.ptr.next;
            if cas(head, top, Top { ptr: next, age: top.age + 1, other: top.other }) { lin; return top.ptr.val; }
        }
    }";

    /// Calls `ask` with a runner of the program.
    fn with_runner(ask: impl Fn(&Runner)) {
        let mut sources = SourceMap::default();
        let root = sources.add("model.lin", TWO_AGES);
        let typed = check(&mut sources, &BTreeMap::new(), root, &Setting::default());
        let typed = typed.program.unwrap_or_else(|| panic!("{:?}", typed.diagnostics));
        let program = lower(&sources, &typed).expect("a program");
        let layout = HeapLayout::of(&program).expect("a heap program");
        let algebra = Algebra::new();
        ask(&Runner {
            layout: &layout,
            algebra: &algebra,
            rests: &[],
            rest_numbers: &[],
            question: Obligation::Assertions,
            observers: None,
            ordered: false,
            pristine: true,
        });
    }

    /// Returns one of the two ages of `head`.
    fn part(number: usize) -> Home {
        Home::Shared(SharedPart::try_from(number).expect("a small number"))
    }

    /// Outside of `init` only a `cas` writes an age: a current copy of this age, or its successor.
    #[test]
    fn ages_never_fall() {
        with_runner(each_write_of_an_age);
    }

    fn each_write_of_an_age(runner: &Runner) {
        let frame = runner.layout.frame(None).expect("the frame of `init`");
        let span = runner.layout.heap().ops().iter().next().expect("an operation").span;
        let (here, beside) = (part(1), part(2));
        let mut written = 0;
        for writer in [Writer::Store, Writer::Cas] {
            for (current, stepped) in [(true, true), (true, false), (false, true), (false, false)] {
                for home in [here, beside, Home::Lost] {
                    let mut failures = Vec::new();
                    let mut site = Site { frame, span, failures: &mut failures };
                    let copy = Val::Age(Age { current, stepped, home });
                    let effect = runner.age_write(&mut site, copy, writer, |of| of == here);
                    let is_right = writer == Writer::Cas && current && home == here;
                    let expected = if stepped { AgeWrite::Stepped } else { AgeWrite::Unchanged };
                    assert_eq!(effect, is_right.then_some(expected), "{writer:?} {copy:?}");
                    assert_eq!(failures.is_empty(), is_right, "{writer:?} {copy:?}");
                    written += usize::from(is_right);
                }
            }
            let mut failures = Vec::new();
            let mut site = Site { frame, span, failures: &mut failures };
            assert_eq!(runner.age_write(&mut site, Val::Any(Sort::Age), writer, |_| true), None);
        }
        assert_eq!(written, 2);
    }

    /// Stepping one age leaves copies of the other as they are.
    #[test]
    fn an_age_is_its_part_of_a_word() {
        with_runner(|runner| {
            let frame = runner.layout.frame(None).expect("the frame of `init`");
            let copy = |stepped, home| Val::Age(Age { current: true, stepped, home });
            let mut case = Config {
                graph: runner.empty_graph(),
                location: 0,
                used: 0,
                held: 0,
                globals: runner.layout.shared().iter().map(|part| default(*part)).collect(),
                tracked: SmallVec::new(),
                watch: WatchedCell::default(),
                threads: SmallVec::from_elem(Thread::idle(), 1),
                actor: 0,
                vars: SmallVec::from_slice(&[copy(false, part(1)), copy(false, part(2))]),
                event: None,
                visible: false,
                fuel: 0,
            };
            let mut failures = Vec::new();
            let span = runner.layout.heap().ops().iter().next().expect("an operation").span;
            let mut site = Site { frame, span, failures: &mut failures };
            assert!(runner.write_shared(&mut site, &mut case, 1, copy(true, part(1)), Writer::Cas));
            let stale = Val::Age(Age { current: false, stepped: false, home: part(1) });
            assert_eq!(case.vars[..], [stale, copy(false, part(2))]);
        });
    }

    /// A value that a certificate leaves out is every class of its sort, including undefined data.
    #[test]
    fn data_that_is_left_out_is_every_class() {
        with_runner(|runner| {
            let data = runner.data_cases(Val::Any(Sort::Data));
            assert_eq!(data[..], [Val::Other, Val::Undefined]);
            let optional = runner.data_cases(Val::Any(Sort::Optional(Content::Data)));
            assert_eq!(optional[..], [Val::Other, Val::Undefined, Val::Absent]);
        });
    }

    /// The age that a `cmpxchg` found is current only if the `cmpxchg` kept the age.
    #[test]
    fn what_was_found_is_the_age_before() {
        let copy = |current, stepped| Val::Age(Age { current, stepped, home: Home::Lost });
        assert_eq!(found_before(copy(true, false), copy(true, true)), copy(false, false));
        assert_eq!(found_before(copy(true, false), copy(true, false)), copy(true, false));
        assert_eq!(found_before(copy(true, false), Val::Any(Sort::Age)), Val::Any(Sort::Age));
        assert_eq!(found_before(Val::Null, Val::Null), Val::Null);
    }
}
