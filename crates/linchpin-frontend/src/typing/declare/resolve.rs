//! From a type as it is written to a type of the table.

use super::context::{Checker, Env};
use crate::syntax::ast::{self, Expr, Name};
use crate::typing::collect::names::{DefId, DefKind, Lookup, Namespace, count};
use crate::typing::{foreign, library, suggest};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{Pointee, TypeId, TypeKind};

/// Aliases may name each other only so deep.
const DEPTH: usize = 128;

/// The longest array; also the most slots of any one type.
pub(in crate::typing) const MOST_SLOTS: u64 = 1 << 16;

impl<'a> Checker<'a> {
    /// The type of a variable, parameter, result or literal: resolved to the bottom, its size known.
    pub fn type_of(&mut self, env: &Env, ty: &'a ast::Type) -> TypeId {
        let id = self.resolve(env, ty);
        self.resolve_pending();
        self.within_size(env, id, ty.span)
    }

    /// The same, where only a value can stand: `what` says where.
    pub fn value_type(&mut self, env: &Env, ty: &'a ast::Type, what: &str) -> TypeId {
        let id = self.type_of(env, ty);
        self.must_be_value(env, id, ty.span, what)
    }

    /// A type as it is written; structs and words in it may not have their fields yet.
    pub fn resolve(&mut self, env: &Env, ty: &'a ast::Type) -> TypeId {
        let kind = match &ty.kind {
            ast::TypeKind::Bool => TypeKind::Bool,
            ast::TypeKind::Int => TypeKind::Int,
            ast::TypeKind::Data => TypeKind::Data,
            ast::TypeKind::Key => TypeKind::Key,
            ast::TypeKind::Age => TypeKind::Age,
            ast::TypeKind::Thread => TypeKind::Thread,
            ast::TypeKind::Lock => TypeKind::Lock,
            ast::TypeKind::Condvar => TypeKind::Condvar,
            ast::TypeKind::Range { low, high, inclusive } => {
                return self.resolve_range(env, low, high, *inclusive, ty.span);
            }
            ast::TypeKind::Named { name, args } => return self.resolve_named(env, name, args),
            ast::TypeKind::Pointer(to) => return self.resolve_pointer(env, to),
            ast::TypeKind::PointerToArray(element) => {
                let of = self.element(env, element, "an element of an array on the heap");
                if self.is_poison(of) {
                    return of;
                }
                TypeKind::Pointer(Pointee::Array(of))
            }
            ast::TypeKind::Array(element, length) => return self.resolve_array(env, element, length),
            ast::TypeKind::Option(inner) => {
                let of = self.element(env, inner, "an optional");
                return self.option(of);
            }
            ast::TypeKind::Seq(element) => {
                return self.collection(env, element, "an element of a `seq`", TypeKind::Seq);
            }
            ast::TypeKind::Set(element) => {
                return self.collection(env, element, "an element of a `set`", TypeKind::Set);
            }
            ast::TypeKind::Bag(element) => {
                return self.collection(env, element, "an element of a `bag`", TypeKind::Bag);
            }
            ast::TypeKind::Map(key, value) => {
                let key = self.element(env, key, "a key of a `map`");
                let value = self.element(env, value, "a value of a `map`");
                if self.is_poison(key) || self.is_poison(value) {
                    return self.poison();
                }
                TypeKind::Map(key, value)
            }
            ast::TypeKind::Error => return self.poison(),
        };
        self.types.intern(kind)
    }

    /// Reports a type that is not a value where a value is needed.
    pub fn must_be_value(&mut self, env: &Env, id: TypeId, span: Span, what: &str) -> TypeId {
        if self.is_poison(id) || self.is_value(id) {
            return id;
        }
        let name = self.type_name(id);
        let diagnostic = Diagnostic::error(
            format!("`{name}` is not a value"),
            span,
            format!("{what} must be a value: something that can be copied"),
        );
        let help = match self.types.kind(id) {
            TypeKind::Struct(_) => format!("a pointer is a value: `*{name}`; or make it a `word`"),
            _ => "put locks and conditions into structs, arrays or `shared` variables".into(),
        };
        self.report(env, diagnostic.help(help));
        self.poison()
    }

