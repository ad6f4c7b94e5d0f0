//! The laws of parsing and formatting, on unusual texts.

use linchpin_frontend::syntax::fuzzing::check_syntax;
use linchpin_frontend::syntax::parse;
use linchpin_ir::source::SourceMap;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SAMPLE: &str = include_str!("syntax_sample.lin");

/// A fraction of a second on a free machine; anything that is not linear takes minutes.
const SOON: Duration = Duration::from_secs(5);

fn errors(text: &str) -> Vec<String> {
    let file = SourceMap::default().add("test.lin", text);
    parse(file, text).1.into_iter().map(|d| d.title).collect()
}

/// Words, signs and rubbish, in any order.
fn token_soup() -> impl Strategy<Value = String> {
    const TOKENS: &str = "object memory use const type enum struct word shared local init op fn impl hash role spec \
        check prove let if else match loop while for in break continue return defer atomic await assert assume lin \
        maybe of true false null none me self new choose where when state violated bool int data key seq set map x y \
        f Node Link N 0 1 42 99999999999999999999 'a _ ( ) [ ] { } , ; : :: . .. ..= -> => # ? & | = += -= || && == \
        != < <= > >= + - * / % ! === *= /* \" \n \n\n //c\n £ \\ @";
    let tokens: Vec<&str> = TOKENS.split(' ').collect();
    prop::collection::vec(prop::sample::select(tokens), 0..120).prop_map(|tokens| tokens.join(" "))
}

/// The sample with some of its words dropped, doubled, exchanged or replaced.
fn mutated_sample() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5u8);
    prop::collection::vec(edit, 1..6).prop_map(|edits| {
        let mut pieces: Vec<&str> = SAMPLE.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).collect();
        for (at, other, kind) in edits {
            let (at, other) = (at.index(pieces.len()), other.index(pieces.len()));
            match kind {
                0 => {
                    pieces.remove(at);
                }
                1 => pieces.insert(at, pieces[other]),
                2 => pieces.swap(at, other),
                3 => pieces[at] = pieces[other],
                _ => pieces.insert(at, " // inserted\n"),
            }
        }
        pieces.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check_syntax(&String::from_utf8_lossy(&bytes)).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn any_characters(text in "\\PC{0,200}") {
        check_syntax(&text).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn any_tokens(text in token_soup()) {
        check_syntax(&text).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn any_small_change_of_a_file(text in mutated_sample()) {
        check_syntax(&text).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn any_text_of_the_grammar(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let text = crate::syntax_generator::file(&bytes);
        prop_assert_eq!(errors(&text), Vec::<String>::new(), "{}", text);
        check_syntax(&text).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn the_sample_and_every_model_of_the_catalogue() {
    let mut files = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/syntax_sample.lin")];
    lin_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"), &mut files);
    assert!(files.len() > 1, "no models found");
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(errors(&text), Vec::<String>::new(), "{}", path.display());
        check_syntax(&text).unwrap_or_else(|law| panic!("{}: {law}", path.display()));
    }
}

/// A comment between any two words of a condition, whatever its last operand is.
#[test]
fn a_comment_in_any_gap_of_a_condition() {
    const OPERANDS: [&str; 9] = [
        "x",
        "x . y",
        "b [ c ]",
        "! choose bool",
        "f ( x , y )",
        "a . f ( )",
        "( x || y )",
        "T :: N",
        "( choose y in 0 .. 2 where y == x )",
    ];
    for (word, body) in [("if", "{ }"), ("while", "{ x ( ) ; }"), ("match", "{ }"), ("match", "{ _ => { } }")]
    {
        for before in ["", "a *", "a && b . c ==", "a || b . c * d ||"] {
            for operand in OPERANDS {
                let text = format!("op f ( ) {{ {word} {before} {operand} {body} }}");
                check_syntax(&text).unwrap();
                for (gap, _) in text.match_indices(' ') {
                    for comment in [" // c\n", "\n// c\n", " // c\n\n// d\n"] {
                        let commented = format!("{}{comment}{}", &text[..gap], &text[gap..]);
                        check_syntax(&commented).unwrap_or_else(|law| panic!("{law}"));
                    }
                }
            }
        }
    }
}

fn lin_files(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            lin_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "lin") {
            files.push(path);
        }
    }
}

#[test]
fn a_megabyte_of_rubbish_is_soon_refused() {
    let mut random = fastrand::Rng::with_seed(7);
    let bytes: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(1 << 20).collect();
    let words = "if x { y = ( [ ".repeat(1 << 16);
    let unknown = "£ ".repeat(1 << 19);
    let braces = "{ } ".repeat(1 << 18);
    for text in [&*String::from_utf8_lossy(&bytes), &words, &unknown, &braces] {
        let start = Instant::now();
        let titles = errors(text);
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
        assert!(!titles.is_empty() && titles.len() <= 51);
    }
}

#[test]
fn a_megabyte_of_program_is_soon_read() {
    let op =
        "op f(x: data) -> data? {\n    if a.b[0] == c && d { return g(x, 1 + 2); }\n    return none;\n}\n";
    let text = op.repeat((1 << 20) / op.len());
    let start = Instant::now();
    assert_eq!(errors(&text), Vec::<String>::new());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn nesting_is_bounded_in_every_direction() {
    let deep = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(20_000), close.repeat(20_000))
    };
    let statements = [
        deep("{", "", "}"),
        deep("if x {", "", "}"),
        format!("if a {{}} {}", "else if a {} ".repeat(20_000)),
        deep("loop { match x { _ => {", "", "} } }"),
        deep("defer ", "x();", ""),
    ];
    let expressions = [
        deep("(", "x", ")"),
        deep("!", "x", ""),
        deep("-", "x", ""),
        deep("[", "x", "]"),
        deep("f(", "x", ")"),
        deep("N { x: ", "x", "}"),
        deep("x", "", ".f"),
        format!("x{}", "[0]".repeat(20_000)),
        format!("x{}", ".f(1)".repeat(20_000)),
        format!("x{}", " + x".repeat(20_000)),
        format!("x{}", " || x".repeat(20_000)),
        deep("new [1; ", "x", "]"),
        deep("choose ", "x", ""),
        deep("|x| ", "x", ""),
        deep("new A<[int; ", "x", "]> {}"),
    ];
    let types = [
        deep("*", "int", ""),
        deep("int", "", "?"),
        deep("[", "int", "; 1]"),
        deep("*[", "int", "]"),
        deep("seq<", "int", ">"),
        format!("0..1{}", " + 1".repeat(20_000)),
    ];
    let mut texts: Vec<String> = statements.iter().map(|s| format!("op f() {{ {s} }}")).collect();
    texts.extend(expressions.iter().map(|e| format!("op f() {{ let y = {e}; }}")));
    texts.extend(types.iter().map(|t| format!("shared x: {t};")));
    texts.push(format!("role r = {};", deep("(", "x", ")")));
    for text in texts {
        let titles = errors(&text);
        let is_bounded =
            |title: &String| title == "nested too deeply" || title == "this expression is too long";
        assert!(titles.iter().any(is_bounded), "{}…: {titles:?}", &text[..60]);
    }
}

#[test]
fn what_is_not_too_deep_is_read() {
    let nested = format!("op f() {{ x = {}1{}; }}", "(".repeat(100), ")".repeat(100));
    assert_eq!(errors(&nested), Vec::<String>::new());
    let chain = format!("op f() {{ x = 1{}; }}", " + 1".repeat(100));
    assert_eq!(errors(&chain), Vec::<String>::new());
    check_syntax(&nested).unwrap();
    check_syntax(&chain).unwrap();
}
