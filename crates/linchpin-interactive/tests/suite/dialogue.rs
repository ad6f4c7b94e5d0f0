//! The dialogue in lines of text.

use crate::session;
use linchpin_interactive::question::Limits;
use linchpin_interactive::text::{Dialogue, Next};
use linchpin_report::line::Palette;

fn shown(dialogue: &mut Dialogue, line: &str) -> String {
    match dialogue.line(line, 100, || false) {
        Next::Show(text) => text,
        Next::Save(path, text) => format!("{}\n{text}", path.display()),
        Next::End => "end".into(),
    }
}

#[test]
fn moves_are_made_taken_back_and_made_again() {
    let mut dialogue = Dialogue::new(session("treiber_stack", 2, 2), Limits::default(), Palette::Plain);
    let opening = dialogue.opening(100);
    assert!(opening.starts_with("TreiberStack: small; `?` lists the commands"), "{opening}");
    assert!(opening.contains("  1  t0  push(1)"), "{opening}");
    let first = shown(&mut dialogue, "1");
    assert!(first.starts_with("step 1  push(1)"), "{first}");
    assert!(shown(&mut dialogue, "h").contains("t0  push(1) …  (from step 1)\nlinearizable so far"));
    let configurations = shown(&mut dialogue, "c");
    assert!(configurations.contains("t0's push(1) has taken effect"), "{configurations}");
    assert!(configurations.contains("t0's push(1) has not taken effect"), "{configurations}");
    assert!(shown(&mut dialogue, "b").starts_with("before the first step"));
    assert_eq!(shown(&mut dialogue, "a"), first);
    assert_eq!(shown(&mut dialogue, "a"), "there is no such step\n");
    assert_eq!(shown(&mut dialogue, "b 1"), "there is no such step\n");
    assert!(shown(&mut dialogue, "b 0").starts_with("before the first step"));
    assert_eq!(shown(&mut dialogue, "q"), "end");
}

#[test]
fn a_violation_is_found_taken_and_written() {
    let mut dialogue = Dialogue::new(session("treiber_stack_reuse", 2, 2), Limits::default(), Palette::Plain);
    let answer = shown(&mut dialogue, "v");
    assert!(answer.starts_with("Yes, after "), "{answer}");
    assert!(answer.contains("not linearizable, confirmed by replay.\n`t` takes it."), "{answer}");
    assert!(shown(&mut dialogue, "t").contains("not linearizable, confirmed by replay"));
    assert!(shown(&mut dialogue, "h").contains("No order of these calls is legal"));
    let written = shown(&mut dialogue, "w out.json");
    assert!(written.starts_with("out.json\n{"), "{written}");
    assert!(written.contains(r#""violates": "linearizable""#), "{written}");
    assert!(shown(&mut dialogue, "b").contains("linearizable so far"));
    assert!(shown(&mut dialogue, "w out.json").contains(r#""violates": "nothing""#));
}

#[test]
fn a_line_that_is_not_a_command_gets_a_message() {
    let mut dialogue = Dialogue::new(session("treiber_stack", 2, 2), Limits::default(), Palette::Plain);
    for line in ["z", "l", "l x", "s", "s x", "b x", "w", "v v", "1e9", "-1", "\u{202e}"] {
        let answer = shown(&mut dialogue, line);
        assert!(answer.ends_with("is not a command; `?` lists the commands\n"), "{line}: {answer}");
        assert!(!answer.contains('\u{202e}'));
    }
    for number in ["0", "99", "18446744073709551615"] {
        let answer = shown(&mut dialogue, number);
        assert!(answer.starts_with("there is no move "), "{number}: {answer}");
    }
    assert_eq!(shown(&mut dialogue, "s 9"), "there is no initial state 9; they are 1 to 1\n");
    assert_eq!(shown(&mut dialogue, "t"), "there is no such step\n");
}

#[test]
fn no_is_said_within_the_bounds() {
    let mut dialogue = Dialogue::new(session("treiber_stack", 2, 1), Limits::default(), Palette::Plain);
    let answer = shown(&mut dialogue, "v");
    assert!(answer.starts_with("No: all ") && answer.contains("within these bounds"), "{answer}");
}
