//! The literals that a program suggests: atoms over the variables that are live at a rest, over the shared
//! variables, and over the fields of the cells that they point to.

use super::syntax::{Atom, Literal, Operand, Place, Root, Term};
use linchpin_ir::program::{OpId, Pc, Program};
use linchpin_ir::types::{Pointee, TypeId, TypeKind};

/// The terms of one place, by kind.
#[derive(Default)]
struct Terms {
    /// Pointers in variables.
    pointers: Vec<Term>,
    /// Pointers in cells.
    links: Vec<Term>,
    /// Pointers in the cells that these lead to.
    second_links: Vec<Term>,
    keys: Vec<Term>,
    data: Vec<Term>,
    flags: Vec<Term>,
    locks: Vec<Term>,
}

/// Returns the places of a program: the rests of its operations in the order of the code, and every cell.
pub fn places(program: &Program) -> Vec<Place> {
    let rests = program.ops.entries().flat_map(|(op, operation)| {
        let code = &program.methods[operation.method].code;
        let rests = code.entries().filter(|(_, instr)| instr.access.is_step());
        rests.map(move |(pc, _)| Place::Rest(op, pc)).collect::<Vec<_>>()
    });
    rests.chain([Place::EveryCell]).collect()
}

/// Returns the atoms of a place, without repetitions, in a fixed order.
pub fn atoms(program: &Program, place: Place) -> Vec<Atom> {
    let mut atoms = match place {
        Place::Rest(op, rest) => atoms_at_rest(program, op, rest),
        Place::EveryCell => atoms_of_cells(program),
    };
    atoms.sort();
    atoms.dedup();
    atoms
}

/// Returns the literals of a place: each atom and its negation.
pub fn literals(program: &Program, place: Place) -> Vec<Literal> {
    let both = |atom: Atom| [Literal::new(atom.clone(), true), Literal::new(atom, false)];
    atoms(program, place).into_iter().flat_map(both).collect()
}

fn atoms_at_rest(program: &Program, op: OpId, rest: Pc) -> Vec<Atom> {
    let method = &program.methods[program.ops[op].method];
    let mut terms = Terms::default();
    for local in method.code[rest].live.iter() {
        collect(program, &Term::new(Root::Local(local)), method.locals[local].ty, 1, &mut terms);
    }
    for (id, variable) in program.globals.variables.entries() {
        collect(program, &Term::new(Root::Shared(id)), variable.ty, 1, &mut terms);
    }
    let mut atoms = vec![Atom::OnKey, Atom::TookEffect, Atom::SeenIn, Atom::SeenOut, Atom::IsIn];
    for (at, pointer) in terms.pointers.iter().enumerate() {
        let is_shared = matches!(pointer.root, Root::Shared(_));
        for other in &terms.pointers[at + 1..] {
            atoms.push(equal(pointer, other));
        }
        atoms.extend(terms.links.iter().map(|link| equal(pointer, link)));
        atoms.push(Atom::equal(Operand::Term(pointer.clone()), Operand::Null));
        if !is_shared {
            atoms.extend(terms.second_links.iter().map(|link| equal(pointer, link)));
            atoms.push(Atom::Reachable(pointer.clone()));
            atoms.push(Atom::Private(pointer.clone()));
        }
        atoms.push(Atom::Behind(pointer.clone()));
    }
    for (at, link) in terms.links.iter().enumerate() {
        atoms.push(Atom::equal(Operand::Term(link.clone()), Operand::Null));
        atoms.extend(terms.links[at + 1..].iter().map(|other| equal(link, other)));
    }
    atoms.extend(values(&terms));
    atoms
}

fn atoms_of_cells(program: &Program) -> Vec<Atom> {
    // With several structs a field would have no value in the cells of the others.
    let mut structs = program.types.structs.entries();
    let (Some((_, record)), None) = (structs.next(), structs.next()) else { return Vec::new() };
    let cell = Term::new(Root::Cell);
    let mut terms = Terms::default();
    for field in &record.fields {
        collect(program, &cell.field(&field.name), field.ty, 1, &mut terms);
    }
    let mut atoms = vec![
        Atom::Reachable(cell.clone()),
        Atom::Private(cell.clone()),
        Atom::Behind(cell.clone()),
        Atom::IsIn,
    ];
    for link in &terms.pointers {
        atoms.push(Atom::equal(Operand::Term(link.clone()), Operand::Null));
        atoms.push(Atom::Reachable(link.clone()));
        atoms.push(Atom::Private(link.clone()));
        atoms.push(Atom::Behind(link.clone()));
        atoms.push(equal(link, &cell));
    }
    atoms.extend(values(&terms));
    atoms
}

/// Returns the atoms over keys, values, flags and locks.
fn values(terms: &Terms) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for (at, key) in terms.keys.iter().enumerate() {
        for end in [Operand::KeyMin, Operand::KeyMax] {
            atoms.push(Atom::equal(Operand::Term(key.clone()), end));
        }
        for other in &terms.keys[at + 1..] {
            atoms.push(equal(key, other));
            atoms.push(Atom::Less(Operand::Term(key.clone()), Operand::Term(other.clone())));
            atoms.push(Atom::Less(Operand::Term(other.clone()), Operand::Term(key.clone())));
        }
    }
    for (at, value) in terms.data.iter().enumerate() {
        atoms.extend(terms.data[at + 1..].iter().map(|other| equal(value, other)));
    }
    atoms.extend(terms.flags.iter().map(|flag| Atom::Flag(flag.clone())));
    atoms.extend(terms.locks.iter().map(|lock| Atom::Held(lock.clone())));
    atoms
}

fn equal(left: &Term, right: &Term) -> Atom {
    Atom::equal(Operand::Term(left.clone()), Operand::Term(right.clone()))
}

/// Collects a term and its fields, through at most `links` pointers.
fn collect(program: &Program, term: &Term, ty: TypeId, links: usize, terms: &mut Terms) {
    let types = &program.types;
    match types.kind(ty) {
        TypeKind::Pointer(pointee) => {
            if links == 0 { &mut terms.links } else { &mut terms.pointers }.push(term.clone());
            let Pointee::Struct(id) = pointee else { return };
            for field in &types.structs[id].fields {
                let term = term.field(&field.name);
                match links {
                    0 => second_links(program, &term, field.ty, terms),
                    _ => collect(program, &term, field.ty, links - 1, terms),
                }
            }
        }
        TypeKind::Word(_) | TypeKind::Struct(_) => {
            for field in types.record(ty).into_iter().flat_map(|record| &record.fields) {
                collect(program, &term.field(&field.name), field.ty, links, terms);
            }
        }
        TypeKind::Bool => terms.flags.push(term.clone()),
        TypeKind::Key => terms.keys.push(term.clone()),
        TypeKind::Data => terms.data.push(term.clone()),
        TypeKind::Lock => terms.locks.push(term.clone()),
        _ => {}
    }
}

/// Collects the pointers in a field of a cell behind a link.
fn second_links(program: &Program, term: &Term, ty: TypeId, terms: &mut Terms) {
    let types = &program.types;
    match types.kind(ty) {
        TypeKind::Pointer(_) => terms.second_links.push(term.clone()),
        TypeKind::Word(_) | TypeKind::Struct(_) => {
            for field in types.record(ty).into_iter().flat_map(|record| &record.fields) {
                second_links(program, &term.field(&field.name), field.ty, terms);
            }
        }
        _ => {}
    }
}