    fn element(&mut self, env: &Env, ty: &'a ast::Type, what: &str) -> TypeId {
        let id = self.resolve(env, ty);
        self.must_be_value(env, id, ty.span, what)
    }

    fn collection(
        &mut self,
        env: &Env,
        element: &'a ast::Type,
        what: &str,
        make: fn(TypeId) -> TypeKind,
    ) -> TypeId {
        let of = self.element(env, element, what);
        if self.is_poison(of) { of } else { self.types.intern(make(of)) }
    }

    fn resolve_range(
        &mut self,
        env: &Env,
        low: &'a Expr,
        high: &'a Expr,
        inclusive: bool,
        span: Span,
    ) -> TypeId {
        let (low, high) = (self.const_expr(env, low), self.const_expr(env, high));
        let (Some(low), Some(end)) = (low, high) else { return self.poison() };
        let high = if inclusive { end } else { end - 1 };
        if low > high {
            let dots = if inclusive { "..=" } else { ".." };
            self.report(
                env,
                Diagnostic::error("this range has no values", span, format!("here it is {low}{dots}{end}"))
                    .help("`a..b` ends before `b`, `a..=b` includes it"),
            );
            return self.poison();
        }
        self.types.intern(TypeKind::Range { low, high })
    }

    fn resolve_array(&mut self, env: &Env, element: &'a ast::Type, length: &'a Expr) -> TypeId {
        let of = self.resolve(env, element);
        let Some(number) = self.const_expr(env, length) else { return self.poison() };
        let length = self.array_length(env, number, length.span);
        match length {
            Some(length) if !self.is_poison(of) => self.types.intern(TypeKind::Array(of, length)),
            _ => self.poison(),
        }
    }

    /// The length of an array, if it is one.
    pub fn array_length(&mut self, env: &Env, number: i64, span: Span) -> Option<u32> {
        let length = u32::try_from(number).ok().filter(|n| (1..=MOST_SLOTS).contains(&u64::from(*n)));
        if length.is_none() {
            let title =
                if number < 1 { "an array needs at least one element" } else { "this array is too long" };
            self.report(
                env,
                Diagnostic::error(title, span, format!("here the length is {number}"))
                    .help(format!("the length of an array is between 1 and {MOST_SLOTS}")),
            );
        }
        length
    }

    fn resolve_pointer(&mut self, env: &Env, to: &'a ast::Type) -> TypeId {
        let target = self.resolve(env, to);
        if self.is_poison(target) {
            return target;
        }
        if let TypeKind::Struct(id) = self.types.kind(target) {
            return self.types.intern(TypeKind::Pointer(Pointee::Struct(id)));
        }
        let name = self.type_name(target);
        let diagnostic = Diagnostic::error(
            "a pointer must point to a struct or an array",
            to.span,
            format!("`{name}` is not on the heap"),
        );
        let help = match self.types.kind(target) {
            TypeKind::Array(element, _) => {
                format!("an array on the heap is `*[{}]`", self.type_name(element))
            }
            TypeKind::Word(_) => "make it a `struct`, or put the word into one".into(),
            _ => format!("put it into a struct: `struct Cell {{ value: {name} }}`"),
        };
        self.report(env, diagnostic.help(help));
        self.poison()
    }

    fn resolve_named(&mut self, env: &Env, name: &'a Name, args: &'a [ast::Type]) -> TypeId {
        if let Some((_, id)) = env.types.iter().find(|(param, _)| *param == name.text) {
            let id = *id;
            return self.no_arguments(env, name, args, "a type parameter", id);
        }
        match self.names.lookup(env.unit, Namespace::Type, &name.text) {
            Lookup::Found(def) => self.resolve_definition(env, def, name, args),
            Lookup::Lost => self.poison(),
            Lookup::Unknown => {
                self.unknown_type(env, name);
                self.poison()
            }
        }
    }

