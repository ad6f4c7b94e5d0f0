//! List-based sets: right ones have certificates that the checker accepts, wrong ones have none, and a
//! certificate with something dropped is refused.

use super::{Text, budget};
use fastrand::Rng;
use linchpin_certify::set_certificate::{CallGhost, CellPlace, SetCertificate};
use linchpin_certify::sets::check;
use linchpin_engine::BudgetMeter;
use linchpin_engine::model::Model;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_judge::replay::fingerprint;
use linchpin_portfolio::catalogue::{Group, entries};
use linchpin_portfolio::method_of;
use linchpin_prove::sets::{SetProver, SetStopped};
use linchpin_report::set_certificate_file::SetCertificateFile;
use std::sync::Arc;
use std::time::Duration;

const RIGHT: [&str; 5] =
    ["coarse_list", "fine_list", "lazy_list", "vechev_yahav_set_dcas", "optimistic_list"];

pub fn program(text: &Text) -> Arc<Program> {
    text.compile(&Setting::default()).unwrap_or_else(|_| panic!("`{}` compiles", text.name)).program
}

pub fn search(program: &Program, seconds: u64) -> Result<SetCertificate, SetStopped> {
    let prover = SetProver::new(program).map_err(|_| SetStopped::NoWitness)?;
    let mut meter = BudgetMeter::start(budget(Some(Duration::from_secs(seconds))));
    prover.prove(&mut meter).map(|(certificate, _)| certificate)
}

pub fn certificate(name: &str) -> (Arc<Program>, SetCertificate) {
    let program = program(&Text::of_catalogue(name));
    let found = search(&program, 300).unwrap_or_else(|stopped| panic!("{name}: {stopped:?}"));
    (program, found)
}

#[test]
fn right_sets_are_accepted_by_the_checker() {
    for name in RIGHT {
        let (program, certificate) = certificate(name);
        let proved =
            check(&program, &certificate, &|| true).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let mut wanted = vec![Property::Linearizable, Property::MemorySafe, Property::Assertions];
        wanted.push(Property::DeadlockFree);
        assert_eq!(proved, wanted, "{name}");
        let print = fingerprint(&program);
        let text = SetCertificateFile::new(name, print, &certificate).to_text().expect("it is JSON");
        let read = SetCertificateFile::parse(&text).and_then(|file| file.certificate());
        assert_eq!(read.as_ref(), Ok(&certificate), "{name}: the file says the same");
    }
}

/// The two with the most views.
#[test]
fn long_lists_of_michael_and_harris_are_accepted() {
    for name in ["michael_list", "harris_list"] {
        let (program, certificate) = certificate(name);
        assert!(check(&program, &certificate, &|| true).is_ok(), "{name}");
    }
}

/// The meaning of the abstract set is found: in the lazy list a marked cell is not in.
#[test]
fn the_abstract_set_is_derived() {
    assert_eq!(certificate("lazy_list").1.present.len(), 1);
    assert_eq!(certificate("vechev_yahav_set_dcas").1.present.len(), 1);
    let (program, mut other) = certificate("lazy_list");
    other.present.clear();
    assert!(check(&program, &other, &|| true).is_err(), "a set without members has no events");
}

#[test]
fn wrong_sets_have_no_certificate() {
    let mut tried = 0;
    for entry in entries().iter().filter(|entry| entry.group == Group::Wrong) {
        let program = program(&Text::new(entry.name, entry.text));
        if method_of(&program).name() != "sets" {
            continue;
        }
        tried += 1;
        match search(&program, 60) {
            Ok(_) => panic!("`{}` is wrong, and has a certificate", entry.name),
            Err(SetStopped::Exhausted(_)) => panic!("`{}`: out of time", entry.name),
            Err(SetStopped::Failed(_) | SetStopped::NoWitness) => {}
        }
    }
    assert!(tried >= 15, "only {tried} wrong sets");
}

/// Every view and every edge of a least certificate is needed.
#[test]
fn a_certificate_without_one_view_is_refused() {
    let (program, whole) = certificate("fine_list");
    let mut rng = Rng::with_seed(23);
    for _ in 0..20 {
        let mut less = whole.clone();
        match rng.bool() {
            true => drop(less.threads.swap_remove(rng.usize(..less.threads.len()))),
            false => drop(less.edges.swap_remove(rng.usize(..less.edges.len()))),
        }
        assert!(check(&program, &less, &|| true).is_err());
    }
}

/// Certificates that say more than is true.
#[test]
fn false_facts_are_refused() {
    let (program, whole) = certificate("lazy_list");
    let refused = |what: &str, edit: &dyn Fn(&mut SetCertificate)| {
        let mut forged = whole.clone();
        edit(&mut forged);
        forged.threads.sort_unstable();
        forged.threads.dedup();
        assert!(check(&program, &forged, &|| true).is_err(), "{what}");
    };
    refused("every call saw the key in and out", &|forged| {
        for view in &mut forged.threads {
            if let CallGhost::Watched { seen_in, seen_out } = &mut view.ghost {
                (*seen_in, *seen_out) = (true, true);
            }
        }
    });
    refused("no cell is ever unlinked", &|forged| {
        forged.threads.retain(|view| view.cells.iter().all(|cell| cell.label.place != CellPlace::Unlinked));
    });
    refused("no thread holds a lock", &|forged| {
        for cell in forged.threads.iter_mut().flat_map(|view| &mut view.cells) {
            cell.mine = false;
        }
    });
    refused("the key is never in the set", &|forged| {
        forged.threads.retain(|view| !view.is_in);
        forged.edges.retain(|edge| !edge.is_in);
    });
    refused("nothing begins", &|forged| forged.threads.retain(|view| view.at.is_some()));
}

/// What may fool the method: each object differs from a right one in one place.
#[test]
fn one_wrong_place_is_noticed() {
    let mutations = [
        (
            "coarse_list",
            "    pred.next = node;\n    return true;",
            "    pred.next = node;\n    return false;",
        ),
        ("coarse_list", "if curr.key != k { return false; }", "if curr.key != k { return true; }"),
        ("coarse_list", "return curr.key == k;", "return curr.key != k;"),
        ("fine_list", "pred.next = curr.next;", "pred.next = curr;"),
        (
            "lazy_list",
            "!pred.marked && !curr.marked && pred.next == curr",
            "!curr.marked && pred.next == curr",
        ),
        (
            "lazy_list",
            "!pred.marked && !curr.marked && pred.next == curr",
            "!pred.marked && pred.next == curr",
        ),
        ("lazy_list", "!pred.marked && !curr.marked && pred.next == curr", "!pred.marked && !curr.marked"),
        ("lazy_list", "return curr.key == k && !curr.marked;", "return curr.key == k && curr.marked;"),
        ("lazy_list", "            curr.marked = true;\n", ""),
        (
            "optimistic_list",
            "if node == pred { return pred.next == curr; }",
            "if node == pred { return true; }",
        ),
        ("optimistic_list", "return false;\n}", "return true;\n}"),
        ("vechev_yahav_set", "mark: true", "mark: false"),
    ];
    for (name, right, wrong) in mutations {
        let text = Text::of_catalogue(name);
        let changed = text.text.replacen(right, wrong, 1);
        assert_ne!(text.text, changed, "{name} has `{right}`");
        let program = program(&Text::new(name, changed));
        assert!(matches!(search(&program, 100), Err(SetStopped::Failed(_))), "{name}: `{wrong}`");
    }
}
