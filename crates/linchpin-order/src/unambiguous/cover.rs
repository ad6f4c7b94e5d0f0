//! Unions of presences: a moment at which no value is present, or a few values that leave none.

use super::values::{Moment, Span};

/// The union of some spans, as disjoint spans in order.
#[derive(Debug)]
pub(super) struct Cover {
    parts: Vec<Span>,
}

impl Cover {
    pub fn new(spans: impl IntoIterator<Item = Span>) -> Cover {
        let mut spans: Vec<Span> = spans.into_iter().collect();
        spans.sort_unstable_by_key(|span| span.start);
        let mut parts: Vec<Span> = Vec::new();
        for span in spans {
            match parts.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => parts.push(span),
            }
        }
        Cover { parts }
    }

    /// Returns the first moment of the span that is not covered.
    pub fn first_gap(&self, span: Span) -> Option<Moment> {
        let after = self.parts.partition_point(|part| part.start <= span.start);
        let covering = after.checked_sub(1).map(|at| self.parts[at]).filter(|part| span.start < part.end);
        let moment = covering.map_or(span.start, |part| part.end);
        (moment < span.end).then_some(moment)
    }
}

/// Returns the numbers of as few spans as possible that cover the moments from `from` to just before `to`;
/// `None` if the spans do not cover them.
pub(super) fn chain(spans: &[(usize, Span)], from: Moment, to: Moment) -> Option<Vec<usize>> {
    let mut spans: Vec<&(usize, Span)> = spans.iter().collect();
    spans.sort_unstable_by_key(|(number, span)| (span.start, *number));
    let mut chosen = Vec::new();
    let mut covered = from;
    let mut at = 0;
    while covered < to {
        let mut best: Option<&(usize, Span)> = None;
        while let Some(next) = spans.get(at).filter(|(_, span)| span.start <= covered) {
            if best.is_none_or(|(_, best)| best.end < next.1.end) {
                best = Some(next);
            }
            at += 1;
        }
        let (number, span) = best.filter(|(_, span)| span.end > covered)?;
        chosen.push(*number);
        covered = span.end;
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the moments one by one.
    #[test]
    fn gaps_and_chains_agree_with_single_moments() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut counts = [0, 0];
        for _ in 0..3000 {
            let span = |rng: &mut fastrand::Rng| {
                let start = rng.usize(0..20);
                Span { start, end: start + rng.usize(1..8) }
            };
            let spans: Vec<Span> = (0..rng.usize(0..8)).map(|_| span(&mut rng)).collect();
            let asked = span(&mut rng);
            let is_in = |moment: &Moment| spans.iter().any(|s| (s.start..s.end).contains(moment));
            let gap = (asked.start..asked.end).find(|moment| !is_in(moment));
            assert_eq!(Cover::new(spans.iter().copied()).first_gap(asked), gap, "{spans:?} {asked:?}");
            let numbered: Vec<(usize, Span)> = spans.iter().copied().enumerate().collect();
            let chain = chain(&numbered, asked.start, asked.end);
            assert_eq!(chain.is_some(), gap.is_none(), "{spans:?} {asked:?}");
            counts[usize::from(gap.is_none())] += 1;
            let Some(chain) = chain else { continue };
            let is_chosen = |moment: &Moment| {
                chain.iter().any(|&number| (spans[number].start..spans[number].end).contains(moment))
            };
            assert!((asked.start..asked.end).all(|moment| is_chosen(&moment)));
        }
        assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
    }
}
