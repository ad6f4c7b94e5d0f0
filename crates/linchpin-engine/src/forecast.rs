//! Estimates the final size of a breadth-first search from the sizes of its levels.
//!
//! Model: the sizes of levels follow a bell curve, so their logarithms follow a parabola that opens
//! downwards. The estimate fits a parabola to the last three quarters of the levels and extends it until a
//! level is empty. Levels of real searches have several humps, so a fit to few levels jumps with each hump.
//! Early in a search the parabola falls too steeply, so the estimate is too small and grows with later
//! levels. While the parabola does not open downwards, there is no estimate. A running search shows the
//! estimate only after its levels have almost stopped growing: see [`settled_forecast`].

/// Least number of levels in the fit.
const LEAST_FITTED: usize = 12;
/// Number of first levels that are never fitted: the client begins.
const FIRST_LEVELS: usize = 4;
/// Least size of the last level. Smaller levels give no usable growth.
const SMALLEST_LEVEL: usize = 64;
/// The least curvature that counts.
const FLAT: f64 = 1e-4;

/// Estimates the number of nodes of the finished search. `None`: too few levels, or levels that grow ever
/// faster.
pub fn forecast(levels: &[usize]) -> Option<u64> {
    let last = *levels.last()?;
    if levels.len() < LEAST_FITTED + FIRST_LEVELS || last < SMALLEST_LEVEL {
        return None;
    }
    let fitted = LEAST_FITTED.max(levels.len() * 3 / 4);
    let logarithms: Vec<f64> =
        levels[levels.len() - fitted..].iter().map(|size| (*size.max(&1) as f64).ln()).collect();
    let [height, slope, curvature] = parabola(&logarithms);
    if curvature >= -FLAT {
        return None;
    }
    let mut sum = levels.iter().map(|size| *size as f64).sum::<f64>();
    let mut at = 1.0;
    loop {
        let logarithm = height + slope * at + curvature * at * at;
        if logarithm < 0.0 || sum > 1e15 {
            return Some(whole(sum));
        }
        sum += logarithm.exp();
        at += 1.0;
    }
}

/// Number of levels that are compared with as many levels before.
const COMPARED: usize = 4;
/// Levels have almost stopped growing if the last [`COMPARED`] have at most so many hundredths of the nodes of
/// those before.
const SETTLED: usize = 120;

