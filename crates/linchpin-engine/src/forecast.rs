//! Estimates the final size of a breadth-first search from the sizes of its levels.
//!
//! Model: the sizes of levels follow a bell curve, so the logarithm of the growth factor falls linearly.
//! The estimate fits a line to the factors of the last levels and extends the line until a level is empty.
//! Early in a search the line falls too steeply, so the estimate is too small and grows with later levels.
//! While the factor does not fall, there is no estimate.

/// Number of growth factors in the fit.
const FITTED_LEVELS: usize = 8;
/// Least size of the last level. Smaller levels give no usable factor.
const SMALLEST_LEVEL: usize = 64;

/// Estimates the number of nodes of the finished search. `None`: too few levels, or levels that grow ever
/// faster.
pub fn forecast(levels: &[usize]) -> Option<u64> {
    let known: u64 = levels.iter().map(|size| *size as u64).sum();
    let last = *levels.last()?;
    if levels.len() < FITTED_LEVELS + 2 || last < SMALLEST_LEVEL {
        return None;
    }
    let tail = &levels[levels.len() - FITTED_LEVELS - 1..];
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

/// Returns the integer part of an estimate. Negative estimates become 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and an estimate is only displayed"
)]
pub fn whole(estimate: f64) -> u64 {
    estimate as u64
}

/// Fits a line by least squares. Returns the slope and the value at the last point.
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

    /// Levels whose sizes follow a bell curve.
    fn bell(height: f64, width: f64) -> Vec<usize> {
        (0..number_of(whole(8.0 * width)))
            .map(|at| height * (-((f64::from(at) - 4.0 * width) / width).powi(2) / 2.0).exp())
            .map(|size| number_of(whole(size)) as usize)
            .collect()
    }

    #[test]
    fn half_of_a_bell_predicts_the_other_half() {
        let levels = bell(1e6, 8.0);
        let whole: usize = levels.iter().sum();
        for part in [24, 28, 32, 40] {
            let guess = forecast(&levels[..part]).expect("the factor falls") as f64;
            assert!((0.5..2.0).contains(&(guess / whole as f64)), "{guess} for {whole} after {part} levels");
        }
    }

    #[test]
    fn levels_that_only_grow_have_no_estimate() {
        let levels: Vec<usize> = (0..20).map(|at| 100 << at).collect();
        assert_eq!(forecast(&levels), None);
        assert_eq!(forecast(&[1, 2, 3]), None, "too few levels");
    }
}
