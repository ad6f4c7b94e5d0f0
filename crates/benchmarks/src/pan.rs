//! Reads the output of a Spin verifier (`pan`).
//!
//! Its exit code is always 0, and a search that was cut short prints the same numbers as a complete one. So
//! the text is read with care: only an undisturbed search gives [`Verdict::Holds`].

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub verdict: Verdict,
    pub states: u64,
    /// With a claim (`-l`), of the product with it.
    pub transitions: u64,
    pub depth: u64,
    /// Statements of the model that no execution reached; the ends of processes are left out.
    pub unreached: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every state was searched, and nothing was wrong.
    Holds,
    /// The first error.
    Violated(String),
    /// The search was not exhaustive.
    Cut(String),
}

/// Lines of a search that left something out.
const CUTS: [&str; 5] = [
    "max search depth too small",
    "reached -DMEMLIM bound",
    "pan: out of memory",
    "hash table full",
    "Search not completed",
];

pub fn read(text: &str) -> Result<Outcome, String> {
    let summary = line_with(text, "errors:")?;
    let errors = number_after(summary, "errors:")?;
    Ok(Outcome {
        verdict: verdict(text, errors)?,
        states: number_before(line_with(text, "states, stored")?, "states, stored")?,
        transitions: number_before(line_with(text, "transitions (=")?, "transitions (=")?,
        depth: number_after(summary, "depth reached")?,
        unreached: unreached(text),
    })
}

fn verdict(text: &str, errors: u64) -> Result<Verdict, String> {
    // An error ends the search, so it is looked for first.
    if errors > 0 {
        let first = line_with(text, "pan:1:")?;
        return Ok(Verdict::Violated(first.trim_start_matches("pan:1:").trim().to_owned()));
    }
    let cut = text.lines().find(|line| CUTS.iter().any(|cut| line.contains(cut)));
    Ok(cut.map_or(Verdict::Holds, |line| Verdict::Cut(line.trim().to_owned())))
}

fn unreached(text: &str) -> Vec<String> {
    text.lines()
        .skip_while(|line| !line.starts_with("unreached in"))
        .filter(|line| line.starts_with('\t') && line.contains(", state ") && !line.contains("\"-end-\""))
        .map(|line| line.trim().to_owned())
        .collect()
}

fn line_with<'t>(text: &'t str, what: &str) -> Result<&'t str, String> {
    text.lines()
        .find(|line| line.contains(what))
        .ok_or_else(|| format!("pan did not print `{what}`:\n{text}"))
}

fn number_before(line: &str, what: &str) -> Result<u64, String> {
    let word = line.split(what).next().and_then(|before| before.split_whitespace().last());
    number(word, line)
}

fn number_after(line: &str, what: &str) -> Result<u64, String> {
    let word = line.split(what).nth(1).and_then(|after| after.split_whitespace().next());
    number(word, line)
}

/// Large numbers are printed as `1.046219e+08`, with eight digits.
fn number(word: Option<&str>, line: &str) -> Result<u64, String> {
    let unreadable = || format!("pan printed no number where one should be: {line}");
    let word = word.ok_or_else(unreadable)?.trim_end_matches(',');
    match word.parse() {
        Ok(exact) => Ok(exact),
        Err(_) => word.parse().map(whole).map_err(|_| unreadable()),
    }
}

/// pan prints large numbers rounded, as 1.5e+07.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates; pan counts from 0 and far below 2⁶⁴"
)]
fn whole(rounded: f64) -> u64 {
    rounded as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLDS: &str = "
(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
\tnever claim         \t- (none specified)
\tassertion violations\t+

State-vector 56 byte, depth reached 1034186, errors: 0
  4653895 states, stored
 10375839 states, matched
 15029734 transitions (= stored+matched)
        0 atomic steps
hash conflicts:    945968 (resolved)

unreached in proctype thread
\ttreiber_stack.pml:165, state 196, \"-end-\"
\t(1 of 196 states)

pan: elapsed time 10.6 seconds
";

    #[test]
    fn a_complete_search_holds() {
        let outcome = read(HOLDS).expect("it is what pan prints");
        let expected = Outcome {
            verdict: Verdict::Holds,
            states: 4_653_895,
            transitions: 15_029_734,
            depth: 1_034_186,
            unreached: vec![],
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn numbers_of_a_search_with_a_claim_are_read() {
        let text =
            HOLDS.replace("4653895 states, stored", "18826428 states, stored (2.79076e+07 visited)").replace(
                "15029734 transitions (= stored+matched)",
                "1.046219e+08 transitions (= visited+matched)",
            );
        let outcome = read(&text).expect("it is what pan prints");
        assert_eq!((outcome.states, outcome.transitions), (18_826_428, 104_621_900));
    }

    #[test]
    fn a_search_cut_short_does_not_hold() {
        for cut in [
            "error: max search depth too small",
            "pan: reached -DMEMLIM bound",
            "Warning: Search not completed",
        ] {
            let outcome = read(&format!("{cut}\n{HOLDS}")).expect("it is what pan prints");
            assert_eq!(outcome.verdict, Verdict::Cut(cut.to_owned()));
        }
    }

    #[test]
    fn the_first_error_is_the_verdict_though_the_search_stopped_there() {
        let text = HOLDS.replace("errors: 0", "errors: 1");
        let text = format!(
            "pan:1: assertion violated (items[size]==v) (at depth 26)\nWarning: Search not completed\n{text}"
        );
        let outcome = read(&text).expect("it is what pan prints");
        let error = "assertion violated (items[size]==v) (at depth 26)";
        assert_eq!(outcome.verdict, Verdict::Violated(error.to_owned()));
    }

    #[test]
    fn statements_that_were_not_reached_are_listed_without_the_ends() {
        let text = HOLDS.replace(
            "unreached in proctype thread\n",
            "unreached in proctype thread\n\ttreiber_stack.pml:140, state 88, \"head = n\"\n",
        );
        let outcome = read(&text).expect("it is what pan prints");
        assert_eq!(outcome.unreached, ["treiber_stack.pml:140, state 88, \"head = n\""]);
    }

    #[test]
    fn other_text_is_refused() {
        assert!(read("").is_err());
        assert!(read("pan: cannot allocate\n").is_err());
        assert!(read(&HOLDS.replace("4653895 states", "many states")).is_err());
    }
}