/// Estimates as [`forecast`] does. `None` also while the levels grow: an estimate of that time is too small by
/// up to a factor of twenty.
pub fn settled_forecast(levels: &[usize]) -> Option<u64> {
    let (others, last) = levels.split_at(levels.len().checked_sub(COMPARED)?);
    let before = &others[others.len().checked_sub(COMPARED)?..];
    let sum = |levels: &[usize]| levels.iter().fold(0usize, |sum, size| sum.saturating_add(*size));
    (sum(last).saturating_mul(100) <= sum(before).saturating_mul(SETTLED)).then(|| forecast(levels)).flatten()
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

/// Fits a parabola by least squares. Returns its value, slope and curvature at the last point.
fn parabola(points: &[f64]) -> [f64; 3] {
    let count = points.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let places = || (0..points.len()).map(|at| at as f64 - middle);
    let sum = |power: i32| places().map(|x| x.powi(power)).sum::<f64>();
    let product = |power: i32| places().zip(points).map(|(x, y)| x.powi(power) * y).sum::<f64>();
    // Around the middle the odd sums vanish, so the normal equations fall apart.
    let (second, fourth) = (sum(2), sum(4));
    let slope = product(1) / second;
    let curvature = (count * product(2) - second * product(0)) / (count * fourth - second * second);
    let height = (product(0) - curvature * second) / count;
    [height + slope * middle + curvature * middle * middle, slope + 2.0 * curvature * middle, curvature]
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
    fn a_parabola_is_found_again() {
        let points: Vec<f64> =
            (0..9).map(|at| f64::from(at) - 8.0).map(|x| 3.0 + 2.0 * x - 0.5 * x * x).collect();
        let found = parabola(&points);
        let errors = found.iter().zip([3.0, 2.0, -0.5]).map(|(found, wanted)| (found - wanted).abs());
        assert!(errors.fold(0.0, f64::max) < 1e-9, "{found:?}");
    }

    #[test]
    fn levels_that_only_grow_have_no_estimate() {
        let levels: Vec<usize> = (0..20).map(|at| 100 << at).collect();
        assert_eq!(forecast(&levels), None);
        assert_eq!(forecast(&[1, 2, 3]), None, "too few levels");
    }

    /// Levels of whole searches. Several humps lie on one bell. Those of the largest are rounded: they were read
    /// off the line of progress. Its first seventeen are guessed.
    const RECORDED: [(&str, &[usize]); 3] = [
        (
            "ms_queue, 3 threads, 5 nodes, 2 values",
            &[
                1, 2, 6, 13, 20, 29, 40, 64, 130, 258, 472, 704, 959, 1_236, 1_710, 2_353, 3_050, 3_606,
                3_992, 4_501, 5_352, 6_337, 7_280, 7_992, 9_004, 10_504, 12_230, 13_514, 13_600, 13_558,
                14_034, 15_120, 16_324, 16_784, 16_868, 17_288, 18_156, 18_736, 17_692, 15_868, 14_276,
                13_744, 13_968, 14_216, 14_320, 14_472, 14_896, 14_616, 12_608, 9_528, 7_016, 5_936, 5_664,
                5_712, 5_824, 5_920, 5_856, 5_312, 3_920, 1_792, 384, 48,
            ],
        ),
        (
            "lazy_list, 3 threads, 4 nodes, 2 keys",
            &[
                1, 4, 14, 40, 60, 60, 58, 50, 39, 116, 513, 903, 1_066, 1_223, 1_292, 1_135, 1_186, 1_593,
                2_233, 2_971, 3_547, 3_954, 3_875, 3_644, 3_180, 2_790, 3_858, 4_754, 4_972, 5_683, 5_836,
                4_960, 4_050, 2_846, 2_092, 1_675, 1_601, 1_494, 1_818, 1_807, 1_581, 1_353, 855, 534, 260,
                124, 32, 12,
            ],
        ),
        (
            "ms_queue, 4 threads, 5 nodes, 3 values",
            &[
                1, 2, 6, 13, 25, 45, 80, 150, 320, 700, 1_400, 2_400, 3_900, 6_200, 9_500, 13_500, 18_000,
                22_100, 39_500, 59_500, 51_900, 76_700, 93_700, 105_900, 126_500, 157_400, 182_000, 234_300,
                249_900, 287_800, 290_400, 327_900, 360_200, 407_700, 437_000, 481_700, 517_600, 572_700,
                612_800, 630_400, 612_000, 588_900, 593_500, 597_000, 633_200, 658_500, 698_100, 720_000,
                726_500, 689_700, 604_000, 491_700, 409_400, 366_100, 362_400, 365_400, 379_600, 384_000,
                361_900, 316_700, 225_700, 122_600, 42_700, 7_100,
            ],
        ),
    ];

    #[test]
    fn estimates_of_recorded_searches_move_slowly_and_come_close() {
        for (name, levels) in RECORDED {
            let all: usize = levels.iter().sum();
            let mut before: Option<f64> = None;
            for part in 1..levels.len() {
                let Some(guess) = settled_forecast(&levels[..part]).map(|guess| guess as f64) else {
                    continue;
                };
                let of_all = guess / all as f64;
                assert!((0.45..1.5).contains(&of_all), "{name}: {of_all} of all after {part} levels");
                if let Some(before) = before.replace(guess) {
                    let jump = (guess / before).max(before / guess);
                    assert!(jump < 1.5, "{name}: {before}, then {guess} after {part} levels");
                } else {
                    let searched: usize = levels[..part].iter().sum();
                    assert!(searched * 2 < all, "{name}: no estimate before {searched} of {all}");
                }
            }
            assert!(before.is_some(), "{name} has no estimate");
        }
    }

    #[test]
    fn growing_levels_have_no_settled_estimate() {
        let levels = RECORDED[2].1;
        assert!(forecast(&levels[..25]).is_some(), "the parabola opens downwards");
        assert_eq!(settled_forecast(&levels[..25]), None);
        assert_eq!(settled_forecast(&[]), None);
        assert_eq!(settled_forecast(&[1; 7]), None);
    }
}
