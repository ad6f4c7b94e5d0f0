//! Sizes of types: no struct or word contains itself by value, and none has more slots than fit.
//!
//! `width(word or struct) = Σ width(field)`, `width([T; n]) = n · width(T)`. A field that leads back to its
//! own record has no width, and is reported where it closes the circle. Later passes may recurse over values.

use super::context::{Checker, Env};
use super::resolve::MOST_SLOTS;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

/// The maximal depth of nesting by value.
const DEPTH: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    ContainsItself(TypeId),
    TooDeep,
    TooLarge,
}

impl Checker<'_> {
    /// Finds the size of a struct or word; a field that cannot have one is reported and poisoned.
    pub fn measure_record(&mut self, id: TypeId) {
        // Errors of its own fields are reported at the fields.
        let _ = self.measure(id, &mut Vec::new());
    }

    /// The type itself if its size is known and within the limit.
    pub fn within_size(&mut self, env: &Env, id: TypeId, span: Span) -> TypeId {
        match self.measure(id, &mut Vec::new()) {
            Ok(_) => id,
            Err(fault) => {
                let diagnostic = self.describe(fault, id, span);
                self.report(env, diagnostic);
                self.poison()
            }
        }
    }

    fn measure(&mut self, id: TypeId, above: &mut Vec<TypeId>) -> Result<u64, Fault> {
        if let Some(&width) = self.widths.get(&id) {
            return Ok(width);
        }
        if above.contains(&id) {
            return Err(Fault::ContainsItself(id));
        }
        if above.len() > DEPTH {
            return Err(Fault::TooDeep);
        }
        above.push(id);
        let width = match self.types.kind(id) {
            TypeKind::Unit => Ok(0),
            TypeKind::Option(of) => self.measure(of, above).map(|width| width + 1),
            TypeKind::Array(of, length) => {
                self.measure(of, above).map(|width| width.saturating_mul(u64::from(length)))
            }
            TypeKind::Struct(_) | TypeKind::Word(_) => Ok(self.measure_fields(id, above)),
            _ => Ok(1),
        };
        above.pop();
        let width =
            width.and_then(|width| if width > MOST_SLOTS { Err(Fault::TooLarge) } else { Ok(width) })?;
        self.widths.insert(id, width);
        Ok(width)
    }

    fn measure_fields(&mut self, id: TypeId, above: &mut Vec<TypeId>) -> u64 {
        let mut sum = 0;
        let mut faulty = false;
        let fields = self.types.record(id).map_or(0, |record| record.fields.len());
        for i in 0..fields {
            let Some(field) = self.types.record(id).and_then(|record| record.fields.get(i)).cloned() else {
                continue;
            };
            let fault = match self.measure(field.ty, above) {
                Ok(width) if sum + width <= MOST_SLOTS => {
                    sum += width;
                    continue;
                }
                Ok(_) => Fault::TooLarge,
                Err(fault) => fault,
            };
            let diagnostic = self.describe(fault, field.ty, field.span);
            self.report_plain(diagnostic);
            faulty = true;
            let poison = self.poison();
            let fields = match self.types.kind(id) {
                TypeKind::Struct(s) => &mut self.types.structs[s].fields,
                TypeKind::Word(w) => &mut self.types.words[w].fields,
                _ => continue,
            };
            if let Some(field) = fields.get_mut(i) {
                field.ty = poison;
            }
        }
        // What was reported should not make those that contain it too large.
        if faulty { 0 } else { sum }
    }

    fn describe(&self, fault: Fault, of: TypeId, span: Span) -> Diagnostic {
        match fault {
            Fault::ContainsItself(id) => {
                let name = self.type_name(id);
                let diagnostic = Diagnostic::error(
                    format!("`{name}` contains itself"),
                    span,
                    "through this field, by value",
                );
                match self.types.kind(id) {
                    TypeKind::Struct(_) => diagnostic.help(format!("use a pointer: `*{name}`")),
                    _ => diagnostic.help("use a pointer to a struct"),
                }
            }
            Fault::TooDeep => Diagnostic::error(
                "values are nested too deeply",
                span,
                format!("more than {DEPTH} levels of structs, words, arrays and optionals"),
            ),
            Fault::TooLarge => Diagnostic::error(
                "this type is too large",
                span,
                format!("`{}` exceeds the limit of {MOST_SLOTS} slots", self.type_name(of)),
            )
            .help("a slot holds one number, pointer or flag; make the arrays shorter"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::typing::testing::titles;

    #[test]
    fn sizes_multiply_without_overflow() {
        let text = "object A: None; spec None {} struct S { a: [[[[bool; 60000]; 60000]; 60000]; 60000] } shared s: *S;";
        assert_eq!(titles(text), ["this type is too large"]);
    }

    #[test]
    fn doubling_records_are_measured_once_each() {
        let mut text = String::from("object A: None; spec None {} word W0 { a: bool } ");
        for i in 1..60 {
            text += &format!("word W{i} {{ a: W{}, b: W{} }} ", i - 1, i - 1);
        }
        text += "shared w: W59;";
        assert_eq!(titles(&text), ["this type is too large"]);
    }
}
