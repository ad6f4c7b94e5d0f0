//! Steps beside a bystander. A bystander has no pointers and no current ages, so no step of another thread
//! changes its state.
//!
//! Beside a bystander a thread acts as if it were alone with the shared state. The results are cached for a
//! few shapes.

use super::interference::{Interference, Interferences, ViewId};
use super::state::{AnalysisState, Stopped};
use super::views::{Cause, Provenance, Views};
use crate::pairs::domain::shape::Shape;
use crate::pairs::transfer::{AbstractRun, unpack};
use linchpin_ir::program::OpId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The results of solo steps, by shared state and thread state, for a few shapes each.
#[derive(Default)]
pub struct SoloStepCache(FxHashMap<(u32, u32), Vec<(Shape, Rc<[SoloOutcome]>)>>);

/// The result of a solo step.
struct SoloOutcome {
    shared: u32,
    local: u32,
    shape: Shape,
    op: Option<OpId>,
    ends: bool,
    visible: bool,
    /// The shape of the shared state alone, if the step is visible through it.
    visible_to_peer: Option<Rc<Shape>>,
    is_plain: bool,
}

/// The number of shapes that the cache keeps for each thread state.
const KEPT: usize = 4;

impl SoloStepCache {
    /// Makes the steps of a thread of a view whose other thread is a bystander.
    pub fn apply(&mut self, state: &mut AnalysisState, id: ViewId, actor: usize) -> Result<(), Stopped> {
        let known = &state.views.views[id as usize];
        let (shared, locals, other) = (known.shared, known.locals, known.locals[1 - actor]);
        let cause = Cause { from: id, actor: locals[actor], by_third: false, op: None, ends: false };
        let kept = self.0.get(&(shared, locals[actor]));
        let kept = kept.and_then(|kept| kept.iter().find(|(shape, _)| *shape == *known.shape));
        let solo = match kept {
            Some((_, solo)) => solo.clone(),
            None => self.compute(state, id, actor, cause)?,
        };
        let mut interferences = Interferences { are_plain: true, ..Interferences::default() };
        for outcome in solo.iter() {
            let SoloOutcome { op, ends, .. } = *outcome;
            let mut after = [other; 2];
            after[actor] = outcome.local;
            let provenance = Provenance { shared, locals, cause: Cause { op, ends, ..cause } };
            let grown = state.views.add_whole(outcome.shared, after, &outcome.shape, provenance);
            state.enqueue(grown);
            interferences.are_plain &= outcome.is_plain;
            interferences.all.extend(outcome.visible.then(|| Interference {
                shared: outcome.shared,
                local: other,
                by: outcome.local,
                visible_to_peer: outcome.visible_to_peer.clone(),
                kept: 0,
                moved: 0,
                op,
                ends,
            }));
        }
        state.views.keep_interferences(id, actor, interferences);
        Ok(())
    }

    fn compute(
        &mut self,
        state: &mut AnalysisState,
        id: ViewId,
        actor: usize,
        cause: Cause,
    ) -> Result<Rc<[SoloOutcome]>, Stopped> {
        let program = state.program();
        let known = &state.views.views[id as usize];
        let (shared, local, shape) = (known.shared, known.locals[actor], Shape::clone(&known.shape));
        let locals = [state.views.locals.get(local)];
        let scene = unpack(program, state.views.shared.get(shared), &locals, shape.clone());
        let pointers = scene.pointers();
        let outcomes = state.step(scene, 0);
        state.check_alarms(&outcomes, Some(cause))?;
        let solo = |views: &mut Views, run: &AbstractRun| {
            let scene = &run.scene;
            let (shared, local) = views.numbers(scene, 0, (shared, local));
            let own = scene.shape.project(&scene.terms(program, &[0]));
            let alone = || Rc::new(scene.shape.project(&scene.terms(program, &[])));
            SoloOutcome {
                shared,
                local,
                shape: own,
                op: run.op,
                ends: run.ends(),
                visible: scene.visible,
                visible_to_peer: scene.visible_to_peer.then(alone),
                is_plain: !scene.visible || scene.is_as_before(&shape, &pointers),
            }
        };
        let solo: Rc<[SoloOutcome]> = outcomes.cases.iter().map(|run| solo(&mut state.views, run)).collect();
        let kept = self.0.entry((shared, local)).or_default();
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((shape, solo.clone()));
        Ok(solo)
    }
}
