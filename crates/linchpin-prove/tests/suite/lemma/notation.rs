//! `parse(print(lemma)) = lemma`, and errors with their places.

use super::compiled;
use linchpin_prove::lemma::vocabulary::{literals, places};
use linchpin_prove::lemma::{Lemma, Printer, parse};
use linchpin_report::render::render;

#[test]
fn what_is_printed_is_read_back() {
    let models =
        ["ms_queue", "treiber_stack", "lazy_list", "fine_list", "lock_free_list", "harris_list", "lms_queue"];
    for model in models {
        let compiled = compiled(model);
        let program = &compiled.program;
        let mut lemmas = Vec::new();
        for place in places(program) {
            let literals = literals(program, place);
            lemmas.extend(literals.iter().cloned().map(|literal| Lemma::always(place, literal)));
            // Each literal as a premise, and as one of two.
            for pair in literals.windows(3) {
                let premises = pair[..1 + lemmas.len() % 2].to_vec();
                lemmas.extend(Lemma::new(place, premises, pair[2].clone()));
            }
        }
        let printer = Printer { program, sources: &compiled.sources };
        let text: Vec<String> = lemmas.iter().map(|lemma| printer.lemma(lemma)).collect();
        let mut sources = (*compiled.sources).clone();
        let file = sources.add("lemmas", text.join("\n"));
        let read = parse(program, &sources, file).unwrap_or_else(|errors| {
            panic!("{model}: {}", errors.iter().map(|e| render(&sources, e, false)).collect::<String>())
        });
        assert_eq!(read.len(), lemmas.len(), "{model}");
        for ((read, lemma), text) in read.iter().zip(&lemmas).zip(&text) {
            assert_eq!(read, lemma, "{model}: {text}");
        }
        assert!(lemmas.len() > 100, "{model}: {} lemmas", lemmas.len());
    }
}

fn errors_of(model: &str, text: &str) -> Vec<(String, String)> {
    let compiled = compiled(model);
    let mut sources = (*compiled.sources).clone();
    let file = sources.add("lemmas", text);
    let errors = parse(&compiled.program, &sources, file).expect_err("errors");
    let shown = |error: &linchpin_ir::diagnostic::Diagnostic| {
        (error.title.clone(), error.help.clone().unwrap_or_default())
    };
    errors.iter().map(shown).collect()
}

#[test]
fn every_error_is_reported_with_the_way_out() {
    let text = "\
        lemma pop at 24: top == null;        // `pop` has no access here\n\
        lemma peek at 24: top == null;\n\
        lemma push at 16: sp != null;\n\
        lemma push at 16: n != null && n.next == null && head == n -> private(n);\n\
        lemma push at 16: n == null && head == n;\n\
        lemma cell: cell.next";
    let titles: Vec<String> = errors_of("treiber_stack", text).into_iter().map(|(title, _)| title).collect();
    assert_eq!(
        titles,
        [
            "`top` is not a variable of this place",
            "unknown operation",
            "`sp` is not a variable of this place",
            "a lemma has at most 2 premises",
            "expected `->`",
            "expected `;`",
        ]
    );
    assert!(errors_of("treiber_stack", text).iter().all(|(_, help)| !help.is_empty()));
}

#[test]
fn no_text_breaks_the_parser() {
    let compiled = compiled("lazy_list");
    let words = [
        "lemma",
        "add",
        "at",
        "25",
        ":",
        "pred",
        ".",
        "next",
        "==",
        "curr",
        ";",
        "!",
        "held",
        "(",
        ")",
        "->",
        "&&",
        "#",
        "é",
        "key",
        "::",
        "MAX",
        "null",
        "cell",
        "0",
        "99999999999999999999",
    ];
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..3_000 {
        let length = rng.usize(..14);
        let text: Vec<&str> = (0..length).map(|_| words[rng.usize(..words.len())]).collect();
        let mut sources = (*compiled.sources).clone();
        let file = sources.add("lemmas", text.join(if rng.bool() { " " } else { "" }));
        let _ = parse(&compiled.program, &sources, file);
    }
}
