//! How large a breadth-first search will become, from the sizes of its levels so far.
//!
//! Levels grow by a factor that falls from level to level until it is below one and the search dies out. On the way up the
//! logarithm of the factor falls about linearly, as that of a bell curve does: the line through the last levels, gone on
//! with until a level is empty, gives the sum. Far below the top of the bell the line falls too steeply: the sum is too
//! small there, and grows with what is known. While the factor does not fall there is nothing to go by.

/// Levels that the line is laid through.
const LOOKED_AT: usize = 8;
/// A level smaller than this says nothing of the next ones.
const SMALLEST_LEVEL: usize = 64;

/// The number of nodes when the search will have ended, if the levels let anybody guess.
pub fn forecast(levels: &[usize]) -> Option<u64> {
    let known: u64 = levels.iter().map(|size| *size as u64).sum();
    let last = *levels.last()?;
    if levels.len() < LOOKED_AT + 2 || last < SMALLEST_LEVEL {
        return None;
    }
    let tail = &levels[levels.len() - LOOKED_AT - 1..];
    let growth: Vec<f64> =
        tail.windows(2).map(|pair| (pair[1] as f64 / pair[0].max(1) as f64).ln()).collect();
    let (slope, mut rate) = line(&growth);
    if slope >= -1e-4 {
        return None;
    }
    let (mut size, mut sum) = (last as f64, known as f64);
    while size >= 1.0 && sum < 1e15 {
        rate += slope;
        size *= rate.exp();
        sum += size;
    }
    Some(whole(sum))
}

/// The whole part of an estimate; none is less than 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and an estimate is only shown"
)]
pub fn whole(estimate: f64) -> u64 {
    estimate as u64
}

/// The slope of the line of least squares, and its value at the last point.
fn line(points: &[f64]) -> (f64, f64) {
    let count = points.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let mean = points.iter().sum::<f64>() / count;
    let terms = points.iter().enumerate().map(|(at, point)| (at as f64 - middle, point - mean));
    let (above, below) = terms.fold((0.0, 0.0), |(a, b), (x, y)| (a + x * y, b + x * x));
    let slope = above / below;
    (slope, mean + slope * middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::index::number_of;

    /// The levels of a search that grows as a bell curve does.
    fn bell(height: f64, width: f64) -> Vec<usize> {
        (0..number_of(whole(8.0 * width)))
            .map(|at| height * (-((f64::from(at) - 4.0 * width) / width).powi(2) / 2.0).exp())
            .map(|size| number_of(whole(size)) as usize)
            .collect()
    }

    #[test]
    fn half_of_a_bell_tells_the_other_half() {
        let levels = bell(1e6, 8.0);
        let whole: usize = levels.iter().sum();
        for part in [24, 28, 32, 40] {
            let guess = forecast(&levels[..part]).expect("the factor falls") as f64;
            assert!((0.5..2.0).contains(&(guess / whole as f64)), "{guess} for {whole} after {part} levels");
        }
    }

    #[test]
    fn what_grows_and_grows_has_no_end_in_sight() {
        let levels: Vec<usize> = (0..20).map(|at| 100 << at).collect();
        assert_eq!(forecast(&levels), None);
        assert_eq!(forecast(&[1, 2, 3]), None, "too early to say");
    }
}
