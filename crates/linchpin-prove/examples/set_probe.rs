use linchpin_engine::model::Model;
use linchpin_engine::{Budget, BudgetMeter};
use linchpin_ir::interface::Setting;
use linchpin_portfolio::embedded::TextModel;
use linchpin_prove::sets::SetProver;
use std::time::{Duration, Instant};
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let model = TextModel { name: path.clone(), text };
        let Ok(compiled) = model.compile(&Setting::default()) else { println!("{path}: no compile"); continue };
        let started = Instant::now();
        match SetProver::new(&compiled.program) {
            Err(r) => println!("{path}: refused {:?}", r.iter().map(|r| r.construct.clone()).collect::<Vec<_>>()),
            Ok(p) => {
                let budget = Budget { time: Some(Duration::from_secs(60)), memory: None, stop: Default::default(), memory_in_use: || None };
                let mut meter = BudgetMeter::start(budget);
                match p.prove(&mut meter) {
                    Ok((c, steps)) => {
                        let t = started.elapsed();
                        let s = Instant::now();
                        let r = linchpin_certify::sets::check(&compiled.program, &c, &|| true);
                        println!("{path}: certificate {} views {} edges, {steps} steps, {t:?}; present {:?}; check {r:?} {:?}", c.threads.len(), c.edges.len(), c.present, s.elapsed());
                        let g = if std::env::var("GATE").is_ok() { Some(linchpin_certify::gate::sets::examine(&compiled.program, &c, &r.unwrap_or_default(), &Default::default(), &|| true)) } else { None };
                        println!("   gate {:?}", g.map(|g| g.map(|g| g.instances)));
                    }
                    Err(linchpin_prove::sets::SetStopped::Failed(f)) => {
                        let at = |s| compiled.sources.line_of(s);
                        println!("{path}: FAILED {f} at {} step {:?} {:?}", at(f.span), f.step.map(at), started.elapsed());
                    }
                    Err(e) => println!("{path}: {e:?} {:?}", started.elapsed()),
                }
            }
        }
    }
}