    fn resolve_definition(&mut self, env: &Env, def: DefId, name: &'a Name, args: &'a [ast::Type]) -> TypeId {
        self.note_def(name, def, None);
        match self.def(def).kind {
            DefKind::Alias(ty) => {
                let id = self.alias(def, ty);
                self.no_arguments(env, name, args, "a type alias", id)
            }
            DefKind::Enum(_) => {
                let id = self.instantiate(env, def, Vec::new(), name.span);
                self.no_arguments(env, name, args, "an enum", id)
            }
            kind => {
                let wanted = kind.type_params().len();
                let resolved: Vec<TypeId> = args.iter().map(|arg| self.resolve(env, arg)).collect();
                if !self.right_number_of_arguments(env, def, name, wanted, args.len()) {
                    return self.poison();
                }
                if resolved.iter().any(|arg| self.is_poison(*arg)) {
                    return self.poison();
                }
                self.instantiate(env, def, resolved, name.span)
            }
        }
    }

    /// Whether a generic definition was given as many type arguments as it takes.
    pub fn right_number_of_arguments(
        &mut self,
        env: &Env,
        def: DefId,
        name: &Name,
        wanted: usize,
        given: usize,
    ) -> bool {
        if wanted == given {
            return true;
        }
        let definition = self.def(def);
        let params: Vec<&str> = definition.kind.type_params().iter().map(|p| &*p.text).collect();
        let mut diagnostic = Diagnostic::error(
            format!("`{}` takes {}, not {given}", name.text, count(wanted, "type argument")),
            name.span,
            if wanted == 0 {
                "it is not generic".to_string()
            } else {
                "wrong number of type arguments".into()
            },
        )
        .label(definition.name.span, "defined here");
        if wanted > 0 {
            diagnostic = diagnostic.help(format!(
                "write `{}<…>` with a type for {}",
                name.text,
                suggest::list(&params)
            ));
        }
        self.report(env, diagnostic);
        false
    }

    fn no_arguments(&mut self, env: &Env, name: &Name, args: &[ast::Type], noun: &str, id: TypeId) -> TypeId {
        if args.is_empty() {
            return id;
        }
        self.report(
            env,
            Diagnostic::error(
                format!("`{}` takes no type arguments", name.text),
                name.span,
                format!("this is {noun}"),
            ),
        );
        self.poison()
    }

    /// Returns the type of an alias.
    pub fn alias(&mut self, def: DefId, ty: &'a ast::Type) -> TypeId {
        match self.aliases.get(&def) {
            Some(Some(id)) => return *id,
            Some(None) => {
                let name = self.def(def).name;
                self.report_plain(
                    Diagnostic::error(
                        format!("type alias `{}` refers to itself", name.text),
                        name.span,
                        "this alias is needed to resolve itself",
                    )
                    .help("use a `struct`: it may contain pointers to itself"),
                );
                return self.poison();
            }
            None => {}
        }
        self.aliases.insert(def, None);
        let id = if self.alias_depth < DEPTH {
            self.alias_depth += 1;
            let id = self.resolve(&Env::of_unit(self.def(def).unit), ty);
            self.alias_depth -= 1;
            id
        } else {
            self.report_plain(Diagnostic::error(
                "type aliases are nested too deeply",
                ty.span,
                "more than 128 levels",
            ));
            self.poison()
        };
        self.aliases.insert(def, Some(id));
        id
    }

    /// Reports a type name that nothing defines.
    pub fn unknown_type(&mut self, env: &Env, name: &Name) {
        let mut diagnostic =
            Diagnostic::error(format!("there is no type `{}`", name.text), name.span, "not found");
        let known = self.names.known(env.unit, Namespace::Type).map(|(known, _)| known);
        let params = env.types.iter().map(|(param, _)| &**param);
        let builtin = ["bool", "int", "data", "key", "age", "thread", "lock", "condvar"];
        let candidates: Vec<&str> = params.chain(known).chain(builtin).collect();
        diagnostic.help = if STD_TYPES.contains(&&*name.text) {
            Some(format!("the type is in the standard library: add `use {}::{};`", library::STD, name.text))
        } else {
            let near = || suggest::nearest(&name.text, candidates);
            let foreign = foreign::type_help(&name.text).map(str::to_string);
            foreign.or_else(|| near().map(|near| format!("did you mean `{near}`?")))
        };
        self.report(env, diagnostic);
    }
}

/// What `std` has, for those who forget the `use`.
const STD_TYPES: [&str; 6] = ["Marked", "ReentrantLock", "FairLock", "ArrayList", "Bin", "Counter"];
